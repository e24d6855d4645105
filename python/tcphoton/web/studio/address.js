// A scenario in the fragment of an address, and back.

import { bytesOf, through } from "../bytes.js";

/** The most characters of a scenario that an address may bring. */
const MOST = 2_000_000;

/** What is kept in an address: a scenario, and values that replace some of its own. @typedef {{text: string, values: [string, string][], seed?: string}} Kept */

/** @param {Kept} kept @returns {Promise<string>} */
export async function written(kept) {
  const plain = new TextEncoder().encode(JSON.stringify(kept));
  const bytes = await through(plain, new CompressionStream("deflate-raw"), MOST);
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `s=${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** @param {string} fragment without its sign @returns {Promise<Kept | null>} nothing where it has no scenario that can be read */
export async function readAddress(fragment) {
  const packed = /^s=([\w-]+)$/.exec(fragment)?.[1];
  if (!packed) return null;
  try {
    const bytes = bytesOf(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const kept = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), MOST)));
    const pair = (/** @type {any} */ each) => Array.isArray(each) && each.length === 2 && each.every((one) => typeof one === "string");
    if (typeof kept?.text !== "string" || !Array.isArray(kept.values) || !kept.values.every(pair)) return null;
    return { text: kept.text, values: kept.values, seed: typeof kept.seed === "string" ? kept.seed : undefined };
  } catch {
    return null;
  }
}
