// The studio: a scenario is written, run and seen, with nothing but a browser.

import { Film } from "../player/film.js";
import { Player } from "../player/player.js";
import { ScenarioError, compiled } from "../engine.js";
import { Session } from "../session.js";
import { readAddress, written } from "./address.js";
import { candidates, placeOf } from "./completion.js";
import { Editor } from "./editor.js";
import { csvOf, facts, figures, tableOf } from "./results.js";
import { controlOf, firstKeys } from "./sliders.js";

/** @typedef {import("../engine.js").Mistake} Mistake */

/** What the page brings along. @typedef {{examples: {name: string, title: string, text: string}[], first: string, worker: string}} Given */

/** Rows of a window of the packets that are watched. */
const ROWS = 60_000;
/** How long the author may pause before what is written is checked, in milliseconds. */
const PAUSE = 350;
const FILE = "scenario.toml";

const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const input = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (document.getElementById(id));

/** The page. */
class Studio {
  /** @param {Given} given @param {WebAssembly.Module} module */
  constructor(given, module) {
    this.given = given;
    /** One engine checks while another one runs. */
    this.checker = new Session(given.worker, module);
    this.runner = new Session(given.worker, module);
    /** And one more is ahead of what is played. */
    this.watcher = new Session(given.worker, module);
    this.editor = new Editor(part("editor"), () => this.soon());
    /** Values that controls have put over those of the text. @type {Map<string, string>} */
    this.values = new Map();
    /** Keys with a control. @type {string[]} */
    this.keys = [];
    /** @type {any[]} */
    this.parameters = [];
    this.timer = 0;
    this.turn = 0;
    this.busy = false;
    /** @type {Player | null} */
    this.player = null;
    this.#listen();
  }

  /** What is to be run. */
  get asked() {
    return { file: FILE, text: this.editor.text, values: [...this.values] };
  }

