"use strict";
// From an answer to the description of a figure in Vega-Lite, in the style of all figures.
(() => {
  const { isDistribution } = globalThis.tcphoton;
  const LARGE = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
  const SMALL = [[1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"], [1e-15, "f"]];
  const GROUPS = 8;
  const MARKS = 400; // from which a figure is drawn on a canvas
  const NAMES = 24;

  /** A factor and a prefixed unit in which a number is easy to read. */
  function prefixed(most, unit) {
    const known = ["b/s", "B"].includes(unit) ? LARGE : ["s", "J", "J/b"].includes(unit) ? SMALL : undefined;
    if (!known || !Number.isFinite(most) || most === 0) return [1, unit];
    const rounded = Math.abs(Number(most.toPrecision(4)));
    const [factor, prefix] = known.find(([each]) => rounded >= each) ?? known.at(-1);
    return [factor, `${prefix}${unit}`];
  }

  /** A number with its unit, to four digits. */
  function quantity(value, unit = "") {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    if (["b/s", "B", "s", "J", "J/b"].includes(unit)) {
      const [factor, name] = prefixed(value, unit);
      const scaled = value / factor;
      return `${Math.abs(scaled) < 1e4 ? Number(scaled.toPrecision(4)) : Math.round(scaled)} ${name}`;
    }
    const text = Number.isInteger(value) || Math.abs(value) >= 1e4
      ? value.toLocaleString("en", { maximumFractionDigits: 0 })
      : `${Number(value.toPrecision(4))}`;
    return unit ? `${text} ${unit}` : text;
  }

  const SIGNED = (value) => `${value > 0 ? "+" : ""}${Math.round(100 * value)} %`;
  const FORMS = {
    percent: (value) => `${Math.round(100 * value)} %`,
    change: SIGNED,
    number: (value) => value.toLocaleString("en", { maximumFractionDigits: 0 }),
    runs: (value) => `${FORMS.number(value)} ${value === 1 ? "run" : "runs"}`,
    factor: (value) => `${Number(value.toPrecision(2))}`,
    seconds: (value) => quantity(value, "s"),
  };

  /** The text of each kind of caveat that the points of an answer have, and of the remarks on it. */
  function told(study, { points = [], remarks = [] }) {
    const groups = new Map();
    for (const each of [...points.flatMap((point) => point.caveats), ...remarks]) {
      const [template] = study.caveats.texts[each.kind];
      const name = template.includes("{measure}") ? `${each.kind} ${each.measure}` : each.kind;
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(each);
    }
    return [...groups.values()].map((all) => {
      const [{ kind, measure = "" }] = all;
      const [template, ...forms] = study.caveats.texts[kind];
      const range = (name, form) => {
        if (!form) return "";
        const unit = /(^|\.)goodput$/.test(measure) ? "b/s" : "";
        const text = FORMS[form] ?? ((value) => quantity(value, unit));
        const numbers = all.map((each) => each[name]);
        const ends = [Math.min(...numbers), Math.max(...numbers)].map(text);
        return ends[0] === ends[1] ? ends[0] : `${ends[0]} to ${ends[1]}`;
      };
      const words = { value: range("value", forms[0]), other: range("other", forms[1]), measure };
      const about = [...new Set(all.map((each) => each.about).filter(Boolean))].join("; ");
      const text = template.replace(/\{(\w+)\}/g, (_, name) => words[name]);
      return { kind, text: about ? `${text}; ${about}` : text };
    });
  }

  /** Whether a kind of caveat is more than that seeds are few. */
  const isDoubt = (study, kind) => !study.caveats.mild.includes(kind);
  const valueOf = (study, key, at) => study.axis.get(key).values[at];
  const textOf = (study, key, at) => valueOf(study, key, at).text;
  const MANY = (values) => values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);

  /** The channels that distinguish lines: colour, dash and marker, as in figures of papers. */
  function grouped(study, asked, names, { marked, bars }) {
    if (!asked.by) return {};
    const title = study.axis.get(asked.by).short;
    const { colours, light, dashes, shapes } = study.style;
    const few = names.length <= GROUPS;
    const scale = (range) => ({ domain: names, ...(few ? { range: range.slice(0, names.length) } : { scheme: "viridis" }) });
    const legend = { title, ...(few ? {} : { symbolLimit: 30 }) };
    const colour = { field: "series", type: few ? "nominal" : "ordinal", scale: scale(bars ? light : colours), legend };
    if (bars) return { color: colour };
    if (!few) return { color: colour };
    const dash = { field: "series", type: "nominal", scale: { domain: names, range: dashes.slice(0, names.length) } };
    if (!marked) return { color: { ...colour, legend: { ...legend, symbolType: "stroke", symbolSize: 320 } }, strokeDash: { ...dash, legend } };
    return {
      color: colour,
      strokeDash: { ...dash, legend: null },
      shape: { field: "series", type: "nominal", scale: scale(shapes), legend },
    };
  }

  const LETTER = 5.8; // pixels of a letter of a caption

  const SHOWN = { condition: { param: "shown", value: 1 }, value: 0.08 };

  const linearOr = (log, scale) => (log ? { type: "log", nice: false, padding: 8 } : { type: "linear", ...scale });

  function axisTitle(name, unit) {
    return unit ? `${name} (${unit})` : name;
  }

  /** How a measure is called in a figure. */
  function named(asked, measure) {
    const name = asked.statistic === "mean" ? measure : `${asked.statistic} of ${measure}`;
    return asked.baseline ? `${name}, less ${asked.baseline}` : name;
  }

  /** One plotting area of points with their intervals. */
  function area(study, asked, measure, points, size) {
    const axis = study.axis.get(asked.x);
    const unit = study.byName.get(measure).unit;
    const [factor, shownUnit] = prefixed(MANY(points.flatMap((point) => [point.value])), unit);
    const isNumber = axis.number;
    const numbers = isNumber ? axis.values.map((value) => value.number) : [];
    const [across, acrossUnit] = isNumber ? prefixed(MANY(numbers), axis.unit) : [1, ""];
    const log = { x: asked.log.includes("x") && isNumber, y: asked.log.includes("y") };
    const least = Math.min(...points.flatMap((point) => [point.value, point.low]).filter((value) => value > 0)) / factor;
    const title = axisTitle(named(asked, measure), shownUnit);
    const values = points.map((point) => {
      const whole = Number.isFinite(point.low) && Number.isFinite(point.high);
      const at = valueOf(study, asked.x, point.at.get(asked.x));
      const doubt = point.caveats.some(({ kind }) => isDoubt(study, kind));
      return {
        x: isNumber ? Number((at.number / across).toPrecision(12)) : at.text,
        y: point.value / factor,
        low: whole ? (log.y && point.low <= 0 ? least : point.low / factor) : null,
        high: whole ? point.high / factor : null,
        ...(asked.by ? { series: textOf(study, asked.by, point.at.get(asked.by)) } : {}),
        ...(asked.facet ? { facet: textOf(study, asked.facet, point.at.get(asked.facet)) } : {}),
        doubt,
        ...(doubt ? { caveats: [...new Set(point.caveats.map((each) => each.kind))].join(", ") } : {}),
        told: quantity(point.value, unit),
        interval: whole ? `${quantity(point.low, unit)} to ${quantity(point.high, unit)}` : "none",
        runs: point.n,
        ...Object.fromEntries(study.beside([asked.x, asked.by]).filter((key) => point.at.has(key)).map((key) => [study.axis.get(key).short, textOf(study, key, point.at.get(key))])),
      };
    });
    const names = asked.by ? study.axis.get(asked.by).values.map((value) => value.text).filter((text) => values.some((row) => row.series === text)) : [];
    const isNarrow = axis.values.reduce((sum, value) => sum + LETTER * (value.text.length + 2), 0) > size.width;
    const bars = !isNumber && !log.y && axis.values.length <= NAMES;
    const joined = isNumber && !study.beside([asked.x, ...(asked.by ? [asked.by] : [])]).length;
    const x = {
      field: "x", type: isNumber ? "quantitative" : "nominal", title: axisTitle(axis.short, acrossUnit),
      ...(isNumber
        ? { scale: linearOr(log.x, { zero: false, nice: false, padding: 8 }) }
        : { sort: axis.values.map((value) => value.text), axis: { labelAngle: isNarrow ? -40 : 0, labelLimit: 160, labelOverlap: false } }),
      ...(log.x && numbers.length <= GROUPS ? { axis: { values: numbers.map((value) => value / across) } } : isNumber ? { axis: { tickCount: Math.round(size.width / 70) } } : {}),
    };
    const scale = linearOr(log.y, { zero: bars });
    const y = { field: "y", type: "quantitative", title, scale, axis: { tickCount: 6 } };
    const spread = { y: { ...y, field: "low" }, y2: { field: "high" } };
    const offset = asked.by && !isNumber ? { xOffset: { field: "series", sort: names } } : {};
    const tooltip = Object.keys(values[0] ?? {})
      .filter((field) => !["y", "low", "high", "doubt"].includes(field))
      .map((field) => ({ field, type: "nominal", title: { x: axis.short, series: study.axis.get(asked.by)?.short, facet: study.axis.get(asked.facet)?.short, told: named(asked, measure), interval: "95 % interval" }[field] ?? field }));
    const group = grouped(study, asked, names, { marked: true, bars });
    const fade = asked.by ? { opacity: SHOWN } : {};
    // A rule without ends is not drawn.
    const rule = { mark: { type: "rule", strokeWidth: 1.4, clip: !bars }, encoding: { x, ...spread, ...offset, ...(bars || !group.color ? {} : { color: group.color }), ...fade } };
    const layer = [];
    if (bars) {
      layer.push({ mark: { type: "bar", stroke: "black", strokeWidth: 1, width: { band: asked.by ? 1 : 0.6 }, ...(asked.by ? {} : { color: study.style.colours[6] }) }, encoding: { x, y: { ...y, stack: null }, ...offset, ...group, ...fade, tooltip } }, rule);
    } else {
      if (joined) layer.push({ mark: { type: "line", strokeWidth: 2, clip: true }, encoding: { x, y, ...group, ...fade } });
      layer.push(rule);
      const dots = values.length > 800 ? 12 : values.length > 200 ? 30 : 70;
      layer.push({ mark: { type: "point", filled: true, size: dots, opacity: 1, clip: isNumber, ...(group.color ? {} : { color: "black" }) }, encoding: { x, y, ...offset, ...group, ...fade, tooltip } });
    }
    const open = values.some((row) => row.doubt);
    if (open) {
      layer.push({
        transform: [{ filter: "datum.doubt" }],
        mark: { type: "point", filled: false, fill: "white", opacity: 1, size: 60, clip: isNumber, strokeWidth: 1.6, ...(group.color ? {} : { color: "black" }) },
        encoding: { x, y, ...offset, ...(bars ? {} : group), ...fade, strokeDash: { value: [1, 0] }, tooltip },
      });
    }
    return { spec: { ...size, data: { values }, layer, resolve: { scale: { strokeDash: "independent" } } }, rows: values.length, values };
  }

  /** One plotting area of distributions. */
  function curves(study, asked, measure, found, size) {
    const unit = asked.statistic === "completions" ? "s" : study.byName.get(measure).unit;
    const [factor, shownUnit] = prefixed(MANY(found.flatMap((curve) => curve.steps.map((step) => step.at))), unit);
    const log = asked.log.includes("x");
    const values = found.flatMap((curve) =>
      curve.steps.filter((step) => !log || step.at > 0).map((step) => ({
        x: step.at / factor,
        y: step.share,
        ...(asked.by ? { series: textOf(study, asked.by, curve.at.get(asked.by)) } : {}),
        ...(asked.facet ? { facet: textOf(study, asked.facet, curve.at.get(asked.facet)) } : {}),
      })),
    );
    const names = asked.by ? study.axis.get(asked.by).values.map((value) => value.text) : [];
    const title = asked.statistic === "completions" ? "completion time" : measure;
    const encoding = {
      x: { field: "x", type: "quantitative", title: axisTitle(title, shownUnit), scale: linearOr(log, { zero: false, nice: false, padding: 8 }) },
      y: { field: "y", type: "quantitative", title: "cumulative share", scale: { domain: [0, 1], nice: false } },
      ...grouped(study, asked, names, { marked: false, bars: false }),
      ...(asked.by ? { opacity: SHOWN } : {}),
      tooltip: [{ field: "x", format: ".4~g", title }, { field: "y", format: ".3~g", title: "cumulative share" }, ...(asked.by ? [{ field: "series", title: study.axis.get(asked.by).short }] : [])],
    };
    return { spec: { ...size, data: { values }, mark: { type: "line", interpolate: "step-after", strokeWidth: 2, clip: true }, encoding }, rows: values.length, values };
  }

  /** The caveats below a figure, which is kept with them, in lines that fit its width. */
  function caption(study, asked, answers, width) {
    const { mild, ofFigure, quiet } = study.caveats;
    const isNote = (kind) => isDistribution(asked) || ofFigure.includes(kind) || mild.includes(kind);
    const all = answers.flatMap((answer) => told(study, answer)).filter(({ kind }) => !quiet.includes(kind));
    const chosen = Object.entries(asked.where).map(([key, text]) => `${study.axis.get(key).short} = ${text}`).join(", ");
    const texts = new Set([
      ...(chosen ? [`Only ${chosen}.`] : []),
      ...all.map(({ kind, text }) => `${isNote(kind) ? "Note" : "Open"}: ${text}.`),
    ]);
    const most = Math.max(30, Math.floor(width / LETTER));
    const lines = [];
    for (const text of texts) {
      lines.push("");
      for (const word of text.split(" ")) {
        const last = lines.pop();
        if (last && last.length + word.length >= most) lines.push(last, word);
        else lines.push(last ? `${last} ${word}` : word);
      }
    }
    if (!lines.length) return {};
    return { title: { text: lines, orient: "bottom", anchor: "start", fontSize: 11.5, fontWeight: "normal", offset: 8 } };
  }

  /**
   * The description of the figure of an answer, and how many marks it has.
   * @param {number} width pixels that there are
   */
  function description(study, asked, answers, width) {
    const facets = asked.facet ? study.axis.get(asked.facet).values.map((value) => value.text) : [];
    const inRow = facets.length || Math.min(answers.length, 3);
    const most = Math.max(1, Math.min(inRow, Math.floor(width / 300)));
    // As many columns as fill the rows, so that no place of a panel stays empty if that is possible.
    const columns = Math.ceil(inRow / Math.ceil(inRow / most)) || 1;
    const across = Math.max(180, Math.min(760, Math.floor(width / columns) - 85));
    const size = { width: across, height: Math.round(Math.min(330, Math.max(190, across * 0.6))) };
    // A selection by the legend lives in one layer of each plotting area.
    const params = asked.by ? [{ name: "shown", select: { type: "point", fields: ["series"], toggle: "true" }, bind: "legend" }] : [];
    const zoomed = isDistribution(asked) || study.axis.get(asked.x).number ? ["x", "y"] : [];
    const parts = [];
    let marks = 0;
    for (const { measure, points, curves: found } of answers) {
      const part = isDistribution(asked) ? curves(study, asked, measure, found, size) : area(study, asked, measure, points, size);
      if (!part.rows) continue;
      marks += part.rows;
      const { data, ...spec } = part.spec;
      const zoom = { type: "interval", encodings: zoomed, zoom: "wheel![event.ctrlKey || event.metaKey]" };
      const moves = zoomed.length ? [{ name: `zoom_${parts.length}`, select: zoom, bind: "scales" }] : [];
      (spec.layer?.[0] ?? spec).params = [...params, ...moves];
      if (!facets.length) parts.push({ data, ...spec });
      else {
        const facet = { field: "facet", type: "nominal", sort: facets, title: study.axis.get(asked.facet).short };
        parts.push({ data, facet, columns, spec });
      }
    }
    if (!parts.length) return { marks };
    const whole = parts.length === 1 ? parts[0] : { concat: parts, columns: facets.length ? 1 : columns, spacing: 24 };
    const spec = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", ...whole, ...caption(study, asked, answers, width), config: study.style.config, padding: 4 };
    return { spec, marks, renderer: marks > MARKS ? "canvas" : "svg" };
  }

  Object.assign(globalThis.tcphoton, { description, prefixed, quantity, told, named, isDoubt });
})();
