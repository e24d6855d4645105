// The results of a run: facts, figures, tables, and files.

import { numbers, texts } from "../tables.js";

/** @typedef {import("../tables.js").Table} Table */
/** @typedef {import("../tables.js").Column} Column */

const ROWS = 200;
const LINES = 8;
const POINTS = 2_000;
/** Flows that are drawn one by one. */
const FEW = 30;

/** A number with its unit, to four digits. @param {number} value @param {string} unit */
export function quantity(value, unit) {
  if (!Number.isFinite(value)) return "–";
  const prefixes = /** @type {[number, string][]} */ ([[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]]);
  const large = unit === "b/s" || unit === "B" || unit === "s";
  const [factor, prefix] = (large && value !== 0 && prefixes.find(([each]) => Math.abs(value) >= each)) || [1, ""];
  const scaled = unit === "s" && factor > 1 ? [value, ""] : [value / Number(factor), prefix];
  return `${Number(Number(scaled[0]).toPrecision(4)).toLocaleString("en")} ${scaled[1]}${unit}`.trim();
}

/** The values of a column as they are printed. @param {Column} column @returns {(row: number) => string} */
function printed(column) {
  if (column.levels) {
    const all = texts(column);
    return (row) => all[row];
  }
  const all = numbers(column);
  return (row) => (Number.isNaN(all[row]) ? "" : `${all[row]}`);
}

