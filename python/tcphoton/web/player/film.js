// What happens in a network, by time. Instants are picoseconds from the start of the run.

import { numbers, texts } from "../tables.js";
import { Gathered } from "./intervals.js";

/** @typedef {import("../tables.js").Table} Table */
/** @typedef {import("./intervals.js").Intervals} Intervals */

/**
 * A loss: when, on which link, why, of which row of the hops; -1 for a burst of which no packet is known.
 * @typedef {{time: number, link: number, cause: string, hop: number, wire: boolean}} Loss
 */

/** @typedef {{kind: string, name: string, times: number[], values: number[]}} Series */
/** @typedef {ReturnType<typeof readLinks>} Links */
/** @typedef {ReturnType<typeof readHops>} Hops */
/** @typedef {ReturnType<typeof readBursts>} Bursts */
/** @typedef {ReturnType<typeof readReservations>} Reservations */

/** Picoseconds of a second. */
export const PICO = 1e12;
/** Why a packet that the wire loses is lost: it has used the wire. */
const ON_THE_WIRE = "dropped-loss";

/** @param {Table | undefined} table @param {string} name */
const of = (table, name) => {
  const column = table?.columns.get(name);
  return column ? numbers(column) : new Float64Array(0);
};

/** @param {Table | undefined} table @param {string} name */
const words = (table, name) => {
  const column = table?.columns.get(name);
  return column ? texts(column) : [];
};

/** @param {Table | undefined} table @param {string} name */
const instants = (table, name) => of(table, name).map((seconds) => Math.round(seconds * PICO));

/** @param {Table | undefined} table */
const readNodes = (table) => ({ name: words(table, "node"), kind: words(table, "kind") });

/** @param {Table | undefined} table */
const readLinks = (table) => ({
  name: words(table, "link"),
  from: of(table, "from-node"),
  to: of(table, "to-node"),
  rate: of(table, "rate"),
  delay: of(table, "delay"),
  channels: of(table, "channels"),
});

/** @param {Table | undefined} table */
function readFlows(table) {
  const [from, to, kind] = ["from", "to", "transport"].map((name) => words(table, name));
  /** @type {Map<number, {from: string, to: string, transport: string}>} */
  const flows = new Map();
  of(table, "flow").forEach((flow, i) => {
    flows.set(flow, { from: from[i], to: to[i], transport: kind[i] });
  });
  return flows;
}

/** @param {Table | undefined} table */
const readHops = (table) => ({
  packet: of(table, "packet"),
  link: of(table, "link"),
  hop: of(table, "hop"),
  offered: of(table, "offered"),
  start: of(table, "start"),
  end: of(table, "end"),
  arrived: of(table, "arrived"),
  lost: of(table, "lost"),
  cause: words(table, "cause"),
  marked: of(table, "marked"),
  channel: of(table, "channel"),
  burst: of(table, "burst"),
});

/** @param {Table | undefined} table */
const readPackets = (table) => ({
  number: of(table, "number"),
  flow: of(table, "flow"),
  backward: of(table, "backward"),
  bytes: of(table, "bytes"),
  data: of(table, "data"),
  seq: of(table, "seq"),
  ack: of(table, "ack"),
  resent: of(table, "resent"),
});

/** @param {Table | undefined} table */
const readBursts = (table) => ({
  number: of(table, "burst"),
  ingress: words(table, "ingress"),
  egress: words(table, "egress"),
  packets: of(table, "packets"),
  bytes: of(table, "bytes"),
  opened: instants(table, "opened"),
  released: instants(table, "released"),
  cause: words(table, "cause"),
  outcome: words(table, "outcome"),
  delivered: instants(table, "delivered"),
});

/** @param {Table | undefined} table @param {string[]} links their names */
function readReservations(table, links) {
  const place = new Map(links.map((name, at) => [name, at]));
  return {
    burst: of(table, "burst"),
    link: Float64Array.from(words(table, "link"), (name) => place.get(name) ?? -1),
    asked: instants(table, "asked"),
    headerSent: instants(table, "header-sent"),
    channel: of(table, "channel"),
    start: instants(table, "start"),
    end: instants(table, "end"),
    fibreDelay: instants(table, "fibre-delay"),
    converted: of(table, "converted"),
    deflected: of(table, "deflected"),
    outcome: words(table, "outcome"),
  };
}

