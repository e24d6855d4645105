// The player: a network at work, and the controls of time.

import { PICO } from "./film.js";
import { css, painter } from "./paint.js";
import { Scene } from "./scene.js";
import { drawSchedule } from "./schedule.js";
import { Strips } from "./strips.js";
import { flowOf, instant, life, span, speed } from "./words.js";

/** @typedef {import("./film.js").Film} Film */
/** @typedef {import("./scene.js").Thing} Thing */
/** @typedef {import("./scene.js").View} View */

/** The slowest and the fastest speed: a nanosecond and a second of the simulation in a second, as powers of ten. */
const [SLOWEST, FASTEST] = [-9, 0];
/** How long a loss is seen, in seconds. */
const MEMORY = 0.9;
/** Names that are seen at once. */
const MOST_NAMES = 120;
/** Flows that can be chosen from the list. */
const MOST_CHOICES = 1_000;
const LIGHT = { fibre: 0xb9bec7, ink: 0x22262e, lost: 0xc1121f, page: 0xffffff };
const DARK = { fibre: 0x4a5160, ink: 0xe8eaee, lost: 0xff6b6b, page: 0x14171c };

/**
 * An element of HTML with attributes and children; texts stay texts.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {Record<string, string>} attributes @param {(Node | string)[]} children
 */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Signs on buttons, as paths in a square of 16. */
const SIGNS = {
  first: "M2 2h2v12H2zM14 2v12L5 8z",
  last: "M11 2v12L4 8zM12 2h2v12h-2z",
  play: "M4 2l10 6-10 6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  next: "M5 2v12l7-6zM2 2h2v12H2z",
  closer: "M7 2h2v5h5v2H9v5H7V9H2V7h5z",
  farther: "M2 7h12v2H2z",
  whole: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
};

/** @param {keyof typeof SIGNS} name */
function sign(name) {
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  picture.setAttribute("viewBox", "0 0 16 16");
  picture.setAttribute("aria-hidden", "true");
  path.setAttribute("d", SIGNS[name]);
  picture.append(path);
  return picture;
}

/** @param {string} label @param {keyof typeof SIGNS} name of its sign @param {string} key @param {() => void} action */
function button(label, name, key, action) {
  const about = { type: "button", "aria-label": label, title: `${label} (${key})` };
  const made = element("button", about, sign(name));
  made.addEventListener("click", action);
  return made;
}

const KEYS =
  "space plays, ← → go from event to event, Home and End to the ends, [ ] change the speed, + − 0 zoom, " +
  "n chooses the next thing, f follows its flow, Esc ends both";
/** What signs in the picture mean, and what keys do. */
const MEANINGS = [
  ["rectangle", "a packet in the colour of its flow, or a burst in that of its class, as long as it takes to send it"],
  ["hollow", "a packet with data that are sent again; a burst whose wavelength was converted"],
  ["framed", "a burst that was deflected"],
  ["dark square", "the header of a burst"],
  ["squares beside a link", "packets in its queue, or in a delay line before it"],
  ["number at a node", "packets in it that no link has been offered yet, such as those in assembly"],
  ["cross", "a loss"],
  ["keys", KEYS],
];

function legend() {
  const list = element("dl");
  for (const [name, meaning] of MEANINGS) list.append(element("dt", {}, name), element("dd", {}, meaning));
  return element("details", { class: "legend" }, element("summary", {}, "What is what"), list);
}

/**
 * What the network is seen in: its picture, and names above it.
 * @param {HTMLElement} picture @param {HTMLElement} names
 */
function stageOf(picture, names) {
  const label = "The network; keys: space plays, arrows step, plus and minus zoom";
  return element("div", { class: "stage", tabindex: "0", role: "application", "aria-label": label }, picture, names);
}

/** What flows there are to follow. @param {Film} film */
function flowChoices({ flows }) {
  const all = element("option", { value: "" }, "all flows");
  const one = (/** @type {[number, {from: string, to: string}]} */ [number, { from, to }]) =>
    element("option", { value: `${number}` }, `flow ${number}: ${from} → ${to}`);
  return [all, ...[...flows].slice(0, MOST_CHOICES).map(one)];
}