/** A table as comma-separated values. @param {Table} table */
export function csvOf({ columns }) {
  const all = [...columns.values()];
  const cells = all.map(printed);
  const quoted = (/** @type {string} */ text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [all.map(({ name }) => name).join(",")];
  const rows = all[0]?.values.length ?? 0;
  for (let row = 0; row < rows; row += 1) lines.push(cells.map((cell) => quoted(cell(row))).join(","));
  return `${lines.join("\n")}\n`;
}

/** What a run did, in pairs of a name and a value. @param {any} report @returns {[string, string][]} */
export function facts(report) {
  /** @type {[string, string][]} */
  const found = [
    ["seed", `${report.seed}`],
    ["simulated", quantity(report.simulated, "s")],
    ["events", report.events.toLocaleString("en")],
    ["digest", report.digest],
    ["conservation", report.conservation],
  ];
  for (const entry of report.traffic ?? []) {
    const name = report.traffic.length > 1 ? `traffic ${entry.traffic}: ` : "";
    found.push([`${name}goodput`, quantity(entry.goodput, "b/s")]);
    if (entry.loss !== null) found.push([`${name}loss of packets`, quantity(100 * entry.loss, "%")]);
    if (entry["delay-mean"] !== null) found.push([`${name}delay, mean`, quantity(entry["delay-mean"], "s")]);
    if (entry["completion-mean"] !== null) found.push([`${name}completion, mean`, quantity(entry["completion-mean"], "s")]);
  }
  if (report.bursts) found.push(["bursts", `${report.bursts.delivered.toLocaleString("en")} of ${report.bursts.released.toLocaleString("en")} delivered`]);
  return found;
}

const UNITS_OF_SERIES = { cwnd: "cwnd (B)", ssthresh: "ssthresh (B)", rtt: "round-trip time (s)", queue: "queue (packets)", channels: "busy channels" };

/** Descriptions of figures in Vega-Lite, with a title each. @param {Map<string, Table>} tables @returns {{title: string, spec: object}[]} */
export function figures(tables) {
  const found = [];
  const series = tables.get("series");
  if (series && series.columns.get("time")?.values.length) found.push(...seriesFigures(series));
  const flows = tables.get("flows");
  if (flows) found.push(...goodputFigure(flows));
  const links = tables.get("links");
  if (links) found.push(...utilizationFigure(links));
  return found;
}

/** @param {Table} table @param {string} name */
const column = (table, name) => /** @type {Column} */ (table.columns.get(name));

/** @param {Table} series */
function seriesFigures(series) {
  const [times, values] = [numbers(column(series, "time")), numbers(column(series, "value"))];
  const [kinds, subjects] = [texts(column(series, "what")), texts(column(series, "subject"))];
  return [...new Set(kinds)].map((kind) => {
    const rows = [...kinds.keys()].filter((row) => kinds[row] === kind);
    const highest = new Map();
    for (const row of rows) highest.set(subjects[row], Math.max(highest.get(subjects[row]) ?? 0, values[row]));
    const shown = new Set([...highest].sort((a, b) => b[1] - a[1]).slice(0, LINES).map(([name]) => name));
    const kept = rows.filter((row) => shown.has(subjects[row]));
    const every = Math.max(1, Math.ceil(kept.length / shown.size / POINTS));
    const counts = new Map();
    const data = [];
    for (const row of kept) {
      const count = counts.get(subjects[row]) ?? 0;
      counts.set(subjects[row], count + 1);
      if (count % every === 0) data.push({ time: times[row], value: values[row], subject: subjects[row] });
    }
    const title = UNITS_OF_SERIES[/** @type {"cwnd"} */ (kind)] ?? kind;
    const more = highest.size > shown.size ? `, the ${shown.size} highest of ${highest.size}` : "";
    return {
      title: `${kind} over time${more}`,
      spec: {
        data: { values: data },
        mark: { type: "line", strokeWidth: 1.3 },
        encoding: {
          x: { field: "time", type: "quantitative", title: "time (s)" },
          y: { field: "value", type: "quantitative", title },
          color: { field: "subject", type: "nominal", title: null, sort: null },
        },
      },
    };
  });
}

/** The goodput of flows: each one, or where they are many their distribution, by entry of traffic. @param {Table} flows */
function goodputFigure(flows) {
  const [goodput, traffic] = [numbers(column(flows, "goodput")), numbers(column(flows, "traffic"))];
  const number = numbers(column(flows, "flow"));
  if (goodput.length === 0) return [];
  const x = { field: "value", type: "quantitative", title: "goodput (Mb/s)" };
  const color = { field: "traffic", type: "nominal", title: "traffic" };
  if (goodput.length <= FEW) {
    const data = [...goodput.keys()].map((row) => {
      return { value: goodput[row] / 1e6, flow: `${number[row]}`, traffic: `${traffic[row]}` };
    });
    const y = { field: "flow", type: "nominal", sort: null, title: "flow" };
    const spec = { data: { values: data }, mark: "bar", height: { step: 15 }, encoding: { x, y, color } };
    return [{ title: "Goodput of flows", spec }];
  }
  /** @type {{value: number, share: number, traffic: string}[]} */
  const data = [];
  for (const entry of new Set(traffic)) {
    const all = goodput.filter((_, row) => traffic[row] === entry).sort();
    const every = Math.max(1, Math.ceil(all.length / POINTS));
    all.forEach((value, at) => {
      if (at % every !== 0 && at !== all.length - 1) return;
      data.push({ value: value / 1e6, share: (at + 1) / all.length, traffic: `${entry}` });
    });
  }
  const y = { field: "share", type: "quantitative", title: "share of flows", scale: { domain: [0, 1] } };
  const mark = { type: "line", interpolate: "step-after" };
  return [
    {
      title: "Goodput of flows: the share of flows that have at most so much",
      spec: { data: { values: data }, mark, encoding: { x, y, color } },
    },
  ];
}

/** The links that are used most. @param {Table} links */
function utilizationFigure(links) {
  const [names, used] = [texts(column(links, "link")), numbers(column(links, "utilization"))];
  const data = [...names.keys()]
    .map((row) => ({ link: names[row], utilization: 100 * used[row] }))
    .filter(({ utilization }) => utilization > 0)
    .sort((a, b) => b.utilization - a.utilization)
    .slice(0, 12);
  if (data.length === 0) return [];
  return [
    {
      title: data.length < 12 ? "Utilization of links" : "Utilization of links, the 12 highest",
      spec: {
        data: { values: data },
        mark: { type: "bar" },
        height: { step: 15 },
        encoding: {
          x: { field: "utilization", type: "quantitative", title: "utilization (%)", scale: { domain: [0, 100] } },
          y: { field: "link", type: "nominal", sort: null, title: null },
        },
      },
    },
  ];
}

/** A table of HTML with the first rows. @param {Table} table */
export function tableOf({ columns }) {
  const all = [...columns.values()];
  const cells = all.map(printed);
  const rows = Math.min(ROWS, all[0]?.values.length ?? 0);
  const made = document.createElement("table");
  const head = made.createTHead().insertRow();
  for (const { name, unit, doc } of all) {
    const cell = document.createElement("th");
    cell.textContent = unit ? `${name} (${unit})` : name;
    cell.title = doc;
    cell.scope = "col";
    head.append(cell);
  }
  const body = made.createTBody();
  for (let row = 0; row < rows; row += 1) {
    const line = body.insertRow();
    for (const cell of cells) line.insertCell().textContent = cell(row);
  }
  return made;
}
