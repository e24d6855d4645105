// A run in slices, between which its caller can say how far it is and stop it.

/** @typedef {import("./engine.js").Engine} Engine */

/** @typedef {{now: number, end: number, events: number, over: boolean}} Progress times in seconds */

/** Events of the first slice; later ones follow the measured speed. */
const FIRST_SLICE = 10_000;
/** How long a slice should take, in milliseconds. */
const SLICE = 50;

/**
 * The slice that should take {@link SLICE}, at most four times as long or short as the last.
 * @param {number} last @param {number} took milliseconds
 */
export function nextSlice(last, took) {
  if (took > 2 * SLICE) return Math.max(1, Math.floor(last / 4));
  if (took > SLICE) return Math.max(1, Math.floor(last / 2));
  return took < SLICE / 2 ? Math.min(2 * last, Number.MAX_SAFE_INTEGER) : last;
}

/**
 * Continue a run that is set up until it is over, and return its results; null if it was stopped.
 * @param {Engine} engine
 * @param {(progress: Progress) => Promise<boolean> | boolean} between whether it may go on
 */
export async function inSlices(engine, between) {
  let slice = FIRST_SLICE;
  for (;;) {
    const before = performance.now();
    /** @type {Progress} */
    const progress = engine.ask({ verb: "advance", events: slice });
    slice = nextSlice(slice, performance.now() - before);
    const goOn = await between(progress);
    if (progress.over) return engine.ask({ verb: "report" });
    if (!goOn) return null;
  }
}
