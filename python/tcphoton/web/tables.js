// Tables of a run, column by column.

/**
 * A column of a table: whole numbers, numbers (NaN means none), or texts by their place in `levels`.
 * @typedef {{name: string, unit: string, doc: string,
 *   values: BigUint64Array | Float64Array | Uint32Array, levels: string[] | null}} Column
 */

/** @typedef {{name: string, columns: Map<string, Column>}} Table */

/** What a whole number that is missing is in a table. */
const NONE = 2n ** 64n - 1n;

/**
 * The values of a column as numbers, NaN where there is none. A whole number above 2^53 is rounded.
 * @param {Column} column
 */
export function numbers({ values }) {
  if (values instanceof Float64Array) return values;
  return Float64Array.from(values, (/** @type {any} */ value) =>
    value === NONE ? NaN : Number(value),
  );
}

/**
 * The values of a column of texts.
 * @param {Column} column
 */
export function texts({ values, levels }) {
  return Array.from(values, (/** @type {any} */ value) => (levels ?? [])[Number(value)]);
}
