// What the player says in words: times, and the lives of bursts and packets.

/** @typedef {import("./film.js").Film} Film */
/** @typedef {import("./scene.js").Thing} Thing */

/** @type {[number, string][]} */
const UNITS = [
  [1e12, "s"],
  [1e9, "ms"],
  [1e6, "µs"],
  [1e3, "ns"],
  [1, "ps"],
];

/** A span of time with a unit, to so many digits. @param {number} pico @param {number} [digits] */
export function span(pico, digits = 4) {
  if (!Number.isFinite(pico)) return "–";
  const size = Math.abs(pico);
  const [unit, name] = UNITS.find(([each]) => size >= each) ?? UNITS[UNITS.length - 1];
  return `${Number((pico / unit).toPrecision(digits))} ${name}`;
}

/**
 * An instant in seconds, to the digits that a step of so many picoseconds needs.
 * @param {number} pico @param {number} step
 */
export function instant(pico, step) {
  const digits = Math.max(0, Math.min(12, 12 - Math.floor(Math.log10(Math.max(1, step)))));
  return `${(pico / 1e12).toFixed(digits)} s`;
}

/** A speed: simulated time in a second. @param {number} pico */
export function speed(pico) {
  return `${span(pico, 3)} per second`;
}

/**
 * What is known of a thing: a title, and rows of a name and a value.
 * @param {Film} film @param {Thing} thing @returns {{title: string, rows: [string, string][]}}
 */
export function life(film, { kind, row }) {
  return kind === "packet" ? packetLife(film, row) : burstLife(film, film.reservations.burst[row]);
}

/** The flow of a thing; none of a burst. @param {Film} film @param {Thing} thing */
export function flowOf(film, { kind, row }) {
  return kind === "packet" ? film.packets.flow[film.hops.packet[row]] : null;
}

/** @param {Film} film @param {number} hop @returns {{title: string, rows: [string, string][]}} */
function packetLife(film, hop) {
  const { hops, packets, links } = film;
  const packet = hops.packet[hop];
  const flow = packets.flow[packet];
  const ends = film.flows.get(flow);
  const way = packets.backward[packet] ? [ends?.to, ends?.from] : [ends?.from, ends?.to];
  /** @type {[string, string][]} */
  const rows = [
    ["flow", `${flow}: ${way[0]} → ${way[1]}${ends ? `, ${ends.transport}` : ""}`],
    ["bytes", `${packets.bytes[packet]}, of data ${packets.data[packet]}`],
  ];
  if (ends?.transport === "tcp") {
    rows.push(["octets", `from ${packets.seq[packet]}, acknowledges ${packets.ack[packet]}`]);
  }
  if (packets.resent[packet]) rows.push(["data", "sent again"]);
  for (let each = 0; each < hops.link.length; each += 1) {
    if (hops.packet[each] === packet) rows.push([links.name[hops.link[each]], hopWords(film, each)]);
  }
  return { title: `Packet ${packets.number[packet]}`, rows };
}

/** @param {Film} film @param {number} hop */
function hopWords({ hops }, hop) {
  const { offered, start, end, arrived, lost, cause, channel, burst, marked } = hops;
  const parts = [`offered at ${instant(offered[hop], 1e3)}`];
  if (!Number.isNaN(burst[hop])) parts.push(`burst ${burst[hop]}, channel ${channel[hop]}`);
  if (start[hop] > offered[hop]) parts.push(`waits ${span(start[hop] - offered[hop])}`);
  if (!Number.isNaN(end[hop])) parts.push(`takes ${span(end[hop] - start[hop])}`);
  if (!Number.isNaN(arrived[hop])) parts.push(`there at ${instant(arrived[hop], 1e3)}`);
  if (marked[hop]) parts.push("marked with congestion");
  if (!Number.isNaN(lost[hop])) parts.push(`lost at ${instant(lost[hop], 1e3)}: ${cause[hop]}`);
  return parts.join(", ");
}

/** @param {Film} film @param {number} number @returns {{title: string, rows: [string, string][]}} */
function burstLife(film, number) {
  const { bursts, reservations, links, hops, packets } = film;
  /** @type {[string, string][]} */
  const rows = [];
  const row = film.burstRow.get(number);
  if (row !== undefined) {
    rows.push(
      ["class", `${bursts.ingress[row]} → ${bursts.egress[row]}`],
      ["size", `${bursts.packets[row]} packets, ${bursts.bytes[row]} bytes`],
      ["assembly", `from ${instant(bursts.opened[row], 1e3)}, for ${span(bursts.released[row] - bursts.opened[row])}`],
      ["released", `at ${instant(bursts.released[row], 1e3)}, by ${bursts.cause[row]}`],
    );
  }
  for (let each = 0; each < reservations.link.length; each += 1) {
    if (reservations.burst[each] === number) {
      rows.push([links.name[reservations.link[each]] ?? "?", reservationWords(film, each)]);
    }
  }
  if (row !== undefined) {
    const delivered = bursts.delivered[row];
    const when = Number.isNaN(delivered) ? "" : ` at ${instant(delivered, 1e3)}`;
    rows.push(["outcome", bursts.outcome[row] + when]);
  }
  /** @type {Set<string>} */
  const inside = new Set();
  for (let hop = 0; hop < hops.link.length; hop += 1) {
    if (hops.burst[hop] !== number) continue;
    const packet = hops.packet[hop];
    inside.add(`${packets.number[packet]} (flow ${packets.flow[packet]})`);
  }
  if (inside.size > 0) {
    const shown = [...inside].slice(0, 12).join(", ");
    rows.push(["packets", inside.size > 12 ? `${shown} and ${inside.size - 12} more` : shown]);
  }
  return { title: `Burst ${number}`, rows };
}

/** @param {Film} film @param {number} row */
function reservationWords({ reservations }, row) {
  const { asked, channel, start, end, fibreDelay, converted, deflected, outcome } = reservations;
  const parts = [`asked at ${instant(asked[row], 1e3)}`];
  if (outcome[row] !== "granted") return [...parts, outcome[row]].join(", ");
  parts.push(`channel ${channel[row]} from ${instant(start[row], 1e3)} for ${span(end[row] - start[row])}`);
  if (fibreDelay[row] > 0) parts.push(`delay line of ${span(fibreDelay[row])}`);
  if (converted[row]) parts.push("converted");
  if (deflected[row]) parts.push("deflected");
  return parts.join(", ");
}
