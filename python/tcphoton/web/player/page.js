// A page with one recording in it.

import { bytesOf } from "../bytes.js";
import { Film } from "./film.js";
import { Player } from "./player.js";
import { read } from "./recording.js";

/** Play the recording in an element. @param {HTMLElement} root @param {boolean} alone whether the page is for it alone */
async function show(root, alone) {
  try {
    const { about, tables } = await read(bytesOf(root.querySelector("script")?.textContent ?? ""));
    const plain = new URLSearchParams(location.search).has("plain");
    // A frame in a notebook has no address of its own.
    const address = alone && location.protocol !== "about:";
    const player = new Player(root, new Film(tables, about), { plain, address });
    if (root.dataset.plays === "yes" && !player.calm) player.toggle();
    const page = /** @type {any} */ (globalThis);
    page.tcphoton = { ...page.tcphoton, player };
  } catch (error) {
    root.setAttribute("role", "alert");
    root.textContent = `This recording cannot be shown: ${error instanceof Error ? error.message : error}`;
  }
}

for (const root of document.querySelectorAll(".recording")) {
  const element = /** @type {HTMLElement} */ (root);
  show(element, element.dataset.alone === "yes");
}
