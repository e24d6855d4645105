// The channels of a link in time: what is reserved on them, and the voids between.

import { css } from "./paint.js";
import { COLOURS } from "./scene.js";

/** @typedef {import("./film.js").Film} Film */
/** @typedef {import("./scene.js").Theme} Theme */

/**
 * Draw the reservations of a link around an instant.
 * @param {HTMLCanvasElement} canvas @param {Film} film @param {number} link @param {number} time
 * @param {number} reach picoseconds before and after @param {Theme} theme
 */
export function drawSchedule(canvas, film, link, time, reach, theme) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const lanes = film.links.channels[link];
  const row = Math.max(6, Math.min(18, 120 / lanes));
  const height = row * lanes + 16;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const place = (/** @type {number} */ at) => ((at - time + reach) / (2 * reach)) * width;
  for (let lane = 0; lane < lanes; lane += 1) {
    context.fillStyle = css(theme.fibre);
    context.globalAlpha = 0.35;
    context.fillRect(0, lane * row + row - 1, width, 1);
  }
  const { reservations } = film;
  // What is on the fibre or will be, of all links; of this one what had been asked for by now.
  film.light.between(time - reach, time + reach, (each) => {
    if (reservations.link[each] !== link || reservations.asked[each] > time) return;
    const [channel, start, end] = [reservations.channel[each], reservations.start[each], reservations.end[each]];
    const [x0, x1] = [place(start), place(end)];
    if (x1 < 0 || x0 > width) return;
    const burst = film.burstRow.get(reservations.burst[each]) ?? 0;
    context.fillStyle = css(COLOURS[film.burstClass[burst] % COLOURS.length]);
    // What is to come is reserved; what has gone was sent.
    context.globalAlpha = start > time ? 0.45 : 0.9;
    context.fillRect(x0, channel * row + 1, Math.max(1, x1 - x0), row - 2);
  });
  context.globalAlpha = 1;
  context.fillStyle = css(theme.ink);
  context.fillRect(width / 2 - 0.75, 0, 1.5, row * lanes);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "bottom";
  context.fillText("sent", 2, height);
  context.textAlign = "right";
  context.fillText("reserved", width - 2, height);
  context.textAlign = "left";
}
