// The engine in a worker: it answers while the page stays alive.

import { Engine } from "./engine.js";
import { inSlices } from "./slices.js";

/** @type {Promise<Engine> | undefined} */
let engine;
let stopped = false;

/** A breath between slices, in which messages come in; a timer would wait for milliseconds. */
const breath = (() => {
  const { port1, port2 } = new MessageChannel();
  /** @type {(() => void)[]} */
  const waiting = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((done) => {
      waiting.push(() => done(undefined));
      port2.postMessage(null);
    });
})();

/** @param {any} request */
async function answer(request) {
  const ready = await /** @type {Promise<Engine>} */ (engine);
  const { verb, ...rest } = request;
  if (verb !== "run" && verb !== "more") return ready.ask(request);
  const { trace, ...settings } = rest;
  stopped = false;
  if (verb === "run") ready.ask({ verb: trace ? "trace" : "start", ...settings, ...trace });
  let told = 0;
  return inSlices(ready, async (progress) => {
    if (progress.over || performance.now() - told > 100) {
      told = performance.now();
      postMessage({ progress });
    }
    await breath();
    return !stopped;
  });
}

/** @param {any} reply @param {Transferable[]} found */
function buffers(reply, found) {
  for (const { columns } of reply?.tables?.values() ?? []) {
    for (const { values } of columns.values()) found.push(values.buffer);
  }
  return found;
}

onmessage = async ({ data }) => {
  if (data.code) {
    engine = Engine.make(data.code);
    return;
  }
  if (data.stop) {
    stopped = true;
    return;
  }
  try {
    const reply = await answer(data.request);
    postMessage({ number: data.number, reply }, { transfer: buffers(reply, []) });
  } catch (error) {
    const { name, message, mistakes } = /** @type {any} */ (error);
    postMessage({ number: data.number, error: { name, message, mistakes } });
  }
};
