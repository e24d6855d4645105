// Controls for some keys of a scenario: a range for a number, a choice for a word.

/** @typedef {{key: string, value: any, origin: string}} Parameter */

/** A control of a key: its values as they stand in TOML, and which is the present one. @typedef {{key: string, values: string[], at: number}} Control */

/** Keys that readers most want to turn, by the end of their names. */
const WANTED = [
  /assembly\.(size|timeout|policy)$/,
  /\.load$/,
  /source\.(rate|per-second|probability)$/,
  /core\.(kind|ports|buffer|policy|scheduler|anycast)/,
  /\.channels$/,
  /queue\.packets$/,
  /bottleneck\.(rate|delay)$/,
  /link\.(rate|delay|loss\.p)$/,
  /transport\.preset$/,
  /\.delay$/,
];
const MOST = 6;
/** Steps of a range on each side of the present value, and what each multiplies it by. */
const STEPS = 10;
const FACTOR = 10 ** (1 / STEPS);

/** A number to three digits, without a power. @param {number} value */
function short(value) {
  return `${Number(value.toPrecision(3))}`;
}

/** The values around a number, a tenth to ten times of it. @param {number} value @param {boolean} whole @param {(text: string) => string} written */
function around(value, whole, written) {
  const all = new Set();
  for (let step = -STEPS; step <= STEPS; step += 1) {
    const scaled = value * FACTOR ** step;
    const text = step === 0 ? `${value}` : whole ? `${Math.max(1, Math.round(scaled))}` : short(scaled);
    all.add(written(text));
  }
  return [...all];
}

/** The control of a parameter; none for what is neither a number nor a word. @param {Parameter} parameter @param {(key: string) => string[]} choices the words that a key accepts @returns {Control | null} */
export function controlOf({ key, value }, choices) {
  const words = choices(key);
  if (typeof value === "string" && words.includes(JSON.stringify(value))) {
    return { key, values: words, at: words.indexOf(JSON.stringify(value)) };
  }
  const quantity = typeof value === "string" ? /^([\d.]+) ([A-Za-z/]+)$/.exec(value) : null;
  /** @type {string[]} */
  let values = [];
  if (quantity) values = around(Number(quantity[1]), false, (text) => `"${text} ${quantity[2]}"`);
  else if (typeof value === "number" && value > 0) values = around(value, Number.isInteger(value), (text) => text);
  if (values.length === 0) return null;
  const present = quantity ? `"${Number(quantity[1])} ${quantity[2]}"` : `${value}`;
  return { key, values, at: values.indexOf(present) };
}

/** The keys that get controls at first: those that the author gave and that most want to turn. @param {Parameter[]} parameters */
export function firstKeys(parameters) {
  const given = parameters.filter(({ origin, value }) => origin === "given" && value !== null);
  const rank = (/** @type {Parameter} */ { key }) => WANTED.findIndex((each) => each.test(key));
  return given
    .filter((each) => rank(each) >= 0)
    .sort((a, b) => rank(a) - rank(b))
    .map(({ key }) => key)
    .slice(0, MOST);
}