/** A control of a number. @param {string} label @param {Record<string, string>} bounds and the value it begins with */
function slide(label, bounds) {
  return element("input", { type: "range", ...bounds, "aria-label": label });
}

/** Plays a film in an element of a page. */
export class Player {
  /**
   * @param {HTMLElement} root @param {Film} film
   * @param {{plain?: boolean, address?: boolean, more?: () => Promise<Film | null>}} [options] without WebGL; whether
   *   the page's address has the moment; what gives the window after the last one of a run that is watched
   */
  constructor(root, film, options = {}) {
    this.root = root;
    this.time = film.start;
    this.more = options.more ?? null;
    /** @type {Film | null} the next window */
    this.following = null;
    this.playing = false;
    this.address = options.address ?? false;
    /** @type {number | null} */
    this.follow = null;
    /** @type {Thing | null} */
    this.chosen = null;
    /** @type {number | null} the link whose channels are shown */
    this.link = null;
    /** Picoseconds of them, before and after now. */
    this.reach = 0;
    /** @type {HTMLCanvasElement | null} where they are drawn */
    this.plan = null;
    this.power = firstPower(film);
    /** @type {View | null} */
    this.view = null;
    /** Whether the view is that of the whole network, whatever the size of the window. */
    this.fits = true;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const picture = element("canvas", { class: "picture" });
    this.above = element("canvas", { class: "names" });
    this.stage = stageOf(picture, this.above);
    this.strip = element("canvas", { class: "strip", role: "img" });
    this.clock = element("output", { class: "clock" });
    this.pacing = element("output", { class: "pace" });
    this.play = button("Play or pause", "play", "space", () => this.toggle());
    this.position = slide("Time", { min: "0", max: "1000", step: "1", value: "0" });
    this.slider = slide("Speed", { min: `${SLOWEST}`, max: `${FASTEST}`, step: "0.05" });
    this.slider.value = `${this.power}`;
    this.flow = element("select", { "aria-label": "Flow to follow" });
    this.about = element("section", { class: "life", "aria-live": "polite", hidden: "" });
    this.film = film;
    this.scene = new Scene(film);
    this.strips = new Strips(film, this.strip);
    this.#describe();
    this.#arrange();
    this.painter = painter(picture, options.plain ?? false);
    // The painter may have put another canvas in its place.
    this.canvas = /** @type {HTMLCanvasElement} */ (this.stage.querySelector(".picture"));
    this.#listen();
    this.#readAddress();
    this.#resize();
    this.show();
    this.#ask();
  }

