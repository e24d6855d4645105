"use strict";
// What is asked of the runs of a study, and the answer in numbers: no element of the page is touched.
(() => {
  const { statistic, differences, steps } = globalThis.tcphoton;
  const KINDS = { i1: Int8Array, i2: Int16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };
  const NOTHING = { i1: -(2 ** 7), i2: -(2 ** 15), i4: -(2 ** 31) };
  const DISTRIBUTIONS = ["cdf", "completions"];
  /** Maximum points without a value whose place is told. */
  const LACKING = 3;

  /** The numbers of a packed column; NaN where there is none. */
  function unpacked(packed, count) {
    if (packed.type === "same") return new Float64Array(count).fill(packed.value ?? NaN);
    const bytes = Uint8Array.from(atob(packed.data), (sign) => sign.charCodeAt(0));
    const found = Float64Array.from(new KINDS[packed.type](bytes.buffer));
    const nothing = NOTHING[packed.type];
    if (nothing !== undefined) {
      for (let at = 0; at < found.length; at += 1) if (found[at] === nothing) found[at] = NaN;
    }
    return found;
  }

  /** A study whose columns are unpacked when they are named. */
  class Study {
    constructor(data) {
      Object.assign(this, data);
      this.columns = new Map();
      this.byName = new Map(data.measures.map((measure) => [measure.name, measure]));
      this.axis = new Map(data.axes.map((axis) => [axis.key, axis]));
      this.told = new Map();
      for (const entry of data.caveats.runs) {
        const { rows, value, other } = Object.fromEntries(
          ["rows", "value", "other"].map((name) => [name, unpacked(entry[name], entry.count)]),
        );
        rows.forEach((row, at) => {
          if (!this.told.has(row)) this.told.set(row, []);
          this.told.get(row).push({ kind: entry.kind, measures: entry.measures, value: value[at], other: other[at] });
        });
      }
    }

    column(name, packed) {
      if (!this.columns.has(name)) this.columns.set(name, unpacked(packed, this.rows));
      return this.columns.get(name);
    }

    values(name) {
      const measure = this.byName.get(name);
      return measure && this.column(measure.like ?? name, this.byName.get(measure.like ?? name).column);
    }

    at(key) {
      return this.column(`axis ${key}`, this.axis.get(key).column);
    }

    get seeds() {
      return this.column("seed of a run", this.seed);
    }

    /** The axes that vary together with some keys. */
    beside(keys) {
      const groups = this.together.filter((group) => group.some((key) => keys.includes(key)));
      return this.axes.map((axis) => axis.key).filter((key) => !keys.includes(key) && groups.some((group) => group.includes(key)));
    }

    /** What is sliced: each further axis, those that vary together as one, with all of their values. */
    slices(asked) {
      const taken = used(asked);
      const free = [...taken, ...this.beside(taken)];
      const found = [];
      for (const axis of this.axes) {
        if (free.includes(axis.key) || found.some((each) => each.keys.includes(axis.key))) continue;
        const keys = [axis.key, ...this.beside([axis.key])];
        found.push({ keys, values: this.levels(keys) });
      }
      return found;
    }

    levels(keys) {
      const name = JSON.stringify(keys);
      if (!this.columns.has(name)) {
        const columns = keys.map((key) => this.at(key));
        const seen = new Map();
        for (let row = 0; row < this.rows; row += 1) {
          const level = columns.map((column) => column[row]);
          if (!seen.has(level.join())) seen.set(level.join(), level);
        }
        const found = [...seen.values()];
        if (keys.length === 1) found.sort(([a], [b]) => a - b);
        this.columns.set(name, found);
      }
      return this.columns.get(name);
    }
  }

  const isDistribution = (asked) => DISTRIBUTIONS.includes(asked.statistic);

  /** The axes that a question uses in its figure. */
  const used = (asked) =>
    [isDistribution(asked) ? "" : asked.x, asked.by, asked.facet].filter((key) => key);

  /** A question as words for an address. */
  function written(asked) {
    const words = new URLSearchParams();
    for (const name of asked.y) words.append("y", name);
    for (const name of ["x", "by", "facet", "baseline", "log"]) if (asked[name]) words.append(name, asked[name]);
    for (const [key, text] of Object.entries(asked.where)) words.append("where", `${key}=${text}`);
    if (asked.statistic !== "mean") words.append("statistic", asked.statistic);
    return words.toString();
  }

  /** A question that a study can answer, from words or from a question that lacks something. */
  function mended(study, asked) {
    const keys = study.axes.map((axis) => axis.key);
    const known = (key, ...taken) => (keys.includes(key) && !taken.includes(key) ? key : "");
    const found = { ...asked, where: {} };
    found.y = [...new Set(asked.y)].filter((name) => study.byName.has(name));
    if (!found.y.length) found.y = [...study.first.y];
    found.x = known(asked.x) || study.first.x || keys[0] || "";
    if (asked.statistic === "completions" && !study.flows) found.statistic = "mean";
    else if (!isDistribution(asked) && !statistic(asked.statistic, [])) found.statistic = "mean";
    const across = isDistribution(found) ? "" : found.x;
    found.by = known(asked.by, across);
    found.facet = known(asked.facet, across, found.by);
    const texts = found.by ? study.axis.get(found.by).values.map((value) => value.text) : [];
    found.baseline = texts.includes(asked.baseline) && !isDistribution(found) ? asked.baseline : "";
    found.log = ["x", "y"].filter((axis) => asked.log.includes(axis)).join("");
    for (const { keys: sliced, values } of study.slices(found)) {
      const text = (level) => sliced.map((key, at) => study.axis.get(key).values[level[at]].text);
      const wanted = values.find((level) => text(level).every((each, at) => each === asked.where[sliced[at]]));
      text(wanted ?? values[0]).forEach((each, at) => { found.where[sliced[at]] = each; });
    }
    return found;
  }

  /** A question from the words of an address. */
  function read(study, words) {
    const given = new URLSearchParams(words);
    const where = {};
    for (const each of given.getAll("where")) {
      const at = each.indexOf("=");
      where[each.slice(0, at)] = each.slice(at + 1);
    }
    const asked = { y: given.getAll("y"), where, statistic: given.get("statistic") ?? "mean" };
    for (const name of ["x", "by", "facet", "baseline", "log"]) asked[name] = given.get(name) ?? "";
    return mended(study, asked);
  }

  /** The rows of every point that a question is about, with the places of its axes. */
  function points(study, asked) {
    const keys = [...used(asked), ...study.beside(used(asked))];
    const columns = keys.map((key) => study.at(key));
    const fixed = Object.entries(asked.where).map(([key, text]) => [
      study.at(key),
      study.axis.get(key).values.findIndex((value) => value.text === text),
    ]);
    const found = new Map();
    for (let row = 0; row < study.rows; row += 1) {
      if (!fixed.every(([column, at]) => column[row] === at)) continue;
      let name = "";
      for (const column of columns) name += `${column[row]} `;
      if (!found.has(name)) found.set(name, { at: new Map(keys.map((key, i) => [key, columns[i][row]])), rows: [] });
      found.get(name).rows.push(row);
    }
    return { keys, found: [...found.values()] };
  }

  const ALL = (values) => values.every((value) => Object.is(value, values[0]));

  /** The caveats of the runs of a point that concern a measure: see tcphoton.analysis.points. */
  function ofRuns(study, rows, measure, values) {
    const found = [];
    for (const row of rows) {
      for (const each of study.told.get(row) ?? []) if (each.measures.includes(measure)) found.push(each);
    }
    const short = found.filter((each) => each.kind === "transient");
    const kept = short.length <= rows.length / 2 ? found.filter((each) => each.kind !== "transient") : found;
    const missing = rows.filter((row) => Number.isNaN(values[row])).length;
    if (missing > 0 && missing < rows.length) kept.push({ kind: "missing", value: missing, other: rows.length });
    const factor = apart(study, rows, measure);
    if (factor >= study.caveats.apart) kept.push({ kind: "mixed", value: factor });
    return kept;
  }

  /** The factor between the entries of traffic over all of which a measure is; at least 1. */
  function apart(study, rows, measure) {
    const means = [];
    for (let entry = 0; study.caveats.ofAll.includes(measure); entry += 1) {
      const column = study.values(`traffic.${entry}.${measure}`);
      if (!column) break;
      const known = rows.map((row) => column[row]).filter((value) => !Number.isNaN(value));
      const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
      if (mean > 0) means.push(mean);
    }
    return means.length ? Math.max(...means) / Math.min(...means) : 1;
  }

  /** The caveats of an interval over the runs of a point. */
  function ofInterval(study, rows, measure, interval, bounded) {
    if (!interval.n) return [];
    const { few, slack, alike, quantile } = study.caveats;
    const found = [];
    const columns = [measure, ...alike].map((name) => study.values(name)).filter((column) => column);
    const same = study.byName.has(alike[0]) && columns.every((column) => ALL(rows.map((row) => column[row])));
    if (interval.n > 1 && same) {
      found.push({ kind: "same-runs", value: interval.n });
    } else {
      const isEnough = Number.isFinite(interval.low) && Number.isFinite(interval.high);
      if (!isEnough) found.push({ kind: "no-interval", value: interval.n });
      else if (interval.n < few) found.push({ kind: "few-seeds", value: interval.n });
      const isEqual = interval.n > 1 && interval.value !== 0 && interval.high === interval.low;
      if (isEqual && new RegExp(quantile).test(measure)) found.push({ kind: "same-bin", value: interval.n, measure });
    }
    if (bounded) {
      const limits = study.values(`${measure}-bound`);
      let most = Infinity;
      if (study.byName.get(measure).share) most = 1;
      else if (limits) {
        const known = rows.map((row) => limits[row]).filter((value) => !Number.isNaN(value));
        if (known.length) most = Math.max(...known);
      }
      if (Number.isFinite(interval.high) && interval.high > most * (1 + slack)) found.push({ kind: "beyond-bound", value: most, measure });
    }
    return found;
  }

  /** Says of which lines and names no point can be shown. */
  function absent(study, asked, found, shown) {
    const axes = [...new Set([asked.by, asked.x])].filter((key) => key && !(key === asked.x && study.axis.get(key).number));
    const names = axes.flatMap((key) => {
      const seen = new Set(shown.map((point) => point.at.get(key)));
      const gone = new Set(found.map((point) => point.at.get(key)).filter((at) => !seen.has(at)));
      return [...gone].map((at) => study.axis.get(key).values[at].text);
    });
    return names.length ? `all of ${names.join(", ")}` : "";
  }

  /** At which points no run has a value, if they are few. */
  function lacking(study, asked, points) {
    if (points.length > LACKING || asked.baseline) return "";
    const keys = [...new Set([asked.by, asked.x, asked.facet])].filter(Boolean);
    const named = (point) => keys.map((key) => `${study.axis.get(key).short} = ${study.axis.get(key).values[point.at.get(key)].text}`);
    return `at ${points.map((point) => named(point).join(", ")).join("; ")}`;
  }

  /** The points of a measure, each with its interval and caveats, and remarks on those left out. */
  function measured(study, asked, measure, groups) {
    const values = study.values(measure);
    const of = statistic(asked.statistic, study.t);
    const known = (rows) => rows.map((row) => values[row]).filter((value) => !Number.isNaN(value));
    const seeded = (rows) => new Map(rows.filter((row) => !Number.isNaN(values[row])).map((row) => [study.seeds[row], values[row]]));
    const beyond = (point) => groups.keys.filter((key) => key !== asked.by).map((key) => point.at.get(key)).join();
    let bases;
    const base = asked.baseline && study.axis.get(asked.by).values.findIndex((value) => value.text === asked.baseline);
    if (asked.baseline) {
      bases = new Map(groups.found.filter((point) => point.at.get(asked.by) === base).map((point) => [beyond(point), point]));
    }
    const found = [];
    const without = [];
    for (const point of groups.found) {
      let interval;
      let caveats;
      if (asked.baseline) {
        const beside = bases.get(beyond(point));
        if (point.at.get(asked.by) === base || !beside) continue;
        interval = of(differences(seeded(point.rows), seeded(beside.rows)));
        if (!interval.n) continue;
        caveats = [
          ...ofRuns(study, point.rows, measure, values),
          ...ofRuns(study, beside.rows, measure, values),
          ...ofInterval(study, point.rows, measure, interval, false),
        ];
      } else {
        interval = of(known(point.rows));
        caveats = [...ofRuns(study, point.rows, measure, values), ...ofInterval(study, point.rows, measure, interval, true)];
        if (Number.isNaN(interval.value)) {
          without.push(point);
          continue;
        }
      }
      found.push({ at: point.at, ...interval, caveats });
    }
    const across = study.axis.get(asked.x);
    const isBelow = (point) =>
      (asked.log.includes("y") && point.value <= 0) ||
      (asked.log.includes("x") && across.number && across.values[point.at.get(asked.x)].number <= 0);
    const shown = found.filter((point) => !isBelow(point));
    const below = found.length - shown.length;
    const other = found.length + without.length;
    return {
      points: shown,
      remarks: [
        ...(without.length ? [{ kind: "no-value", value: without.length, other, measure, about: lacking(study, asked, without) }] : []),
        ...(below ? [{ kind: "not-above-0", value: below, other, about: absent(study, asked, found, shown) }] : []),
      ],
    };
  }

  /** The steps of the distributions that a question is about. */
  function distributions(study, asked, measure, groups) {
    if (asked.statistic === "completions") {
      const found = [];
      for (const curve of study.flows.curves) {
        const texts = study.axes.map((axis, at) => [axis.key, curve.at[at]]);
        const fits = texts.every(([key, at]) => asked.where[key] === undefined || study.axis.get(key).values[at].text === asked.where[key]);
        if (!fits) continue;
        const at = unpacked(curve.x, curve.count);
        const share = unpacked(curve.share, curve.count);
        found.push({ at: new Map(texts), steps: [...at].map((value, i) => ({ at: value, share: share[i] })) });
      }
      return found;
    }
    const values = study.values(measure);
    return groups.found.map((point) => ({
      at: point.at,
      steps: steps(point.rows.map((row) => values[row]).filter((value) => !Number.isNaN(value))),
    }));
  }

  /** The answer to a question: for each measure its points, or its distributions. */
  function answered(study, asked) {
    const groups = points(study, asked);
    const names = asked.statistic === "completions" ? ["completion"] : asked.y;
    return names.map((measure) =>
      isDistribution(asked)
        ? { measure, curves: distributions(study, asked, measure, groups), remarks: asked.statistic === "completions" ? study.flows.remarks : [] }
        : { measure, ...measured(study, asked, measure, groups) },
    );
  }

  Object.assign(globalThis.tcphoton, { Study, unpacked, isDistribution, used, written, read, mended, answered });
})();
