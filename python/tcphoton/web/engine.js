// The engine in WebAssembly: requests and replies as values, tables as typed arrays.

import { bytesOf, through } from "./bytes.js";

/**
 * An error of a scenario, or of what was asked of it, as `tcphoton check` prints it.
 * @typedef {{file: string, line: number | null, key: string, problem: string, found: string,
 *   accepted: string, warning: boolean, text: string}} Mistake
 */

/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./tables.js").Column} Column */

/**
 * A column in the module's memory: the kind of its numbers, where they are, and how many.
 * @typedef {Omit<Column, "values"> & {kind: "u64" | "f64" | "u32", at: number, len: number}} Stored
 */

/** What a scenario's author can correct. */
export class ScenarioError extends Error {
  /** @param {Mistake[]} mistakes */
  constructor(mistakes) {
    super(mistakes.map((mistake) => mistake.text).join("\n"));
    this.name = "ScenarioError";
    this.mistakes = mistakes;
  }
}

/** A program of the scenario's own that cannot go on. */
export class ProgramError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "ProgramError";
  }
}

/** The end of an engine: a bug of ours, or no memory. It answers nothing any more. */
export class EngineError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "EngineError";
  }
}

/** The most bytes that the module of the engine may have. */
const MOST_CODE = 1 << 26;

/** The module of the engine from what a page has of it: compressed, in base64. @param {string} packed */
export async function compiled(packed) {
  const code = await through(bytesOf(packed), new DecompressionStream("gzip"), MOST_CODE);
  return WebAssembly.compile(code);
}

/** An engine: one scenario, and one run of it at a time. */
export class Engine {
  /** @param {WebAssembly.Instance} instance */
  constructor(instance) {
    this.verbs = /** @type {any} */ (instance.exports);
    /** Why it has ended; empty while it lives. */
    this.ended = "";
  }

  /**
   * Make an engine of the module's bytes, or of the compiled module.
   * @param {BufferSource | WebAssembly.Module} code
   */
  static async make(code) {
    const module = code instanceof WebAssembly.Module ? code : await WebAssembly.compile(code);
    return new Engine(await WebAssembly.instantiate(module, {}));
  }

  /**
   * Ask for something: `{verb: "load", file, text}` and the others of crates/web/src/request.rs.
   * @param {{verb: string, [key: string]: unknown}} request
   * @returns {any}
   */
  ask(request) {
    if (this.ended) throw new EngineError(this.ended);
    const text = new TextEncoder().encode(JSON.stringify(request));
    let reply;
    try {
      const at = this.verbs.tcphoton_input(text.length) >>> 0;
      new Uint8Array(this.memory, at, text.length).set(text);
      const bytes = this.verbs.tcphoton_call() >>> 0;
      reply = JSON.parse(this.#text(this.verbs.tcphoton_reply(), bytes));
    } catch (error) {
      this.ended = this.#lastWords(error);
      throw new EngineError(this.ended);
    }
    if (reply.mistakes) throw new ScenarioError(reply.mistakes);
    if (reply.failure) throw new ProgramError(reply.failure);
    if (reply.misuse) throw new TypeError(reply.misuse);
    if (Array.isArray(reply.tables)) reply.tables = this.#tables(reply.tables);
    return reply;
  }

  /** The memory of the module, which moves when it grows. */
  get memory() {
    return /** @type {ArrayBuffer} */ (this.verbs.memory.buffer);
  }

  /** @param {number} at @param {number} bytes */
  #text(at, bytes) {
    return new TextDecoder().decode(new Uint8Array(this.memory, at >>> 0, bytes));
  }

  /** @param {unknown} error */
  #lastWords(error) {
    const bytes = this.verbs.tcphoton_last_words();
    if (bytes > 0) return this.#text(this.verbs.tcphoton_last_words_at(), bytes);
    return `the engine has ended: ${error instanceof Error ? error.message : error}`;
  }

  /**
   * The tables of a reply by their names, copied out of the module.
   * @param {{name: string, columns: Stored[]}[]} tables
   * @returns {Map<string, Table>}
   */
  #tables(tables) {
    const kinds = { u64: BigUint64Array, f64: Float64Array, u32: Uint32Array };
    /** @param {Stored} stored @returns {[string, Column]} */
    const column = ({ kind, at, len, ...rest }) => {
      const Kind = kinds[kind];
      // An empty column has no place of its own.
      const values = len > 0 ? new Kind(this.memory, at >>> 0, len).slice() : new Kind(0);
      return [rest.name, { ...rest, values }];
    };
    return new Map(
      tables.map(({ name, columns }) => [name, { name, columns: new Map(columns.map(column)) }]),
    );
  }
}
