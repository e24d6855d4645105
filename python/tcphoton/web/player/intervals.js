// Intervals of time, and which of them hold at an instant.

/** Intervals of one block: their common bounds are looked at first. */
const BLOCK = 128;

/** Half-open intervals [begin, finish) with the numbers of the rows that they are of. */
export class Intervals {
  /**
   * @param {ArrayLike<number>} begin
   * @param {ArrayLike<number>} finish
   * @param {ArrayLike<number>} rows
   */
  constructor(begin, finish, rows) {
    const order = Uint32Array.from(rows, (_, at) => at);
    let sorted = true;
    for (let i = 1; i < order.length && sorted; i += 1) sorted = begin[i] >= begin[i - 1];
    if (!sorted) order.sort((a, b) => begin[a] - begin[b] || a - b);
    this.begin = Float64Array.from(order, (at) => begin[at]);
    this.finish = Float64Array.from(order, (at) => finish[at]);
    this.rows = Uint32Array.from(order, (at) => rows[at]);
    this.latest = new Float64Array(Math.ceil(order.length / BLOCK));
    for (let i = 0; i < order.length; i += 1) {
      const block = Math.floor(i / BLOCK);
      this.latest[block] = Math.max(this.latest[block], this.finish[i]);
    }
  }

  get length() {
    return this.rows.length;
  }

  /**
   * Visit the rows whose interval holds at an instant, in the order of their beginning.
   * @param {number} time @param {(row: number) => void} visit
   */
  at(time, visit) {
    this.between(time, time, visit);
  }

  /**
   * Visit the rows whose interval meets [from, to], in the order of their beginning.
   * @param {number} from @param {number} to @param {(row: number) => void} visit
   */
  between(from, to, visit) {
    const { begin, finish, rows, latest } = this;
    for (let block = 0; block < latest.length; block += 1) {
      const first = block * BLOCK;
      if (begin[first] > to) return;
      if (latest[block] <= from) continue;
      const last = Math.min(first + BLOCK, rows.length);
      for (let i = first; i < last && begin[i] <= to; i += 1) {
        if (finish[i] > from) visit(rows[i]);
      }
    }
  }
}

/** Intervals while they are gathered. */
export class Gathered {
  constructor() {
    /** @type {number[]} */
    this.begin = [];
    /** @type {number[]} */
    this.finish = [];
    /** @type {number[]} */
    this.rows = [];
  }

  /** Add an interval, unless it is empty. @param {number} begin @param {number} finish @param {number} row */
  add(begin, finish, row) {
    if (!(finish > begin)) return;
    this.begin.push(begin);
    this.finish.push(finish);
    this.rows.push(row);
  }

  done() {
    return new Intervals(this.begin, this.finish, this.rows);
  }
}