  #listen() {
    const choice = /** @type {HTMLSelectElement} */ (part("examples"));
    for (const { name, title } of this.given.examples) {
      const option = new Option(`${name}: ${title}`, name);
      choice.append(option);
    }
    choice.addEventListener("change", () => this.open(choice.value));
    part("run").addEventListener("click", () => this.run());
    part("stop").addEventListener("click", () => this.stop());
    part("watch").addEventListener("click", () => this.watch());
    part("link").addEventListener("click", () => this.share());
    part("save").addEventListener("click", () => save(FILE, this.editor.text));
    const more = /** @type {HTMLSelectElement} */ (part("more"));
    more.addEventListener("change", () => {
      if (more.value) this.keys.push(more.value);
      this.#controls();
    });
    window.addEventListener("hashchange", () => this.fromAddress());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.run();
    });
  }

  /** Begin with the scenario of the address, or the first example. */
  async begin() {
    this.editor.schema = await this.checker.ask({ verb: "schema" });
    if (!(await this.fromAddress())) await this.open(this.given.first);
  }

  async fromAddress() {
    const kept = await readAddress(location.hash.slice(1));
    if (!kept) return false;
    await this.#put(kept.text, kept.values, kept.seed ?? "");
    return true;
  }

  /** @param {string} name of an example */
  async open(name) {
    const example = this.given.examples.find((each) => each.name === name);
    if (!example) return;
    /** @type {HTMLSelectElement} */ (part("examples")).value = name;
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    await this.#put(example.text, [], "");
  }

  /** @param {string} text @param {[string, string][]} values @param {string} seed */
  async #put(text, values, seed) {
    this.editor.text = text;
    this.values = new Map(values);
    input("seed").value = seed;
    this.keys = [];
    if (await this.check()) {
      this.keys = [...new Set([...values.map(([key]) => key), ...firstKeys(this.parameters)])];
      this.#controls();
      await this.watch();
    }
  }

  /** Check after a pause. */
  soon() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.check(), PAUSE);
  }

  /** Check what is written; true if it can be run. */
  async check() {
    this.turn += 1;
    const turn = this.turn;
    try {
      const loaded = await this.checker.ask({ verb: "load", ...this.asked });
      if (turn !== this.turn) return false;
      this.#problems(loaded.warnings);
      const shown = await this.checker.ask({ verb: "show" });
      if (turn !== this.turn) return false;
      this.parameters = shown.parameters;
      this.#controls();
      part("check").textContent = "No errors.";
      return true;
    } catch (error) {
      if (turn === this.turn) this.#failed(error);
      return false;
    }
  }

  /** @param {Mistake[]} mistakes */
  #problems(mistakes) {
    this.editor.mark(mistakes);
    const list = part("problems");
    list.replaceChildren(
      ...mistakes.map((mistake) => {
        const line = document.createElement("li");
        const go = document.createElement("button");
        go.type = "button";
        go.textContent = mistake.text;
        go.addEventListener("click", () => mistake.line !== null && this.editor.goTo(mistake.line));
        line.append(go);
        return line;
      }),
    );
    list.hidden = mistakes.length === 0;
  }

  /** @param {unknown} error */
  #failed(error) {
    if (error instanceof ScenarioError) {
      this.#problems(error.mistakes);
      const count = error.mistakes.filter(({ warning }) => !warning).length;
      part("check").textContent = count === 1 ? "1 error:" : `${count} errors:`;
      return;
    }
    part("check").textContent = error instanceof Error ? error.message : `${error}`;
  }

  /** Run to the end, and show the results. */
  async run() {
    if (!(await this.#ready())) return;
    await this.#doing("Running", async (progress) => {
      const found = await this.runner.run(this.asked, this.#seed(), progress);
      if (found) this.#results(found);
      part("check").textContent = found ? "Done." : "Stopped.";
    });
  }

  /** Stop what runs, and what is watched. */
  stop() {
    this.runner.stop();
    this.watcher.stop();
  }

  /** Play the packets from an instant on, window after window, while the engine runs ahead. */
  async watch() {
    if (!(await this.#ready())) return;
    await this.#doing("Running", async (progress) => {
      const from = input("from").value.trim();
      const trace = { limit: ROWS, counters: true, live: true, ...(from ? { from } : {}) };
      this.watcher.stop();
      const found = await this.watcher.run(this.asked, { ...this.#seed(), trace }, progress);
      if (!found) return;
      if (this.player?.playing) this.player.toggle();
      const root = part("player");
      const fresh = /** @type {HTMLElement} */ (root.cloneNode(false));
      root.replaceWith(fresh);
      let last = windowOf(found, null);
      const more = async () => {
        const next = await this.watcher.more();
        if (!next || next.from === next.to) return null;
        last = windowOf(next, last);
        return last;
      };
      this.player = new Player(fresh, last, { more });
      if (!this.player.calm) this.player.toggle();
      part("check").textContent = last.hops.link.length > 0 ? "No errors." : "No packet was offered to any link from there on.";
    });
  }

  async #ready() {
    clearTimeout(this.timer);
    if (this.busy) {
      this.stop();
      while (this.busy) await new Promise((done) => setTimeout(done, 20));
    }
    return this.check();
  }

  #seed() {
    const seed = input("seed").value.trim();
    return seed ? { seed } : {};
  }

  /** @param {string} what @param {(progress: (now: any) => void) => Promise<void>} work */
  async #doing(what, work) {
    this.busy = true;
    const bar = /** @type {HTMLProgressElement} */ (part("progress"));
    document.body.classList.add("busy");
    bar.value = 0;
    try {
      await work(({ now, end, events }) => {
        bar.value = end > 0 ? now / end : 0;
        part("check").textContent = `${what}: ${now.toPrecision(3)} of ${end} s, ${events.toLocaleString("en")} events`;
      });
    } catch (error) {
      this.#failed(error);
    } finally {
      document.body.classList.remove("busy");
      this.busy = false;
    }
  }

  /** @param {any} found */
  #results({ report, tables }) {
    const box = part("results");
    const list = document.createElement("dl");
    for (const [name, value] of facts(report)) {
      list.append(Object.assign(document.createElement("dt"), { textContent: name }));
      list.append(Object.assign(document.createElement("dd"), { textContent: value }));
    }
    const again = document.createElement("p");
    const code = document.createElement("code");
    code.textContent = this.#command(`${report.seed}`);
    again.append("On a workstation ", code, ` gives the same digest, with the file that "Save" writes.`);
    box.replaceChildren(Object.assign(document.createElement("h2"), { textContent: "Results" }), list, again);
    for (const { title, spec } of figures(tables)) this.#figure(box, title, spec);
    this.#files(box, report, tables);
    box.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }

  /** @param {HTMLElement} box @param {string} title @param {object} spec */
  #figure(box, title, spec) {
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.textContent = title;
    const picture = document.createElement("div");
    figure.append(caption, picture);
    box.append(figure);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const whole = {
      $schema: "https://vega.github.io/schema/vega-lite/v6.json",
      width: Math.min(620, Math.max(220, box.clientWidth - 150)),
      height: 200,
      background: "transparent",
      ...spec,
    };
    const options = { ast: true, actions: false, renderer: "svg", theme: dark ? "dark" : undefined, config: { background: "transparent" } };
    /** @type {any} */ (window).vegaEmbed(picture, whole, options).catch((/** @type {Error} */ error) => {
      picture.textContent = error.message;
    });
  }

  /** @param {HTMLElement} box @param {any} report @param {Map<string, import("../tables.js").Table>} tables */
  #files(box, report, tables) {
    const whole = download("report.json", () => `${JSON.stringify(report, null, 2)}\n`);
    box.append(whole);
    for (const table of tables.values()) {
      const rows = [...table.columns.values()][0]?.values.length ?? 0;
      if (rows === 0) continue;
      const details = document.createElement("details");
      const summary = document.createElement("summary");
      summary.textContent = `${table.name}: ${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"}`;
      details.append(summary);
      details.addEventListener("toggle", () => {
        if (details.open && details.children.length === 1) {
          const scroll = document.createElement("div");
          scroll.className = "scroll";
          scroll.append(tableOf(table));
          details.append(download(`${table.name}.csv`, () => csvOf(table)), scroll);
        }
      });
      box.append(details);
    }
  }

  /** The words that a key accepts, as they stand in TOML. @param {string} key */
  #choices(key) {
    const way = key.split(".");
    const last = way.pop();
    const path = way.filter((step) => !/^\d+$/.test(step));
    const siblings = new Map(
      this.parameters
        .filter((each) => each.key === [...way, "kind"].join("."))
        .map((each) => /** @type {[string, string]} */ (["kind", `"${each.value}"`])),
    );
    const place = { ...placeOf(""), path, key: last ?? "", prefix: "", siblings };
    return candidates(this.editor.schema, place)
      .map(({ label }) => label)
      .filter((label) => label.startsWith('"'));
  }

  #controls() {
    const box = part("controls");
    const focused = document.activeElement?.id ?? "";
    const known = new Map(this.parameters.map((each) => [each.key, each]));
    box.replaceChildren();
    for (const key of this.keys) {
      const parameter = known.get(key);
      const control = parameter && controlOf(parameter, (each) => this.#choices(each));
      if (control) box.append(this.#control(control));
    }
    const more = /** @type {HTMLSelectElement} */ (part("more"));
    more.replaceChildren(new Option("another key …", ""));
    for (const { key, value, origin } of this.parameters) {
      const plain = typeof value === "number" || typeof value === "string";
      if (plain && origin === "given" && !this.keys.includes(key)) more.append(new Option(key, key));
    }
    document.getElementById(focused)?.focus();
  }

  /** @param {import("./sliders.js").Control} control */
  #control({ key, values, at }) {
    const label = document.createElement("label");
    const name = document.createElement("span");
    name.textContent = key;
    const now = document.createElement("output");
    now.textContent = values[at] ?? "";
    const words = values.length > 0 && !/^"?[\d.]/.test(values[0]);
    const control = words ? document.createElement("select") : document.createElement("input");
    control.id = `control-${key}`;
    if (control instanceof HTMLSelectElement) {
      for (const value of values) control.append(new Option(value.replaceAll('"', ""), value));
      control.value = values[at];
    } else {
      Object.assign(control, { type: "range", min: "0", max: `${values.length - 1}`, step: "1", value: `${at}` });
      control.setAttribute("aria-valuetext", values[at] ?? "");
    }
    const chosen = () => (control instanceof HTMLSelectElement ? control.value : values[Number(control.value)]);
    control.addEventListener("input", () => (now.textContent = chosen()));
    control.addEventListener("change", () => {
      this.values.set(key, chosen());
      this.watch();
    });
    label.append(name, control, now);
    return label;
  }

  /** The command that gives the same results on a workstation. @param {string} seed */
  #command(seed) {
    const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
    const values = [...this.values].map(([key, value]) => ` --set ${quoted(`${key}=${value}`)}`);
    return `tcphoton run ${FILE}${values.join("")} --seed ${seed} --out results`;
  }

  async share() {
    const seed = input("seed").value.trim();
    const kept = { text: this.editor.text, values: [...this.values], ...(seed ? { seed } : {}) };
    history.replaceState(null, "", `#${await written(kept)}`);
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    part("check").textContent = "The address of this page has the scenario now; it was copied where the browser allows it.";
  }
}

/** A window of a run that is watched. @param {any} found @param {Film | null} before */
function windowOf({ tables, from, to }, before) {
  return new Film(tables, { start: Number(from), stop: Number(to) }, before);
}

/** A button that saves a file. @param {string} name @param {() => string} content */
function download(name, content) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = `Save ${name}`;
  button.addEventListener("click", () => save(name, content()));
  return button;
}

/** @param {string} name @param {string} text */
function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function startStudio() {
  try {
    const given = JSON.parse(part("given").textContent ?? "");
    const studio = new Studio(given, await compiled(part("engine").textContent ?? ""));
    Object.assign(globalThis, { tcphoton: { studio } });
    await studio.begin();
  } catch (error) {
    part("check").textContent = `The studio cannot start: ${error instanceof Error ? error.message : error}`;
  }
}

startStudio();
