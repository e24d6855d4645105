// The file of a recorded run: columns of numbers, compressed. tcphoton.traces.recording writes it.

import { through } from "../bytes.js";

/** @typedef {import("../tables.js").Table} Table */

const MAGIC = "tcphoton player 1\n";
/** The most bytes that a recording may take once it is decompressed. */
const MOST_BYTES = 1 << 30;
/** The most columns, and rows of a table, that are believed. */
const MOST_COLUMNS = 1_000;
const MOST_ROWS = 1 << 25;

/** Why a file is no recording. */
export class RecordingError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RecordingError";
  }
}

/**
 * Read a recording: what it is about, and its tables.
 * @param {Uint8Array<ArrayBuffer>} file
 * @returns {Promise<{about: any, tables: Map<string, Table>}>}
 */
export async function read(file) {
  const bytes = await decompressed(file);
  const text = (/** @type {number} */ from, /** @type {number} */ to) =>
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(from, to));
  const head = MAGIC.length + 4;
  if (bytes.length < head || !sameText(bytes, MAGIC)) {
    throw new RecordingError("not a recording of tcphoton, or of another version");
  }
  const length = new DataView(bytes.buffer, MAGIC.length).getUint32(0, true);
  let about;
  try {
    about = JSON.parse(text(head, head + length));
  } catch {
    throw new RecordingError("damaged: its head cannot be read");
  }
  let at = head + length;
  const take = (/** @type {number} */ count) => {
    if (at + count > bytes.length) throw new RecordingError("damaged: it ends too early");
    at += count;
    return bytes.subarray(at - count, at);
  };
  const tables = new Map();
  for (const { name, rows, columns } of described(about.tables)) {
    const made = new Map();
    for (const { name: column, unit, doc, levels, differences } of columns) {
      const plain = numbersOf(take(8 * rows), rows);
      const values = levels ? codes(plain, levels) : differences ? summed(plain) : plain;
      made.set(column, { name: column, unit, doc, levels, values });
    }
    tables.set(name, { name, columns: made });
  }
  if (at !== bytes.length) throw new RecordingError("damaged: it goes on after its end");
  return { about, tables };
}

/** @param {Uint8Array} bytes @param {string} text */
function sameText(bytes, text) {
  return [...text].every((sign, i) => bytes[i] === sign.charCodeAt(0));
}

/** @param {Uint8Array<ArrayBuffer>} file */
async function decompressed(file) {
  try {
    return await through(file, new DecompressionStream("gzip"), MOST_BYTES);
  } catch (error) {
    const much = error instanceof RangeError;
    throw new RecordingError(much ? `${error.message}: record fewer packets` : "damaged, or not a recording");
  }
}

/** What a head says of tables, checked. @param {any} tables */
function described(tables) {
  const count = (/** @type {any} */ value) => Number.isInteger(value) && value >= 0 && value <= MOST_ROWS;
  const text = (/** @type {any} */ value) => typeof value === "string";
  const levels = (/** @type {any} */ value) => value === null || (Array.isArray(value) && value.every(text));
  const column = (/** @type {any} */ one) =>
    text(one?.name) && text(one.unit) && text(one.doc) && levels(one.levels);
  const columns = (/** @type {any} */ value) =>
    Array.isArray(value) && value.length <= MOST_COLUMNS && value.every(column);
  const table = (/** @type {any} */ one) => text(one?.name) && count(one.rows) && columns(one.columns);
  if (!Array.isArray(tables) || !tables.every(table)) throw new RecordingError("damaged: its head has no tables");
  return tables;
}

/**
 * Numbers of which the first bytes stand first, then the second ones: so they compress well.
 * @param {Uint8Array} bytes @param {number} rows
 */
function numbersOf(bytes, rows) {
  const values = new Float64Array(rows);
  const into = new Uint8Array(values.buffer);
  for (let byte = 0; byte < 8; byte += 1) {
    for (let row = 0; row < rows; row += 1) into[8 * row + byte] = bytes[byte * rows + row];
  }
  return values;
}

/** Numbers from their differences; what is missing leaves no mark on what follows. @param {Float64Array} differences */
function summed(differences) {
  let last = 0;
  return differences.map((difference) => (Number.isNaN(difference) ? NaN : (last += difference)));
}

/** @param {Float64Array} values @param {string[]} levels */
function codes(values, levels) {
  if (!values.every((value) => Number.isInteger(value) && value >= 0 && value < levels.length)) {
    throw new RecordingError("damaged: a text that is not among its texts");
  }
  return Uint32Array.from(values);
}
