// What is to be drawn of a film at an instant: strokes in pixels.

import { placed } from "./layout.js";

/** @typedef {import("./film.js").Film} Film */
/** @typedef {import("./layout.js").Places} Places */

/**
 * The part of the network that is seen: pixels of a unit, and of the origin.
 * @typedef {{scale: number, x: number, y: number, width: number, height: number}} View
 */

/** @typedef {{kind: "packet" | "burst" | "header", row: number}} Thing */

/**
 * What is drawn, by name; a theme has a colour for each, as 0xRRGGBB.
 * @typedef {{fibre: number, ink: number, lost: number, page: number}} Theme
 */

/** Colours of flows and classes that are told apart by everybody (M. Okabe, K. Ito, 2008). */
export const COLOURS = [0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0x8a7a00, 0x777777];

/** Numbers of a stroke: two ends, half of its width. */
const NUMBERS = 5;
/** Packets of a queue that are drawn one by one. */
const MOST_WAITING = 24;
/** Pixels of a packet from which on packets are drawn one by one. */
const ONE_BY_ONE = 0.7;

/** Strokes: straight, with square ends. */
export class Strokes {
  constructor() {
    this.count = 0;
    this.numbers = new Float32Array(NUMBERS * 1024);
    /** 0xAARRGGBB each. */
    this.colours = new Uint32Array(1024);
  }

  /**
   * @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {number} half
   * @param {number} colour @param {number} [alpha] from 0 to 1
   */
  add(x0, y0, x1, y1, half, colour, alpha = 1) {
    if (this.count === this.colours.length) this.#grow();
    const at = NUMBERS * this.count;
    this.numbers[at] = x0;
    this.numbers[at + 1] = y0;
    this.numbers[at + 2] = x1;
    this.numbers[at + 3] = y1;
    this.numbers[at + 4] = half;
    this.colours[this.count] = ((Math.round(255 * alpha) << 24) | colour) >>> 0;
    this.count += 1;
  }

  #grow() {
    const [numbers, colours] = [this.numbers, this.colours];
    this.numbers = new Float32Array(2 * numbers.length);
    this.numbers.set(numbers);
    this.colours = new Uint32Array(2 * colours.length);
    this.colours.set(colours);
  }
}

/** A film as it is seen. */
export class Scene {
  /** @param {Film} film @param {Scene | null} before of the window before, whose places it keeps */
  constructor(film, before = null) {
    this.film = film;
    const { from, to, channels, name } = film.links;
    this.places = before?.places ?? placed(film.nodes.name.length, from, to);
    this.strokes = new Strokes();
    /** @type {{thing: Thing, stroke: number}[]} */
    this.things = [];
    /** @type {{x: number, y: number, text: string, rank: number}[]} those of a lower rank come first */
    this.labels = [];
    /** Whether headers run on a link: it has one more lane. */
    this.hasHeaders = before?.hasHeaders ?? new Uint8Array(name.length);
    for (const row of film.headers.rows) this.hasHeaders[film.reservations.link[row]] = 1;
    /** The first lane of each link, counted from the middle of the links that run beside it. */
    this.lane = new Int32Array(name.length);
    /** @type {Map<string, number>} all lanes on the side of a link */
    const used = new Map();
    for (let link = 0; link < name.length; link += 1) {
      const side = `${from[link]} ${to[link]}`;
      const before = used.get(side) ?? 0;
      this.lane[link] = before;
      used.set(side, before + channels[link] + this.hasHeaders[link]);
    }
    this.mostLanes = [...used.values()].reduce((a, b) => Math.max(a, b), 1);
    /** Half of the width of a host, in units. */
    this.hostSize = hostSize(film, this.places);
    /** @type {number[][]} rows on each link, gathered anew for each picture */
    this.rows = name.map(() => []);
    /** @type {number[]} */
    this.used = [];
    /** @type {Theme} of the last picture, as are those that follow */
    this.theme = { fibre: 0, ink: 0, lost: 0, page: 0 };
    /** @type {number | null} */
    this.follow = null;
    /** @type {Thing | null} */
    this.chosen = null;
    /** How clearly hosts are seen: they fade where they are many, and have no names. */
    this.shown = 1;
  }

