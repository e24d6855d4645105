// The editor of a scenario: lines with numbers and marks, and what can be written next.

import { about, candidates, placeOf } from "./completion.js";

/** @typedef {import("./completion.js").Candidate} Candidate */
/** @typedef {import("../engine.js").Mistake} Mistake */

const MOST_SHOWN = 12;

/** An editor in an element of a page. */
export class Editor {
  /** @param {HTMLElement} root @param {(text: string) => void} changed */
  constructor(root, changed) {
    /** The schema of scenarios, once the engine is there. @type {any} */
    this.schema = null;
    this.changed = changed;
    this.numbers = document.createElement("pre");
    this.numbers.className = "numbers";
    this.numbers.setAttribute("aria-hidden", "true");
    this.area = document.createElement("textarea");
    this.area.spellcheck = false;
    this.area.wrap = "off";
    this.area.setAttribute("aria-label", "Scenario in TOML");
    this.area.setAttribute("autocapitalize", "off");
    this.list = document.createElement("ul");
    this.list.className = "candidates";
    this.list.id = "candidates";
    this.list.setAttribute("role", "listbox");
    this.list.hidden = true;
    this.area.setAttribute("aria-controls", "candidates");
    this.hint = document.createElement("p");
    this.hint.className = "hint";
    this.hint.setAttribute("aria-live", "polite");
    const box = document.createElement("div");
    box.className = "box";
    box.append(this.numbers, this.area, this.list);
    root.append(box, this.hint);
    /** @type {Candidate[]} */
    this.found = [];
    this.at = 0;
    /** @type {Set<number>} */
    this.marked = new Set();
    this.#listen();
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.area.scrollTop = 0;
    this.#close();
    this.#number();
  }

  /** Mark the lines of errors. @param {Mistake[]} mistakes */
  mark(mistakes) {
    this.marked = new Set(mistakes.flatMap(({ line }) => (line === null ? [] : [line])));
    this.#number();
  }

  /** Put the cursor at the beginning of a line. @param {number} line from 1 */
  goTo(line) {
    const lines = this.text.split("\n");
    const at = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    this.area.focus();
    this.area.setSelectionRange(at, at + (lines[line - 1]?.length ?? 0));
    this.area.scrollTop = Math.max(0, (line - 5) * this.#lineHeight());
  }

  #lineHeight() {
    return Number.parseFloat(getComputedStyle(this.area).lineHeight) || 18;
  }

  #listen() {
    const { area } = this;
    area.addEventListener("input", () => {
      this.#number();
      this.#offer(false);
      this.changed(this.text);
    });
    area.addEventListener("scroll", () => {
      this.numbers.scrollTop = area.scrollTop;
      this.#close();
    });
    area.addEventListener("keydown", (event) => this.#key(event));
    area.addEventListener("blur", () => this.#close());
    for (const kind of ["click", "keyup"]) area.addEventListener(kind, () => this.#hint());
  }

  #number() {
    const count = this.text.split("\n").length;
    this.numbers.replaceChildren();
    for (let line = 1; line <= count; line += 1) {
      const each = document.createElement("span");
      each.textContent = `${line}\n`;
      if (this.marked.has(line)) each.className = "wrong";
      this.numbers.append(each);
    }
    this.numbers.scrollTop = this.area.scrollTop;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.#offer(true);
      return;
    }
    if (this.list.hidden) return;
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowDown: () => this.#choose(this.at + 1),
      ArrowUp: () => this.#choose(this.at - 1),
      Enter: () => this.#take(this.found[this.at]),
      Tab: () => this.#take(this.found[this.at]),
      Escape: () => this.#close(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  #place() {
    return placeOf(this.text.slice(0, this.area.selectionStart));
  }

  /** Offer what can be written; on demand also where nothing has been. @param {boolean} asked */
  #offer(asked) {
    if (!this.schema) return;
    const place = this.#place();
    if (!asked && place.prefix.replace(/[\s"{]/g, "").length === 0) {
      this.#close();
      return;
    }
    this.found = candidates(this.schema, place).slice(0, MOST_SHOWN);
    if (this.found.length === 0) {
      this.#close();
      return;
    }
    this.list.replaceChildren(
      ...this.found.map((candidate, at) => {
        const line = document.createElement("li");
        const name = document.createElement("b");
        name.textContent = candidate.label;
        line.append(name, ` ${candidate.detail}`);
        line.setAttribute("role", "option");
        line.id = `candidate-${at}`;
        line.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          this.#take(candidate);
        });
        return line;
      }),
    );
    this.list.hidden = false;
    this.#choose(0);
    this.#putList();
  }

  /** @param {number} at */
  #choose(at) {
    this.at = (at + this.found.length) % this.found.length;
    [...this.list.children].forEach((line, i) => line.setAttribute("aria-selected", `${i === this.at}`));
    this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
    this.area.setAttribute("aria-activedescendant", `candidate-${this.at}`);
  }

  /** Put the list below the cursor. */
  #putList() {
    const before = this.text.slice(0, this.area.selectionStart).split("\n");
    const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
    context.font = getComputedStyle(this.area).font;
    const left = context.measureText(before[before.length - 1]).width - this.area.scrollLeft;
    const top = before.length * this.#lineHeight() - this.area.scrollTop;
    this.list.style.left = `${Math.max(0, Math.min(left, this.area.clientWidth - 260)) + this.area.offsetLeft}px`;
    this.list.style.top = `${top + 8}px`;
  }

  /** Write a candidate in place of what was written of it. @param {Candidate} candidate */
  #take(candidate) {
    const { prefix } = this.#place();
    const end = this.area.selectionStart;
    this.area.setRangeText(candidate.insert, end - prefix.length, end, "end");
    this.#close();
    this.#number();
    this.changed(this.text);
    this.#hint();
  }

  #close() {
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }

  /** Say what the key under the cursor is about. */
  #hint() {
    if (!this.schema) return;
    const end = this.text.indexOf("\n", this.area.selectionStart);
    const upTo = this.text.slice(0, this.area.selectionStart);
    const rest = this.text.slice(this.area.selectionStart, end < 0 ? undefined : end);
    const place = placeOf(upTo + (/^[\w-]*\s*=?/.exec(rest)?.[0] ?? ""));
    const key = place.key ?? place.prefix;
    const text = key ? about(this.schema, place, key) : "";
    this.hint.textContent = text ? `${[...place.path, key].join(".")}: ${text}` : "";
  }
}