/** @param {Table | undefined} table */
function readSeries(table) {
  const [kinds, names] = [words(table, "what"), words(table, "subject")];
  const [times, values] = [instants(table, "time"), of(table, "value")];
  /** @type {Map<string, Series>} */
  const known = new Map();
  for (let i = 0; i < kinds.length; i += 1) {
    const key = `${kinds[i]}\n${names[i]}`;
    let one = known.get(key);
    if (!one) {
      one = { kind: kinds[i], name: names[i], times: [], values: [] };
      known.set(key, one);
    }
    one.times.push(times[i]);
    one.values.push(values[i]);
  }
  return [...known.values()];
}

/** @param {Hops} hops @param {number} packets how many there are */
function hopsBefore({ packet, link, hop: number }, packets) {
  const before = new Int32Array(link.length).fill(-1);
  const last = new Int32Array(packets).fill(-1);
  for (let hop = 0; hop < before.length; hop += 1) {
    const latest = last[packet[hop]];
    if (latest >= 0 && number[latest] + 1 === number[hop]) before[hop] = latest;
    last[packet[hop]] = hop;
  }
  return before;
}

/**
 * The classes of bursts, from one node to another, and that of each.
 * @param {Bursts} bursts @param {string[]} known classes that have their places
 */
function burstClasses({ ingress, egress }, known) {
  const ways = ingress.map((from, i) => `${from} → ${egress[i]}`);
  // In the order of their names, so that they have the same colours whichever burst is first.
  const classes = [...new Set([...known, ...[...new Set(ways)].sort()])];
  const place = new Map(classes.map((name, at) => [name, at]));
  return { classes, burstClass: ways.map((way) => /** @type {number} */ (place.get(way))) };
}

/**
 * The instants at which a packet's first and last bit leave; infinite if they do not.
 * @param {Hops} hops @param {number} hop
 */
function passage({ start, end }, hop) {
  const first = Number.isNaN(start[hop]) ? Infinity : start[hop];
  return [first, Number.isNaN(end[hop]) ? Infinity : end[hop]];
}

/**
 * Where packets are, and when; and where they are lost.
 * @param {Hops} hops @param {Int32Array} before of each hop @param {Links} links
 */
function gatherPackets(hops, before, links) {
  const [wires, waits, dwells] = [new Gathered(), new Gathered(), new Gathered()];
  /** @type {Loss[]} */
  const losses = [];
  for (let hop = 0; hop < hops.link.length; hop += 1) {
    const link = hops.link[hop];
    const lost = hops.lost[hop];
    const isLost = !Number.isNaN(lost);
    const wire = isLost && hops.cause[hop] === ON_THE_WIRE;
    const [first, last] = passage(hops, hop);
    if (first < Infinity) {
      const arrives = last + links.delay[link];
      wires.add(first, isLost ? Math.min(arrives, lost) : arrives, hop);
    }
    const from = before[hop];
    // Light that goes on as light, in the same burst, is not in the node between.
    const cutsThrough = from >= 0 && hops.burst[from] === hops.burst[hop];
    const waitsFrom = cutsThrough ? firstBitFrom(hops, from, hop, links) : hops.offered[hop];
    waits.add(waitsFrom, isLost ? Math.min(first, lost) : first, hop);
    if (from >= 0 && !cutsThrough) dwells.add(hops.arrived[from], hops.offered[hop], hop);
    if (isLost) losses.push({ time: lost, link, cause: hops.cause[hop], hop, wire });
  }
  losses.sort((a, b) => a.time - b.time || a.hop - b.hop);
  return { wires: wires.done(), waits: waits.done(), dwells: dwells.done(), losses };
}

/**
 * From when on a packet in a burst waits for a link: a header asks for it before its packets are there.
 * @param {Hops} hops @param {number} before @param {number} hop @param {Links} links
 */
function firstBitFrom({ offered, start, link }, before, hop, { delay }) {
  const firstBit = start[before] + delay[link[before]];
  return Number.isNaN(firstBit) ? Infinity : Math.max(offered[hop], firstBit);
}

/** Where headers and bursts are, and when. @param {Reservations} reservations @param {Links} links */
function gatherBursts({ link, headerSent, start, end, outcome }, links) {
  const [headers, light] = [new Gathered(), new Gathered()];
  for (let row = 0; row < link.length; row += 1) {
    const delay = links.delay[link[row]];
    const sent = headerSent[row];
    if (!Number.isNaN(sent)) headers.add(sent, sent + delay, row);
    if (outcome[row] === "granted") light.add(start[row], end[row] + delay, row);
  }
  return { headers: headers.done(), light: light.done() };
}

