// The player in a notebook: what anywidget asks a module for.

import { Film } from "./film.js";
import { Player } from "./player.js";
import { read } from "./recording.js";

/**
 * Show the recording of a model in an element.
 * @param {{model: {get: (name: string) => DataView}, el: HTMLElement}} place
 */
export async function render({ model, el }) {
  const { buffer, byteOffset, byteLength } = model.get("recording");
  const bytes = new Uint8Array(buffer, byteOffset, byteLength).slice();
  try {
    const { about, tables } = await read(bytes);
    new Player(el, new Film(tables, about));
  } catch (error) {
    el.textContent = `This recording cannot be shown: ${error instanceof Error ? error.message : error}`;
  }
}
