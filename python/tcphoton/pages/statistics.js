"use strict";
// Statistics of a page, as in tcphoton.analysis: statistics, quantiles, differences, distributions.
(() => {
  /** The sum of numbers, with the rounding errors added at the end (A. Neumaier, 1974). */
  function sum(values) {
    let total = 0;
    let lost = 0;
    for (const value of values) {
      const next = total + value;
      lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
      total = next;
    }
    return total + lost;
  }

  const ROUNDING = 1e-12;

  /**
   * The mean of independent values with Student's interval.
   * @param {number[]} values
   * @param {number[]} t the quantiles of Student's t for 1, 2, … degrees of freedom
   */
  function mean(values, t) {
    const n = values.length;
    if (n === 0) return { value: NaN, low: -Infinity, high: Infinity, n };
    const value = sum(values) / n;
    if (n === 1) return { value, low: -Infinity, high: Infinity, n };
    const deviation = Math.sqrt(sum(values.map((each) => (each - value) ** 2)) / (n - 1));
    let half = (t[n - 2] * deviation) / Math.sqrt(n);
    if (half <= ROUNDING * Math.max(...values.map(Math.abs))) half = 0;
    return { value, low: value - half, high: value + half, n };
  }

  /** The ranks between which a quantile of n values lies with a probability of 95 %. */
  function ranks(n, p) {
    const outside = 0.025;
    let log = n * Math.log1p(-p);
    let below = 0;
    let low = -1;
    for (let k = 0; k <= n; k += 1) {
      below += Math.exp(log);
      if (low < 0 && below >= outside) low = k;
      if (1 - below <= outside) return [low, k];
      log += Math.log((n - k) / (k + 1)) + Math.log(p / (1 - p));
    }
    return [low, n];
  }

  /** A quantile of independent values, with an interval from their order. */
  function quantile(values, p) {
    const n = values.length;
    if (n === 0) return { value: NaN, low: -Infinity, high: Infinity, n };
    const sorted = Float64Array.from(values).sort();
    const at = p * (n - 1);
    const below = Math.floor(at);
    const above = Math.min(below + 1, n - 1);
    const value = sorted[below] + (at - below) * (sorted[above] - sorted[below]);
    const [low, high] = ranks(n, p);
    return {
      value,
      low: low > 0 ? sorted[low - 1] : -Infinity,
      high: high < n ? sorted[high] : Infinity,
      n,
    };
  }

  const PERCENTILE = /^p(\d{1,2}(?:\.\d+)?)$/;

  /** What computes a statistic by its name; undefined for an unknown one. */
  function statistic(name, t) {
    if (name === "mean") return (values) => mean(values, t);
    const found = PERCENTILE.exec(name === "median" ? "p50" : name);
    return found && Number(found[1]) > 0
      ? (values) => quantile(values, Number(found[1]) / 100)
      : undefined;
  }

  /** The differences of values at the same seed; both are maps from seeds to values. */
  function differences(first, second) {
    const found = [];
    for (const [seed, value] of first) if (second.has(seed)) found.push(value - second.get(seed));
    return found;
  }

  const STEPS = 200;

  /** The values at which the distribution of some values rises, with the share up to there. */
  function steps(values, most = STEPS) {
    const sorted = Float64Array.from(values).sort();
    const found = [];
    sorted.forEach((value, at) => {
      if (value !== sorted[at + 1]) found.push({ at: value, share: (at + 1) / sorted.length });
    });
    if (found.length > most) {
      // Half of them even in their number, the others even in the values.
      const half = Math.floor(most / 2);
      const kept = new Set(Array.from({ length: half }, (_, each) => Math.floor((each * (found.length - 1)) / (half - 1))));
      const [first, last] = [found[0].at, found.at(-1).at];
      for (let each = 0; each < most - half; each += 1) {
        const value = each === most - half - 1 ? last : first + ((last - first) * each) / (most - half - 1);
        kept.add(found.findIndex((step) => step.at >= value));
      }
      return [...kept].sort((one, other) => one - other).map((index) => found[index]);
    }
    return found;
  }

  globalThis.tcphoton = Object.assign(globalThis.tcphoton ?? {}, { sum, mean, quantile, statistic, differences, steps });
})();
