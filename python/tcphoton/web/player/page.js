// A page with one recording in it.

import { Film } from "./film.js";
import { Player } from "./player.js";
import { read } from "./recording.js";

/** @param {string} text */
function bytesOf(text) {
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}

async function start() {
  const root = /** @type {HTMLElement} */ (document.getElementById("player"));
  try {
    const data = /** @type {HTMLElement} */ (document.getElementById("recording")).textContent ?? "";
    const { about, tables } = await read(bytesOf(data.trim()));
    const plain = new URLSearchParams(location.search).has("plain");
    const player = new Player(root, new Film(tables, about), { plain, address: true });
    Object.assign(globalThis, { tcphoton: { player } });
  } catch (error) {
    root.setAttribute("role", "alert");
    root.textContent = `This recording cannot be shown: ${error instanceof Error ? error.message : error}`;
  }
}

start();
