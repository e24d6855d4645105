// Figures that are run where they are read.

import { compiled } from "../engine.js";
import { Session } from "../session.js";
import { numbers, texts } from "../tables.js";

/**
 * What a figure runs: see tcphoton.papers.live.
 * @typedef {{title: string, text: string, values: [string, string][],
 *   x: {title: string, log: boolean, first: number, points: {at: number, values: [string, string][]}[]},
 *   lines: [string, [string, string][]][],
 *   measure: {title: string, scale: number, log?: boolean, of?: (string | number)[], series?: string, from?: number}}} Given
 */

/** @typedef {{x: number, y: number, line: string}} Point */

/** Pictures of a figure that grows, and how long each is seen, in milliseconds. */
const [PICTURES, MOMENT] = [40, 60];

/** Where the scripts are that are loaded when the first figure is run. */
const HOME = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : "";

/** @param {string} name of a script beside this one */
function loaded(name) {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = new URL(name, HOME).href;
    script.onload = () => done(undefined);
    script.onerror = () => failed(new Error(`${name} cannot be loaded`));
    document.head.append(script);
  });
}

/** @type {Promise<Session> | null} */
let starting = null;

/** The engine of the page, started once. */
function session() {
  starting ??= (async () => {
    const page = /** @type {any} */ (globalThis);
    await Promise.all([loaded("tcphoton-engine.js"), page.vegaEmbed ? null : loaded("tcphoton-vega.js")]);
    const { code, worker } = page.tcphotonEngine;
    return new Session(worker, await compiled(code));
  })();
  return starting;
}

/** The sum of a series over its subjects at each instant. @param {any} tables @param {Given["measure"]} measure @param {string} line @returns {Point[]} */
function summed(tables, { series, scale, from = 0 }, line) {
  const { columns } = tables.get("series");
  const [times, values] = [numbers(columns.get("time")), numbers(columns.get("value"))];
  const kinds = texts(columns.get("what"));
  /** @type {Map<number, number>} */
  const sums = new Map();
  for (let row = 0; row < times.length; row += 1) {
    if (kinds[row] !== series || times[row] < from) continue;
    sums.set(times[row], (sums.get(times[row]) ?? 0) + values[row] * scale);
  }
  return [...sums].map(([x, y]) => ({ x, y, line }));
}

/** A figure of the page. */
class Live {
  /** @param {HTMLElement} root @param {Given} given */
  constructor(root, given) {
    this.root = root;
    this.given = given;
    /** What has been run: the points of each place and line. @type {Map<string, Point[]>} */
    this.known = new Map();
    this.busy = false;
    /** When the runs end, in seconds, once it is known. */
    this.end = 0;
    const { x } = given;
    this.slider = document.createElement("input");
    Object.assign(this.slider, { type: "range", min: "0", max: `${x.points.length - 1}`, step: "1", value: `${x.first}` });
    this.value = document.createElement("output");
    const label = document.createElement("label");
    label.append(`${x.title} `, this.slider, " ", this.value);
    this.all = document.createElement("button");
    this.all.type = "button";
    this.all.textContent = "Run all of them";
    this.status = document.createElement("p");
    this.status.setAttribute("role", "status");
    this.picture = document.createElement("div");
    this.picture.className = "live-picture";
    root.replaceChildren(label, this.all, this.status, this.picture);
    this.slider.addEventListener("input", () => this.#say());
    this.slider.addEventListener("change", () => this.run([Number(this.slider.value)]));
    this.all.addEventListener("click", () => this.run([...x.points.keys()]));
    if (given.measure.series) this.all.hidden = true;
    this.#say();
  }

  #say() {
    this.value.textContent = `${this.given.x.points[Number(this.slider.value)].at}`;
    this.slider.setAttribute("aria-valuetext", this.value.textContent);
  }

