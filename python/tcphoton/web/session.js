// What a page has of the engine: promises, and a worker that it can stop.

import { EngineError, ProgramError, ScenarioError } from "./engine.js";

/** @typedef {import("./slices.js").Progress} Progress */

/** How long a worker that is to stop may take to say so, in milliseconds. */
const PATIENCE = 1_000;

/** An engine in a worker. A worker that has ended, or does not stop, is replaced by another one. */
export class Session {
  /**
   * @param {string} script the worker's, as one text
   * @param {WebAssembly.Module} module
   */
  constructor(script, module) {
    this.place = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.module = module;
    /** Whether a worker has ever answered. */
    this.answered = false;
    /** @type {Error | null} why there is no worker */
    this.broken = null;
    this.number = 0;
    /** The last run that was asked for. @type {Promise<any>} */
    this.last = Promise.resolve();
    /** @type {Map<number, {done: (reply: any) => void, failed: (error: Error) => void}>} */
    this.waiting = new Map();
    /** @type {((progress: Progress) => void) | null} */
    this.progress = null;
    this.worker = this.#started();
  }

  /**
   * Ask for something, as of an Engine.
   * @param {{verb: string, [key: string]: unknown}} request
   * @returns {Promise<any>}
   */
  ask(request) {
    if (this.broken) return Promise.reject(this.broken);
    this.number += 1;
    const number = this.number;
    return new Promise((done, failed) => {
      this.waiting.set(number, { done, failed });
      this.worker.postMessage({ number, request });
    });
  }

  /**
   * Load a scenario and run it, when the runs before have ended: its results, with `trace` those of a recorded
   * run; null if it was stopped.
   * @param {object} scenario file, text, values and files, as for `load`
   * @param {{seed?: string, trace?: object}} [options] of `start`, or of `trace`
   * @param {(progress: Progress) => void} [progress]
   */
  run(scenario, options = {}, progress) {
    return this.#queued(() => this.#run(scenario, options, progress));
  }

  /** @param {object} scenario @param {object} options @param {((progress: Progress) => void) | undefined} progress @returns {Promise<any>} */
  async #run(scenario, options, progress) {
    this.progress = progress ?? null;
    await this.ask({ verb: "load", ...scenario });
    return this.ask({ verb: "run", ...options });
  }

  /**
   * The next window of the run that is watched, with `trace: {live: true}`, as `run` gave the first; null if it
   * was stopped.
   * @returns {Promise<any>}
   */
  more() {
    return this.#queued(() => {
      this.progress = null;
      return this.ask({ verb: "more" });
    });
  }

  /** Do something when the runs before have ended. @param {() => Promise<any>} work */
  #queued(work) {
    this.last = this.last.then(work, work);
    return this.last;
  }

  /** Stop what runs; what is loaded is lost if it does not stop by itself. */
  stop() {
    const { worker } = this;
    const asked = [...this.waiting.keys()];
    worker.postMessage({ stop: true });
    setTimeout(() => {
      if (worker === this.worker && asked.some((number) => this.waiting.has(number))) this.#replace(null);
    }, PATIENCE);
  }

  /** A worker that is given the module. */
  #started() {
    const worker = new Worker(this.place);
    worker.onmessage = ({ data }) => this.#heard(data);
    worker.onerror = ({ message }) => this.#failed(new EngineError(message || "the browser starts no worker"));
    worker.postMessage({ code: this.module });
    return worker;
  }

  /** @param {any} data */
  #heard({ number, progress, reply, error }) {
    this.answered = true;
    if (progress) {
      this.progress?.(progress);
      return;
    }
    const waiting = this.waiting.get(number);
    this.waiting.delete(number);
    if (!error) {
      waiting?.done(reply);
      return;
    }
    waiting?.failed(restored(error));
    if (error.name === "EngineError") this.#replace(restored(error));
  }

  /**
   * Another worker in its place; all that wait for this one are told why, or that it was stopped.
   * @param {Error | null} error
   */
  #replace(error) {
    this.worker.terminate();
    this.#tell(error);
    this.worker = this.#started();
  }

  /** A worker that has never answered would not do so another time. @param {Error} error */
  #failed(error) {
    if (this.answered) {
      this.#replace(error);
      return;
    }
    this.broken = error;
    this.#tell(error);
  }

  /** @param {Error | null} error */
  #tell(error) {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { done, failed } of waiting) {
      if (error) failed(error);
      else done(null);
    }
  }
}

/** @param {{name: string, message: string, mistakes?: any[]}} error as it came out of the worker */
function restored({ name, message, mistakes }) {
  if (name === "ScenarioError") return new ScenarioError(mistakes ?? []);
  if (name === "ProgramError") return new ProgramError(message);
  return name === "EngineError" ? new EngineError(message) : new TypeError(message);
}