  /** The view that shows everything. @param {number} width @param {number} height @returns {View} */
  whole(width, height) {
    const { x, y } = this.places;
    if (x.length === 0) return { scale: 100, x: 0, y: 0, width, height };
    const [left, right, top, bottom] = [least(x), most(x), least(y), most(y)];
    const margin = Math.min(60, width / 8, height / 8);
    const scale = Math.min(
      (width - 2 * margin) / Math.max(right - left, 0.5),
      (height - 2 * margin) / Math.max(bottom - top, 0.5),
      420,
    );
    return {
      scale,
      x: width / 2 - (scale * (left + right)) / 2,
      y: height / 2 - (scale * (top + bottom)) / 2,
      width,
      height,
    };
  }

  /** Pixels between lanes. @param {View} view */
  pitch({ scale }) {
    return Math.max(0.8, Math.min(scale * 0.05, 12, (0.5 * scale) / this.mostLanes));
  }

  /** Half of the width of a node in pixels. @param {View} view @param {number} node */
  half({ scale }, node) {
    if (this.film.nodes.kind[node] === "host") return Math.max(1, Math.min(scale * this.hostSize, 11));
    return Math.max(3, Math.min(scale * 0.07, 16));
  }

  /**
   * The ends of a lane of a link in pixels.
   * @param {View} view @param {number} link @param {number} lane from 0 @returns {[number, number, number, number]}
   */
  lineOf(view, link, lane) {
    const { from, to } = this.film.links;
    const { x, y } = this.places;
    const [ax, ay] = [view.x + view.scale * x[from[link]], view.y + view.scale * y[from[link]]];
    const [bx, by] = [view.x + view.scale * x[to[link]], view.y + view.scale * y[to[link]]];
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const [dx, dy] = [(bx - ax) / length, (by - ay) / length];
    const aside = this.pitch(view) * (this.lane[link] + lane + 0.7);
    const [near, far] = [from[link], to[link]].map((node) => Math.min(1.3 * this.half(view, node), length / 3));
    const [ox, oy] = [-dy * aside, dx * aside];
    return [ax + dx * near + ox, ay + dy * near + oy, bx - dx * far + ox, by - dy * far + oy];
  }

  /**
   * Gather what is to be drawn.
   * @param {View} view @param {number} time
   * @param {{theme: Theme, follow?: number | null, memory?: number, chosen?: Thing | null}} options the flow that is
   *   followed, and for how long a loss is seen
   */
  draw(view, time, { theme, follow = null, memory = 0, chosen = null }) {
    this.strokes.count = 0;
    this.things.length = 0;
    this.labels.length = 0;
    this.theme = theme;
    this.follow = follow;
    this.chosen = chosen;
    this.shown = Math.max(0.12, Math.min(1, (view.scale * this.hostSize) / 8));
    this.#fibres(view);
    this.#light(view, time);
    this.#wires(view, time);
    this.#headers(view, time);
    this.#waiting(view, time);
    this.#nodes(view, time);
    this.#losses(view, time, memory);
    return this.strokes;
  }