  /** Run the lines at some places, and draw. @param {number[]} places */
  async run(places) {
    if (this.busy) return;
    this.busy = true;
    const { given } = this;
    const began = performance.now();
    let runs = 0;
    try {
      const engine = await session();
      for (const place of places) {
        for (const [line, values] of given.lines) {
          const key = `${place} ${line}`;
          if (this.known.has(key)) continue;
          this.status.textContent = `Running ${line} …`;
          const { at, values: turned } = given.x.points[place];
          const scenario = { file: "scenario.toml", text: given.text, values: [...given.values, ...turned, ...values] };
          const found = await engine.run(scenario, {}, ({ end }) => (this.end = end));
          if (!found) throw new Error("stopped");
          this.known.set(key, this.#measured(found, at, line));
          runs += 1;
        }
        if (!given.measure.series) await this.#draw(place);
      }
      const last = places[places.length - 1];
      if (given.measure.series) await this.#grow(last);
      await this.#draw(last);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      this.status.textContent = `${runs} runs in ${seconds} s, one seed each.`;
    } catch (error) {
      this.status.textContent = error instanceof Error ? error.message : `${error}`;
    }
    this.busy = false;
    // The slider may have been turned meanwhile.
    const now = Number(this.slider.value);
    if (places.length === 1 && now !== places[0]) await this.run([now]);
  }

  /** Draw what happens as it happens, until the slider is turned. @param {number} place */
  async #grow(place) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const { from = 0 } = this.given.measure;
    for (let picture = 1; picture < PICTURES && Number(this.slider.value) === place; picture += 1) {
      const now = from + ((this.end - from) * picture) / PICTURES;
      this.status.textContent = `${now.toFixed(0)} s of ${this.end} s`;
      await this.#draw(place, now);
      await new Promise((done) => setTimeout(done, MOMENT));
    }
  }

  /** @param {any} found @param {number} at @param {string} line @returns {Point[]} */
  #measured({ report, tables }, at, line) {
    const { measure } = this.given;
    if (measure.series) return summed(tables, measure, line);
    let value = report;
    for (const step of measure.of ?? []) value = value?.[step];
    return typeof value === "number" ? [{ x: at, y: value * measure.scale, line }] : [];
  }

  /** @param {number} place @param {number} now what is later is not seen */
  async #draw(place, now = Infinity) {
    const { x, lines, measure } = this.given;
    const series = measure.series !== undefined;
    const keys = series ? lines.map(([line]) => `${place} ${line}`) : [...this.known.keys()];
    const data = keys.flatMap((key) => this.known.get(key) ?? []);
    const shown = data.filter(({ x, y }) => (!series || x <= now) && (!measure.log || y > 0));
    const most = data.reduce((high, { y }) => Math.max(high, y), 0);
    const order = lines.map(([line]) => line);
    const domain = [x.points[0].at, x.points[x.points.length - 1].at];
    const axis = series
      ? { field: "x", type: "quantitative", title: "time (s)", scale: { domain: [measure.from ?? 0, this.end] } }
      : { field: "x", type: "quantitative", title: x.title, scale: { type: x.log ? "log" : "linear", domain } };
    const plain = {
      x: axis,
      y: { field: "y", type: "quantitative", title: measure.title, scale: { type: measure.log ? "log" : "linear" } },
    };
    const width = Math.max(240, Math.min(620, this.root.clientWidth - 160));
    const unit = series
      ? {
          facet: { row: { field: "line", type: "nominal", sort: order, title: null, header: { labelAngle: 0, labelAlign: "left" } } },
          spec: { width, height: 70, mark: { type: "line", strokeWidth: 1.2 }, encoding: { ...plain, y: { ...plain.y, title: null, scale: { domain: [0, most] } } } },
          title: { text: measure.title, fontSize: 11, anchor: "start" },
        }
      : {
          width,
          height: 240,
          mark: { type: "line", point: true },
          encoding: { ...plain, color: { field: "line", type: "nominal", sort: order, title: null } },
        };
    const spec = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", background: "white", data: { values: shown }, ...unit };
    const options = { ast: true, actions: false, renderer: "svg" };
    await /** @type {any} */ (globalThis).vegaEmbed(this.picture, spec, options);
  }
}

/** Make a figure live when its button is pressed. @param {HTMLElement} root */
function offer(root) {
  const source = root.querySelector("script[type='application/json']");
  const begin = root.querySelector("button");
  if (!source || !begin || typeof WebAssembly !== "object" || typeof DecompressionStream !== "function") return;
  root.hidden = false;
  begin.addEventListener("click", () => {
    const given = JSON.parse(source.textContent ?? "");
    const live = new Live(/** @type {HTMLElement} */ (root.querySelector(".live-place")), given);
    begin.remove();
    live.run([given.x.first]);
  });
}

document.addEventListener("DOMContentLoaded", () => {
  for (const root of document.querySelectorAll(".live")) offer(/** @type {HTMLElement} */ (root));
});
