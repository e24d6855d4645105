// What happens in a network, by time. Instants are picoseconds from the start of the run.

import { numbers, texts } from "../tables.js";
import { Gathered } from "./intervals.js";

/** @typedef {import("../tables.js").Table} Table */

/**
 * A loss: when, on which link, why, of which row of the hops; -1 for a burst of which no packet is known.
 * @typedef {{time: number, link: number, cause: string, hop: number, wire: boolean}} Loss
 */

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

/** A recorded run. */
export class Film {
  /**
   * @param {Map<string, Table>} tables those of a trace
   * @param {{title?: string, seed?: string, start: number, stop: number, cut?: number | null}} about
   */
  constructor(tables, about) {
    this.title = about.title ?? "";
    this.seed = about.seed ?? "";
    this.start = about.start;
    this.stop = about.cut ?? about.stop;
    this.cut = about.cut ?? null;
    this.#readNetwork(tables);
    this.#readHops(tables);
    this.#readBursts(tables);
    this.#gather();
    this.#readSeries(tables.get("series"));
    /** @type {Float64Array | null} */
    this.instants = null;
  }

  /** @param {Map<string, Table>} tables */
  #readNetwork(tables) {
    const [nodes, links] = [tables.get("nodes"), tables.get("links")];
    this.nodes = { name: words(nodes, "node"), kind: words(nodes, "kind") };
    this.links = {
      name: words(links, "link"),
      from: of(links, "from-node"),
      to: of(links, "to-node"),
      rate: of(links, "rate"),
      delay: of(links, "delay"),
      channels: of(links, "channels"),
    };
    const flows = tables.get("flows");
    const [from, to, kind] = ["from", "to", "transport"].map((name) => words(flows, name));
    /** @type {Map<number, {from: string, to: string, transport: string}>} */
    this.flows = new Map();
    of(flows, "flow").forEach((flow, i) => {
      this.flows.set(flow, { from: from[i], to: to[i], transport: kind[i] });
    });
  }

  /** @param {Map<string, Table>} tables */
  #readHops(tables) {
    const [hops, packets] = [tables.get("hops"), tables.get("packets")];
    this.hops = {
      packet: of(hops, "packet"),
      link: of(hops, "link"),
      hop: of(hops, "hop"),
      offered: of(hops, "offered"),
      start: of(hops, "start"),
      end: of(hops, "end"),
      arrived: of(hops, "arrived"),
      lost: of(hops, "lost"),
      cause: words(hops, "cause"),
      marked: of(hops, "marked"),
      channel: of(hops, "channel"),
      burst: of(hops, "burst"),
    };
    this.packets = {
      number: of(packets, "number"),
      flow: of(packets, "flow"),
      backward: of(packets, "backward"),
      bytes: of(packets, "bytes"),
      data: of(packets, "data"),
      seq: of(packets, "seq"),
      ack: of(packets, "ack"),
      resent: of(packets, "resent"),
    };
    /** The hop before each one, of the same packet; -1 for the first that is recorded. */
    this.before = new Int32Array(this.hops.link.length).fill(-1);
    const last = new Int32Array(this.packets.number.length).fill(-1);
    for (let hop = 0; hop < this.before.length; hop += 1) {
      const packet = this.hops.packet[hop];
      if (last[packet] >= 0 && this.hops.hop[last[packet]] + 1 === this.hops.hop[hop]) {
        this.before[hop] = last[packet];
      }
      last[packet] = hop;
    }
  }

  /** @param {Map<string, Table>} tables */
  #readBursts(tables) {
    const [bursts, asked] = [tables.get("bursts"), tables.get("reservations")];
    /** @type {Map<string, number>} */
    const link = new Map(this.links.name.map((name, at) => [name, at]));
    this.bursts = {
      number: of(bursts, "burst"),
      ingress: words(bursts, "ingress"),
      egress: words(bursts, "egress"),
      packets: of(bursts, "packets"),
      bytes: of(bursts, "bytes"),
      opened: instants(bursts, "opened"),
      released: instants(bursts, "released"),
      cause: words(bursts, "cause"),
      outcome: words(bursts, "outcome"),
      delivered: instants(bursts, "delivered"),
    };
    /** @type {Map<number, number>} the row of a burst by its number */
    this.burstRow = new Map([...this.bursts.number].map((number, row) => [number, row]));
    const classes = [...new Set(this.bursts.ingress.map((from, i) => `${from} → ${this.bursts.egress[i]}`))];
    /** The classes of bursts, and that of each. */
    this.classes = classes;
    const place = new Map(classes.map((name, at) => [name, at]));
    this.burstClass = this.bursts.ingress.map((from, i) =>
      /** @type {number} */ (place.get(`${from} → ${this.bursts.egress[i]}`)),
    );
    this.reservations = {
      burst: of(asked, "burst"),
      link: Float64Array.from(words(asked, "link"), (name) => link.get(name) ?? -1),
      asked: instants(asked, "asked"),
      headerSent: instants(asked, "header-sent"),
      channel: of(asked, "channel"),
      start: instants(asked, "start"),
      end: instants(asked, "end"),
      fibreDelay: instants(asked, "fibre-delay"),
      converted: of(asked, "converted"),
      deflected: of(asked, "deflected"),
      outcome: words(asked, "outcome"),
    };
  }

  /** Where each thing is, and when. */
  #gather() {
    const { hops, links, reservations } = this;
    const [wires, waits, dwells, headers, light] = Array.from({ length: 5 }, () => new Gathered());
    /** @type {Loss[]} */
    this.losses = [];
    for (let hop = 0; hop < hops.link.length; hop += 1) {
      const link = hops.link[hop];
      const lost = hops.lost[hop];
      const isLost = !Number.isNaN(lost);
      const wire = isLost && hops.cause[hop] === ON_THE_WIRE;
      const [first, last] = this.#passage(hop);
      if (first < Infinity) {
        const arrives = last + links.delay[link];
        wires.add(first, isLost ? Math.min(arrives, lost) : arrives, hop);
      }
      waits.add(this.#waitsFrom(hop), isLost ? Math.min(first, lost) : first, hop);
      const before = this.before[hop];
      if (before >= 0 && !this.#cutsThrough(hop)) {
        dwells.add(hops.arrived[before], hops.offered[hop], hop);
      }
      if (isLost) this.losses.push({ time: lost, link, cause: hops.cause[hop], hop, wire });
    }
    for (let row = 0; row < reservations.link.length; row += 1) {
      const delay = links.delay[reservations.link[row]];
      const sent = reservations.headerSent[row];
      if (!Number.isNaN(sent)) headers.add(sent, sent + delay, row);
      const granted = reservations.outcome[row] === "granted";
      if (granted) light.add(reservations.start[row], reservations.end[row] + delay, row);
    }
    this.losses.sort((a, b) => a.time - b.time || a.hop - b.hop);
    /** Packets of which some bit is on a wire: rows of the hops. */
    this.wires = wires.done();
    /** Packets in the queue of a link, or in a delay line before it: rows of the hops. */
    this.waits = waits.done();
    /** Packets in a node, before they are offered to the next link: rows of the hops. */
    this.dwells = dwells.done();
    /** Headers on a control channel: rows of the reservations. */
    this.headers = headers.done();
    /** Bursts of which some bit is on a fibre: rows of the reservations. */
    this.light = light.done();
  }

  /** The instants at which a packet's first and last bit leave; infinite if they do not. @param {number} hop */
  #passage(hop) {
    const { start, end } = this.hops;
    const first = Number.isNaN(start[hop]) ? Infinity : start[hop];
    return [first, Number.isNaN(end[hop]) ? Infinity : end[hop]];
  }

  /** Whether a packet comes as light and goes on as light in the same burst. @param {number} hop */
  #cutsThrough(hop) {
    const before = this.before[hop];
    return before >= 0 && this.hops.burst[before] === this.hops.burst[hop];
  }

  /** From when on a packet waits for a link: a header asks for it before its packets are there. @param {number} hop */
  #waitsFrom(hop) {
    const { offered, start, link } = this.hops;
    if (!this.#cutsThrough(hop)) return offered[hop];
    const before = this.before[hop];
    const firstBit = start[before] + this.links.delay[link[before]];
    return Number.isNaN(firstBit) ? Infinity : Math.max(offered[hop], firstBit);
  }

  /** @param {Table | undefined} series */
  #readSeries(series) {
    /** @type {{kind: string, name: string, times: number[], values: number[]}[]} */
    this.series = [];
    if (!series) return;
    const [kinds, names] = [words(series, "what"), words(series, "subject")];
    const [times, values] = [instants(series, "time"), of(series, "value")];
    /** @type {Map<string, {kind: string, name: string, times: number[], values: number[]}>} */
    const known = new Map();
    for (let i = 0; i < kinds.length; i += 1) {
      const key = `${kinds[i]}\n${names[i]}`;
      let one = known.get(key);
      if (!one) {
        one = { kind: kinds[i], name: names[i], times: [], values: [] };
        known.set(key, one);
        this.series.push(one);
      }
      one.times.push(times[i]);
      one.values.push(values[i]);
    }
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
    const found = { wires: [], waits: [], dwells: [], headers: [], light: [] };
    for (const kind of /** @type {("wires")[]} */ (Object.keys(found))) {
      this[kind].at(time, (row) => /** @type {number[]} */ (found[kind]).push(row));
    }
    return found;
  }

  /** The next instant at which something happens, or the last one before; none at the ends. @param {number} time @param {1 | -1} way */
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