  /** The thing at a point, and how it is drawn. @param {number} x @param {number} y @returns {Thing | null} */
  thingAt(x, y) {
    const reach = 4;
    for (let i = this.things.length - 1; i >= 0; i -= 1) {
      const { thing, stroke } = this.things[i];
      const [x0, y0, x1, y1, half] = this.strokes.numbers.subarray(NUMBERS * stroke, NUMBERS * (stroke + 1));
      const length = Math.hypot(x1 - x0, y1 - y0) || 1;
      const along = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length;
      const aside = Math.abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) / length;
      if (along >= -reach && along <= length + reach && aside <= half + reach) return thing;
    }
    return null;
  }

  /** @param {View} view @param {number} link */
  #seen(view, link) {
    const [x0, y0, x1, y1] = this.lineOf(view, link, 0);
    const margin = 40;
    return (
      Math.max(x0, x1) > -margin &&
      Math.min(x0, x1) < view.width + margin &&
      Math.max(y0, y1) > -margin &&
      Math.min(y0, y1) < view.height + margin
    );
  }

  /** @param {View} view */
  #fibres(view) {
    const { fibre } = this.theme;
    const { name, channels } = this.film.links;
    const half = Math.min(0.5, this.pitch(view) / 4);
    for (let link = 0; link < name.length; link += 1) {
      if (!this.#seen(view, link)) continue;
      const lanes = channels[link] + this.hasHeaders[link];
      const faint = this.#atHost(link) ? this.shown : 1;
      for (let lane = 0; lane < lanes; lane += 1) {
        const alpha = faint * (lane < channels[link] ? 0.9 : 0.45);
        this.strokes.add(...this.lineOf(view, link, lane), half, fibre, alpha);
      }
    }
  }

  /** @param {number} link */
  #atHost(link) {
    const { from, to } = this.film.links;
    const { kind } = this.film.nodes;
    return kind[from[link]] === "host" || kind[to[link]] === "host";
  }

  /** @param {number} flow */
  #colourOf(flow) {
    return COLOURS[flow % COLOURS.length];
  }

  /** @param {number} flow */
  #dimmed(flow) {
    return this.follow === null || this.follow === flow ? 1 : 0.12;
  }

  /**
   * A part of a lane.
   * @param {[number, number, number, number]} line @param {number} head @param {number} tail from 0 to 1
   * @param {number} half @param {number} colour @param {number} alpha
   */
  #part([x0, y0, x1, y1], head, tail, half, colour, alpha) {
    let [a, b] = [tail, head];
    const length = Math.hypot(x1 - x0, y1 - y0) || 1;
    if ((b - a) * length < 1) {
      const middle = (a + b) / 2;
      [a, b] = [middle - 0.5 / length, middle + 0.5 / length];
    }
    const [ax, ay] = [x0 + a * (x1 - x0), y0 + a * (y1 - y0)];
    const [bx, by] = [x0 + b * (x1 - x0), y0 + b * (y1 - y0)];
    this.strokes.add(ax, ay, bx, by, half, colour, alpha);
  }

  /** @param {Thing} thing */
  #mark(thing) {
    this.things.push({ thing, stroke: this.strokes.count - 1 });
    if (this.chosen?.kind !== thing.kind || this.chosen.row !== thing.row) return;
    const at = NUMBERS * (this.strokes.count - 1);
    const [x0, y0, x1, y1, half] = this.strokes.numbers.subarray(at, at + NUMBERS);
    const { ink } = this.theme;
    this.strokes.add(x0, y0, x1, y1, half + 2.5, ink, 0.35);
  }

  /** Bursts on fibres. @param {View} view @param {number} time */
  #light(view, time) {
    const { film } = this;
    const { link, start, end, channel, burst, converted, deflected } = film.reservations;
    const { ink, page } = this.theme;
    const half = this.pitch(view) * 0.42;
    film.light.at(time, (row) => {
      const on = link[row];
      if (on < 0 || !this.#seen(view, on)) return;
      const line = this.lineOf(view, on, channel[row]);
      const [head, tail] = film.span(on, start[row], end[row], time);
      const colour = COLOURS[film.burstClass[film.burstRow.get(burst[row]) ?? 0] % COLOURS.length];
      const alpha = this.follow === null ? 0.55 : 0.2;
      if (deflected[row] > 0) this.#part(line, head, tail, half + 2, ink, alpha);
      this.#part(line, head, tail, half, colour ?? COLOURS[0], alpha);
      this.#mark({ kind: "burst", row });
      if (converted[row] > 0) this.#part(line, head, tail, Math.max(0.5, half / 6), page, 1);
    });
  }

  /** Packets on wires: one by one, or how full each pixel is of them. @param {View} view @param {number} time */
  #wires(view, time) {
    const { film, rows, used } = this;
    const { link } = film.hops;
    used.length = 0;
    film.wires.at(time, (hop) => {
      const on = link[hop];
      if (rows[on].length === 0) used.push(on);
      rows[on].push(hop);
    });
    for (const on of used) {
      if (this.#seen(view, on)) this.#wire(view, time, on, rows[on]);
      rows[on].length = 0;
    }
  }

  /** @param {View} view @param {number} time @param {number} on @param {number[]} hops */
  #wire(view, time, on, hops) {
    const { film } = this;
    const { start, end, channel, packet, burst } = film.hops;
    const { flow, resent } = film.packets;
    const { page } = this.theme;
    const half = this.pitch(view) * 0.36;
    const [x0, y0, x1, y1] = this.lineOf(view, on, 0);
    const pixels = Math.hypot(x1 - x0, y1 - y0);
    const dense = hops.length * ONE_BY_ONE > pixels * film.links.channels[on];
    if (dense) {
      this.#density(view, time, on, hops, Math.ceil(pixels));
      return;
    }
    for (const hop of hops) {
      const lane = Number.isNaN(channel[hop]) ? 0 : channel[hop];
      const [head, tail] = film.span(on, start[hop], end[hop], time);
      const light = !Number.isNaN(burst[hop]);
      // Packets of a burst are seen in it where they are large enough.
      if (light && (head - tail) * pixels < 2 && this.follow === null) continue;
      const number = flow[packet[hop]];
      const line = this.lineOf(view, on, lane);
      const wide = light ? half * 0.6 : half;
      this.#part(line, head, tail, wide, this.#colourOf(number), this.#dimmed(number));
      this.#mark({ kind: "packet", row: hop });
      if (resent[packet[hop]]) this.#part(line, head, tail, wide / 3, page, this.#dimmed(number));
    }
  }

  /** @param {View} view @param {number} time @param {number} on @param {number[]} hops @param {number} pixels */
  #density(view, time, on, hops, pixels) {
    const { film } = this;
    const { start, end, channel, packet } = film.hops;
    const { flow } = film.packets;
    const lanes = film.links.channels[on];
    const cover = new Float32Array(lanes * pixels);
    const colour = new Uint32Array(lanes * pixels);
    for (const hop of hops) {
      const number = flow[packet[hop]];
      if (this.#dimmed(number) < 1) continue;
      const lane = (Number.isNaN(channel[hop]) ? 0 : channel[hop]) * pixels;
      const [head, tail] = film.span(on, start[hop], end[hop], time);
      const last = Math.min(pixels - 1, Math.floor(head * pixels));
      for (let at = Math.floor(tail * pixels); at <= last; at += 1) {
        cover[lane + at] += Math.max(0, Math.min(at + 1, head * pixels) - Math.max(at, tail * pixels));
        colour[lane + at] = this.#colourOf(number);
      }
    }
    const half = this.pitch(view) * 0.36;
    for (let lane = 0; lane < lanes; lane += 1) {
      const line = this.lineOf(view, on, lane);
      for (let at = 0; at < pixels; at += 1) {
        const full = cover[lane * pixels + at];
        if (full > 0.02) {
          const alpha = Math.min(1, 0.15 + full);
          this.#part(line, (at + 1) / pixels, at / pixels, half, colour[lane * pixels + at], alpha);
        }
      }
    }
  }

  /** @param {View} view @param {number} time */
  #headers(view, time) {
    const { film } = this;
    const { link, headerSent } = film.reservations;
    const { ink } = this.theme;
    const half = Math.max(1.2, this.pitch(view) * 0.25);
    film.headers.at(time, (row) => {
      const on = link[row];
      if (on < 0 || !this.#seen(view, on)) return;
      const [x0, y0, x1, y1] = this.lineOf(view, on, film.links.channels[on]);
      const [at] = film.span(on, headerSent[row], NaN, time);
      const length = Math.hypot(x1 - x0, y1 - y0) || 1;
      const [x, y] = [x0 + at * (x1 - x0), y0 + at * (y1 - y0)];
      const [dx, dy] = [(half * (x1 - x0)) / length, (half * (y1 - y0)) / length];
      this.strokes.add(x - dx, y - dy, x + dx, y + dy, half, ink, this.follow === null ? 0.9 : 0.3);
      this.#mark({ kind: "header", row });
    });
  }

  /** Queues, beside the beginning of their link. @param {View} view @param {number} time */
  #waiting(view, time) {
    const { film } = this;
    const { link, packet } = film.hops;
    const { flow } = film.packets;
    /** @type {Map<number, number>} */
    const count = new Map();
    const size = Math.max(1.6, Math.min(view.scale * 0.02, 4));
    film.waits.at(time, (hop) => {
      const on = link[hop];
      const before = count.get(on) ?? 0;
      count.set(on, before + 1);
      if (before >= MOST_WAITING || !this.#seen(view, on)) return;
      const [x0, y0, x1, y1] = this.lineOf(view, on, film.links.channels[on] + this.hasHeaders[on]);
      const length = Math.hypot(x1 - x0, y1 - y0) || 1;
      const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
      // In rows of eight, the first to leave nearest to the link.
      const [column, row] = [before % 8, Math.floor(before / 8)];
      const [along, aside] = [2.4 * size * column + size, 2.4 * size * (row + 0.6)];
      const [x, y] = [x0 + dx * along - dy * aside, y0 + dy * along + dx * aside];
      const number = flow[packet[hop]];
      const [sx, sy] = [dx * size, dy * size];
      this.strokes.add(x - sx, y - sy, x + sx, y + sy, size, this.#colourOf(number), this.#dimmed(number));
      this.#mark({ kind: "packet", row: hop });
    });
    for (const [on, waiting] of count) {
      if (waiting <= MOST_WAITING || !this.#seen(view, on)) continue;
      const [x0, y0, x1, y1] = this.lineOf(view, on, film.links.channels[on] + this.hasHeaders[on]);
      const length = Math.hypot(x1 - x0, y1 - y0) || 1;
      const aside = 9.5 * size;
      this.labels.push({
        x: x0 + ((x1 - x0) / length) * 10 * size - ((y1 - y0) / length) * aside,
        y: y0 + ((y1 - y0) / length) * 10 * size + ((x1 - x0) / length) * aside,
        text: `${waiting} wait`,
        rank: 0,
      });
    }
  }

  /** @param {View} view @param {number} time */
  #nodes(view, time) {
    const { film, places } = this;
    const { kind, name } = film.nodes;
    const { ink, page } = this.theme;
    /** @type {Map<number, number>} */
    const inside = new Map();
    film.dwells.at(time, (hop) => {
      const node = film.links.from[film.hops.link[hop]];
      inside.set(node, (inside.get(node) ?? 0) + 1);
    });
    for (let node = 0; node < name.length; node += 1) {
      const [x, y] = [view.x + view.scale * places.x[node], view.y + view.scale * places.y[node]];
      if (x < -80 || y < -80 || x > view.width + 80 || y > view.height + 80) continue;
      const half = this.half(view, node);
      this.strokes.add(x - half, y, x + half, y, half, ink, 1);
      const inner = half - Math.max(1, half * 0.18);
      const filled = kind[node] === "edge" || kind[node] === "core";
      if (!filled) this.strokes.add(x - inner, y, x + inner, y, inner, page, 1);
      const count = inside.get(node);
      const text = count ? `${name[node]} (${count})` : name[node];
      const isHost = kind[node] === "host";
      if (!isHost || this.shown > 0.6) this.labels.push({ x, y: y + half + 3, text, rank: isHost ? 2 : 1 });
    }
  }

  /** @param {View} view @param {number} time @param {number} memory */
  #losses(view, time, memory) {
    const { film } = this;
    const { losses } = film;
    const { lost } = this.theme;
    const size = Math.max(3.5, this.pitch(view) * 0.7);
    let at = firstFrom(losses, time - memory);
    for (; at < losses.length && losses[at].time <= time; at += 1) {
      const { time: when, link, hop, wire } = losses[at];
      if (!this.#seen(view, link)) continue;
      const { start, end, channel, packet } = film.hops;
      const [x0, y0, x1, y1] = this.lineOf(view, link, Number.isNaN(channel[hop]) ? 0 : channel[hop]);
      const [head] = wire ? film.span(link, start[hop], end[hop], when) : [0];
      const [x, y] = [x0 + head * (x1 - x0), y0 + head * (y1 - y0)];
      const faded = 1 - (time - when) / (memory || 1);
      const alpha = this.#dimmed(film.packets.flow[packet[hop]]) * Math.max(0.15, faded);
      this.strokes.add(x - size, y - size, x + size, y + size, 1.3, lost, alpha);
      this.strokes.add(x - size, y + size, x + size, y - size, 1.3, lost, alpha);
    }
  }
}

/** The first loss at or after an instant. @param {{time: number}[]} losses @param {number} time */
export function firstFrom(losses, time) {
  let [low, high] = [0, losses.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (losses[middle].time < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {Float64Array} values */
const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
/** @param {Float64Array} values */
const most = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);

/**
 * Half of the width of hosts that do not touch each other, in units.
 * @param {Film} film @param {Places} places
 */
function hostSize({ nodes }, { x, y }) {
  let nearest = 1;
  let last = -1;
  // Neighbours in the list of nodes are neighbours at their router.
  for (let node = 0; node < nodes.kind.length; node += 1) {
    if (nodes.kind[node] !== "host") continue;
    if (last >= 0) {
      const apart = Math.hypot(x[node] - x[last], y[node] - y[last]);
      if (apart > 0) nearest = Math.min(nearest, apart);
    }
    last = node;
  }
  return Math.min(0.05, 0.36 * nearest);
}