  /** Say what there is in the film. */
  #describe() {
    this.strip.setAttribute("aria-label", `${this.film.losses.length} losses along time`);
    this.strip.style.height = `${this.strips.height}px`;
    this.flow.replaceChildren(...flowChoices(this.film));
    this.flow.value = this.follow === null ? "" : `${this.follow}`;
  }

  /** Ask for the next window, if the run is watched while it goes on. */
  #ask() {
    const done = (/** @type {Film | null} */ film) => {
      this.following = film;
      if (!film) this.more = null;
    };
    this.more?.().then(done, () => done(null));
  }

  /** Go on to the next window; whether it is there. */
  #goOn() {
    if (!this.following) return false;
    this.film = this.following;
    this.following = null;
    this.scene = new Scene(this.film, this.scene);
    this.strips = new Strips(this.film, this.strip, this.strips);
    this.#describe();
    this.choose(null);
    this.#ask();
    return true;
  }

  /** Picoseconds of the simulation in a second. */
  get pace() {
    return PICO * 10 ** this.power;
  }

  get theme() {
    const page = getComputedStyle(this.root).getPropertyValue("--page").trim();
    return page === "#14171c" ? DARK : LIGHT;
  }

  /** Put the elements into the page. */
  #arrange() {
    this.root.classList.add("player");
    this.root.replaceChildren(
      this.stage,
      element(
        "div",
        { class: "controls" },
        button("To the start", "first", "Home", () => this.go(this.film.start)),
        button("Last event", "last", "←", () => this.step(-1)),
        this.play,
        button("Next event", "next", "→", () => this.step(1)),
        this.clock,
        element("label", { class: "speed" }, this.slider, this.pacing),
        this.flow,
        button("Closer", "closer", "+", () => this.zoom(1.4)),
        button("Farther", "farther", "−", () => this.zoom(1 / 1.4)),
        button("The whole network", "whole", "0", () => this.wholeView()),
      ),
      element("div", { class: "time" }, this.position, this.strip),
      this.about,
    );
    this.root.append(legend());
  }

  #listen() {
    const { stage } = this;
    this.slider.addEventListener("input", () => this.setPower(Number(this.slider.value)));
    this.position.addEventListener("input", () => {
      const { start, stop } = this.film;
      this.go(start + (Number(this.position.value) / 1000) * (stop - start));
    });
    this.flow.addEventListener("change", () => {
      this.followFlow(this.flow.value === "" ? null : Number(this.flow.value));
    });
    this.root.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => {
      this.#resize();
      this.show();
    }).observe(stage);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.show());
    stage.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { left, top } = stage.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 400), event.clientX - left, event.clientY - top);
    }, { passive: false });
    this.#dragged();
    const seek = (/** @type {PointerEvent} */ event) => {
      if (event.buttons & 1) this.go(this.strips.timeAt(event.offsetX));
    };
    this.strip.addEventListener("pointerdown", seek);
    this.strip.addEventListener("pointermove", seek);
    if (this.address) window.addEventListener("hashchange", () => this.#readAddress());
  }

  /** Drag the network; a click that does not move chooses what is there; two fingers zoom. */
  #dragged() {
    const { stage } = this;
    /** @type {Map<number, {x: number, y: number}>} */
    const down = new Map();
    let moved = 0;
    stage.addEventListener("pointerdown", (event) => {
      stage.setPointerCapture(event.pointerId);
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved = 0;
    });
    stage.addEventListener("pointermove", (event) => {
      const last = down.get(event.pointerId);
      if (!last || !this.view) return;
      const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const before = Math.hypot(last.x - other.x, last.y - other.y) || 1;
        const now = Math.hypot(event.clientX - other.x, event.clientY - other.y);
        const { left, top } = stage.getBoundingClientRect();
        this.zoom(now / before, other.x - left, other.y - top);
      } else {
        this.fits = false;
        this.view.x += dx;
        this.view.y += dy;
      }
      moved += Math.abs(dx) + Math.abs(dy);
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.show();
    });
    const up = (/** @type {PointerEvent} */ event) => {
      if (down.delete(event.pointerId) && moved < 4 && event.type === "pointerup") {
        const { left, top } = stage.getBoundingClientRect();
        this.choose(this.scene.thingAt(event.clientX - left, event.clientY - top));
      }
    };
    stage.addEventListener("pointerup", up);
    stage.addEventListener("pointercancel", up);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inControl = event.target instanceof HTMLElement && /^(INPUT|SELECT|BUTTON)$/.test(event.target.tagName);
    /** @type {Record<string, () => void>} */
    const always = {
      "+": () => this.zoom(1.4),
      "-": () => this.zoom(1 / 1.4),
      "0": () => this.wholeView(),
      "[": () => this.setPower(this.power - 0.25),
      "]": () => this.setPower(this.power + 0.25),
      f: () => this.followChosen(),
      n: () => this.chooseNext(),
      Escape: () => {
        this.choose(null);
        this.followFlow(null);
      },
    };
    /** @type {Record<string, () => void>} keys that a control has for itself */
    const here = {
      " ": () => this.toggle(),
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      Home: () => this.go(this.film.start),
      End: () => this.go(this.film.stop),
    };
    const action = always[event.key] ?? (inControl ? undefined : here[event.key]);
    if (!action) return;
    event.preventDefault();
    action();
  }

  #resize() {
    const [width, height] = [this.stage.clientWidth, this.stage.clientHeight];
    if (width === 0 || height === 0) return;
    const ratio = window.devicePixelRatio || 1;
    for (const each of [this.canvas, this.above]) {
      each.width = Math.round(width * ratio);
      each.height = Math.round(height * ratio);
    }
    if (!this.view || this.fits) this.view = this.scene.whole(width, height);
    this.view.x += (width - this.view.width) / 2;
    this.view.y += (height - this.view.height) / 2;
    [this.view.width, this.view.height] = [width, height];
  }

  /** Show everything. */
  wholeView() {
    this.fits = true;
    this.view = this.scene.whole(this.stage.clientWidth, this.stage.clientHeight);
    this.show();
  }

  /** @param {number} factor @param {number} [x] @param {number} [y] the point that stays where it is */
  zoom(factor, x = this.stage.clientWidth / 2, y = this.stage.clientHeight / 2) {
    const { view } = this;
    if (!view) return;
    this.fits = false;
    const scale = Math.max(2, Math.min(20_000, view.scale * factor));
    const real = scale / view.scale;
    view.x = x - (x - view.x) * real;
    view.y = y - (y - view.y) * real;
    view.scale = scale;
    this.show();
  }

  /** @param {number} power */
  setPower(power) {
    this.power = Math.max(SLOWEST, Math.min(FASTEST, power));
    this.slider.value = `${this.power}`;
    this.#write();
    this.show();
  }

  /** Play, or pause. */
  toggle() {
    this.playing = !this.playing;
    this.play.replaceChildren(sign(this.playing ? "pause" : "play"));
    if (this.playing) {
      if (this.time >= this.film.stop && !this.more) this.time = this.film.start;
      let last = performance.now();
      const frame = (/** @type {number} */ now) => {
        if (!this.playing) return;
        this.time = Math.min(this.film.stop, this.time + ((now - last) / 1000) * this.pace);
        last = now;
        if (this.time >= this.film.stop && !this.#goOn() && !this.more) this.toggle();
        this.show();
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    } else {
      this.#write();
    }
  }

  /** Go to an instant. @param {number} time */
  go(time) {
    this.time = Math.max(this.film.start, Math.min(this.film.stop, Math.round(time)));
    this.#write();
    this.show();
  }

  /** Go to the next event, or the last one before. @param {1 | -1} way */
  step(way) {
    if (this.playing) this.toggle();
    let time = this.film.step(this.time, way);
    if (time === null && way > 0 && this.#goOn()) time = this.film.step(this.time, way);
    if (time !== null) this.go(time);
  }

  /** @param {number | null} flow */
  followFlow(flow) {
    this.follow = flow !== null && this.film.flows.has(flow) ? flow : null;
    this.flow.value = this.follow === null ? "" : `${this.follow}`;
    this.#write();
    this.show();
  }

  /** Follow the flow of what is chosen. */
  followChosen() {
    if (this.chosen) this.followFlow(flowOf(this.film, this.chosen));
  }

  /** Choose the next of the things that are seen, for those who have no pointer. */
  chooseNext() {
    const { things } = this.scene;
    if (things.length === 0) return;
    const at = things.findIndex(({ thing }) => thing.kind === this.chosen?.kind && thing.row === this.chosen.row);
    this.choose(things[(at + 1) % things.length].thing);
  }

  /** Show the life of a thing. @param {Thing | null} thing */
  choose(thing) {
    this.chosen = thing;
    this.about.hidden = !thing;
    this.about.replaceChildren();
    this.link = null;
    if (thing) {
      const { title, rows } = life(this.film, thing);
      const list = element("dl");
      for (const [name, value] of rows) list.append(element("dt", {}, name), element("dd", {}, value));
      this.about.append(element("h2", {}, title));
      if (thing.kind !== "packet") {
        const { link, start, end } = this.film.reservations;
        this.link = link[thing.row];
        this.reach = 25 * (end[thing.row] - start[thing.row] || 1e6);
        const label = "Reservations of the link";
        this.plan = element("canvas", { class: "schedule", role: "img", "aria-label": label });
        this.about.append(element("h3", {}, `Channels of ${this.film.links.name[this.link]}`), this.plan);
      } else {
        const flow = flowOf(this.film, thing);
        const follow = element("button", { type: "button" }, `Follow flow ${flow}`);
        follow.addEventListener("click", () => this.followFlow(flow));
        this.about.append(follow);
      }
      this.about.append(list);
    }
    this.show();
  }

  /** Draw the present instant. */
  show() {
    const { view, film, theme } = this;
    if (!view) return;
    const memory = MEMORY * this.pace;
    const strokes = this.scene.draw(view, this.time, { theme, follow: this.follow, memory, chosen: this.chosen });
    this.painter.draw(strokes, view.width, view.height);
    this.#names(theme);
    this.strips.draw(this.time, theme, this.follow);
    if (this.link !== null && this.plan) {
      drawSchedule(this.plan, film, this.link, this.time, this.reach, theme);
    }
    const waits = this.playing && this.time >= film.stop && this.more !== null;
    this.clock.textContent = instant(this.time, this.pace / 60) + (waits ? ", the engine runs" : "");
    this.pacing.textContent = speed(this.pace);
    const share = (this.time - film.start) / (film.stop - film.start || 1);
    this.position.value = `${Math.round(1000 * share)}`;
    this.position.setAttribute("aria-valuetext", span(this.time));
  }

  /** @param {{ink: number, page: number}} theme */
  #names({ ink, page }) {
    const context = /** @type {CanvasRenderingContext2D} */ (this.above.getContext("2d"));
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.above.width, this.above.height);
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "top";
    context.lineWidth = 3;
    context.strokeStyle = css(page);
    context.fillStyle = css(ink);
    // Of names that would cover each other only the first is seen.
    /** @type {{x: number, y: number, text: string}[]} */
    const taken = [];
    for (const label of this.scene.labels.sort((a, b) => a.rank - b.rank)) {
      const { x, y, text } = label;
      const covers = (/** @type {{x: number, y: number, text: string}} */ other) =>
        Math.abs(other.x - x) < 3.5 * (text.length + other.text.length) && Math.abs(other.y - y) < 14;
      if (taken.length > MOST_NAMES || taken.some(covers)) continue;
      taken.push(label);
      context.strokeText(text, x, y);
      context.fillText(text, x, y);
    }
  }

  #write() {
    if (!this.address || this.playing) return;
    const words = new URLSearchParams({ t: `${this.time}`, speed: this.power.toFixed(2) });
    if (this.follow !== null) words.set("flow", `${this.follow}`);
    history.replaceState(null, "", `#${words}`);
  }

  #readAddress() {
    if (!this.address || location.hash.length < 2) return;
    const words = new URLSearchParams(location.hash.slice(1));
    const number = (/** @type {string} */ name) => (words.has(name) ? Number(words.get(name)) : NaN);
    if (Number.isFinite(number("speed"))) this.power = Math.max(SLOWEST, Math.min(FASTEST, number("speed")));
    if (Number.isFinite(number("flow"))) this.follow = this.film.flows.has(number("flow")) ? number("flow") : null;
    if (Number.isFinite(number("t"))) this.time = Math.max(this.film.start, Math.min(this.film.stop, number("t")));
    this.slider.value = `${this.power}`;
    this.flow.value = this.follow === null ? "" : `${this.follow}`;
    this.show();
  }
}

/** A speed at which light takes three seconds on the longest fibre, or the film half a minute. @param {Film} film */
function firstPower({ links, start, stop }) {
  const longest = links.delay.reduce((a, b) => Math.max(a, b), 0);
  const pace = longest > 0 ? longest / 3 : (stop - start) / 30;
  return Math.max(SLOWEST, Math.min(FASTEST, Math.log10(Math.max(1, pace) / PICO)));
}
