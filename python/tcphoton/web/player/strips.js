// Strips along time: losses, sampled values, and the reservations of a link.

import { css } from "./paint.js";
import { COLOURS } from "./scene.js";

/** @typedef {import("./film.js").Film} Film */
/** @typedef {import("./scene.js").Theme} Theme */

/** Lines of a kind of series that are drawn: the highest ones. */
const MOST_LINES = 8;
/** @type {Record<string, string>} */
const SERIES_UNITS = { cwnd: "B", ssthresh: "B", rtt: "s", queue: "packets", channels: "busy" };

/**
 * How many losses there are in each of some equal parts of a span of time.
 * @param {{time: number}[]} losses @param {number} start @param {number} stop @param {number} parts
 */
export function binned(losses, start, stop, parts) {
  const found = new Uint32Array(parts);
  for (const { time } of losses) {
    const at = Math.floor(((time - start) / (stop - start || 1)) * parts);
    found[Math.max(0, Math.min(parts - 1, at))] += 1;
  }
  return found;
}

/** The strips of a film. */
export class Strips {
  /** @param {Film} film @param {HTMLCanvasElement} canvas @param {Strips | null} before of the window before */
  constructor(film, canvas, before = null) {
    this.film = film;
    this.canvas = canvas;
    // Only what has ever been more than nothing.
    const drawn = film.series.filter(({ values }) => values.some((value) => value > 0));
    this.kinds = [...new Set([...(before?.kinds ?? []), ...drawn.map(({ kind }) => kind)])].slice(0, 3);
    /** The picture without the cursor. */
    this.still = document.createElement("canvas");
    this.drawnFor = "";
  }

  /** Pixels of height that they need. */
  get height() {
    return 34 + 54 * this.kinds.length;
  }

  /** The instant at a place of the canvas. @param {number} x */
  timeAt(x) {
    const { start, stop } = this.film;
    const share = (x - LEFT) / (this.canvas.clientWidth - LEFT - RIGHT);
    return Math.round(start + Math.max(0, Math.min(1, share)) * (stop - start));
  }

  /** @param {number} time */
  placeOf(time) {
    const { start, stop } = this.film;
    return LEFT + ((time - start) / (stop - start || 1)) * (this.canvas.clientWidth - LEFT - RIGHT);
  }

  /** @param {number} time @param {Theme} theme @param {number | null} follow */
  draw(time, theme, follow) {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const key = [width, height, ratio, theme.page, follow].join();
    if (key !== this.drawnFor) {
      this.drawnFor = key;
      for (const each of [this.canvas, this.still]) {
        each.width = Math.max(1, Math.round(width * ratio));
        each.height = Math.max(1, Math.round(height * ratio));
      }
      this.#still(width, height, ratio, theme, follow);
    }
    const context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.still, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = css(theme.ink);
    context.fillRect(this.placeOf(time) - 0.75, 0, 1.5, height);
  }

  /**
   * @param {number} width @param {number} height @param {number} ratio @param {Theme} theme
   * @param {number | null} follow
   */
  #still(width, height, ratio, theme, follow) {
    const context = /** @type {CanvasRenderingContext2D} */ (this.still.getContext("2d"));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "top";
    this.#losses(context, width, theme, follow);
    this.kinds.forEach((kind, at) => this.#series(context, width, 34 + 54 * at, kind, theme, follow));
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {number} width @param {Theme} theme
   * @param {number | null} follow
   */
  #losses(context, width, theme, follow) {
    const { film } = this;
    const { packet } = film.hops;
    const losses =
      follow === null ? film.losses : film.losses.filter(({ hop }) => film.packets.flow[packet[hop]] === follow);
    const parts = Math.max(1, Math.floor(width - LEFT - RIGHT));
    const found = binned(losses, film.start, film.stop, parts);
    const most = found.reduce((a, b) => Math.max(a, b), 1);
    context.fillStyle = css(theme.fibre);
    context.fillRect(LEFT, 26, width - LEFT - RIGHT, 1);
    context.fillStyle = css(theme.lost);
    found.forEach((count, at) => {
      if (count > 0) {
        const size = 6 + (16 * Math.log1p(count)) / Math.log1p(most);
        context.fillRect(LEFT + at, 26 - size, 1.5, size);
      }
    });
    context.fillStyle = css(theme.ink);
    context.fillText("losses", 4, 6);
    context.fillText(`${losses.length}`, 4, 19);
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {number} width @param {number} top @param {string} kind
   * @param {Theme} theme @param {number | null} follow
   */
  #series(context, width, top, kind, theme, follow) {
    const high = 44;
    const highest = (/** @type {{values: number[]}} */ one) => one.values.reduce((a, b) => Math.max(a, b), 0);
    const ofFlow = kind !== "queue" && kind !== "channels";
    const lines = this.film.series
      .filter((one) => one.kind === kind && (!ofFlow || follow === null || one.name === `flow ${follow}`))
      .sort((a, b) => highest(b) - highest(a))
      .slice(0, MOST_LINES);
    const most = Math.max(1e-12, ...lines.map(highest));
    context.fillStyle = css(theme.fibre);
    context.fillRect(LEFT, top + high, width - LEFT - RIGHT, 1);
    lines.forEach(({ name, times, values }, at) => {
      const flow = ofFlow ? Number(name.replace("flow ", "")) : at;
      context.strokeStyle = css(COLOURS[flow % COLOURS.length]);
      context.lineWidth = 1.2;
      context.beginPath();
      times.forEach((time, i) => {
        context.lineTo(this.placeOf(time), top + high - (values[i] / most) * (high - 2));
      });
      context.stroke();
    });
    context.fillStyle = css(theme.ink);
    context.fillText(kind, 4, top + 6);
    const unit = SERIES_UNITS[kind] ?? "";
    context.fillText(`≤ ${Number(most.toPrecision(2)).toLocaleString("en")} ${unit}`, 4, top + 19, LEFT - 8);
  }
}

const LEFT = 96;
const RIGHT = 8;