/** A recorded run. */
export class Film {
  /**
   * @param {Map<string, Table>} tables those of a trace
   * @param {{title?: string, seed?: string, start: number, stop: number, cut?: number | null}} about
   * @param {Film | null} before the window before this one of a run that is watched
   */
  constructor(tables, about, before = null) {
    this.title = about.title ?? "";
    this.seed = about.seed ?? "";
    this.start = about.start;
    this.stop = about.cut ?? about.stop;
    this.cut = about.cut ?? null;
    this.nodes = readNodes(tables.get("nodes"));
    this.links = readLinks(tables.get("links"));
    this.flows = readFlows(tables.get("flows"));
    this.hops = readHops(tables.get("hops"));
    this.packets = readPackets(tables.get("packets"));
    /** The hop before each one, of the same packet; -1 for the first that is recorded. */
    this.before = hopsBefore(this.hops, this.packets.number.length);
    this.bursts = readBursts(tables.get("bursts"));
    /** @type {Map<number, number>} the row of a burst by its number */
    this.burstRow = new Map([...this.bursts.number].map((number, row) => [number, row]));
    const { classes, burstClass } = burstClasses(this.bursts, before?.classes ?? []);
    /** The classes of bursts, and that of each. */
    this.classes = classes;
    this.burstClass = burstClass;
    this.reservations = readReservations(tables.get("reservations"), this.links.name);
    const { wires, waits, dwells, losses } = gatherPackets(this.hops, this.before, this.links);
    /** Packets of which some bit is on a wire: rows of the hops. */
    this.wires = wires;
    /** Packets in the queue of a link, or in a delay line before it: rows of the hops. */
    this.waits = waits;
    /** Packets in a node, before they are offered to the next link: rows of the hops. */
    this.dwells = dwells;
    // Packets that were lost before may still have rows.
    this.losses = before ? losses.filter(({ time }) => time >= this.start) : losses;
    const { headers, light } = gatherBursts(this.reservations, this.links);
    /** Headers on a control channel: rows of the reservations. */
    this.headers = headers;
    /** Bursts of which some bit is on a fibre: rows of the reservations. */
    this.light = light;
    this.series = readSeries(tables.get("series"));
    /** @type {Float64Array | null} */
    this.instants = null;
  }

  /**
   * How far the first and the last bit of something have come on a link, from 0 to 1.
   * @param {number} link @param {number} start @param {number} end @param {number} time
   */
  span(link, start, end, time) {
    const delay = this.links.delay[link];
    if (delay === 0) return time >= start && time < end ? [1, 0] : [0, 0];
    const head = Math.min(1, Math.max(0, (time - start) / delay));
    const tail = time < end || Number.isNaN(end) ? 0 : Math.min(1, (time - end) / delay);
    return [head, tail];
  }

  /**
   * All that is anywhere at an instant: rows of hops on wires, in queues and in nodes, and of reservations whose
   * headers and bursts are on fibres.
   * @param {number} time
   */
  at(time) {
    const rowsOf = (/** @type {Intervals} */ intervals) => {
      /** @type {number[]} */
      const rows = [];
      intervals.at(time, (row) => rows.push(row));
      return rows;
    };
    return {
      wires: rowsOf(this.wires),
      waits: rowsOf(this.waits),
      dwells: rowsOf(this.dwells),
      headers: rowsOf(this.headers),
      light: rowsOf(this.light),
    };
  }

  /**
   * The next instant at which something happens, or the last one before; none at the ends.
   * @param {number} time @param {1 | -1} way
   */
  step(time, way) {
    const all = this.#allInstants();
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (way > 0 ? all[middle] <= time : all[middle] < time) low = middle + 1;
      else high = middle;
    }
    const at = way > 0 ? low : low - 1;
    return at >= 0 && at < all.length ? all[at] : null;
  }

  #allInstants() {
    if (this.instants) return this.instants;
    const { hops, reservations } = this;
    const columns = [hops.offered, hops.start, hops.end, hops.arrived, hops.lost, reservations.asked];
    const all = new Float64Array(columns.reduce((sum, column) => sum + column.length, 0));
    let count = 0;
    for (const column of columns) {
      for (const time of column) {
        if (time >= this.start && time <= this.stop) all[count++] = time;
      }
    }
    this.instants = all.subarray(0, count).sort();
    return this.instants;
  }
}
