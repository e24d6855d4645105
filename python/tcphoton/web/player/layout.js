// Where nodes are drawn: neighbours a unit apart, as well as a plane allows it.

/** Nodes from which on they simply stand in a circle. */
const MOST = 700;
/** How far the first row of leaves is from the node that they hang at. */
const LEAF = 0.6;
/** The room of a leaf in its row: as much as there is, from the most to the least. */
const ROOM = [0.42, 0.05];
/** The share of the free angle that leaves take. */
const SPREAD = 0.75;

/** @typedef {{x: Float64Array, y: Float64Array}} Places */

/**
 * Places of nodes; the same network always has the same ones.
 * @param {number} count nodes @param {ArrayLike<number>} from @param {ArrayLike<number>} to ends of links
 * @returns {Places}
 */
export function placed(count, from, to) {
  const near = neighbours(count, from, to);
  const leaf = near.map((others) => others.length === 1 && near[others[0]].length > 1);
  const inner = near.map((_, node) => node).filter((node) => !leaf[node]);
  const places = { x: new Float64Array(count), y: new Float64Array(count) };
  if (inner.length > MOST) circle(inner, places, inner.length / 7);
  else spread(inner, near, places);
  turn(inner, places);
  for (const node of inner) hang(node, near[node], leaf, places);
  return places;
}

/** @param {number} count @param {ArrayLike<number>} from @param {ArrayLike<number>} to */
function neighbours(count, from, to) {
  const sets = Array.from({ length: count }, () => /** @type {Set<number>} */ (new Set()));
  for (let link = 0; link < from.length; link += 1) {
    if (from[link] === to[link]) continue;
    sets[from[link]].add(to[link]);
    sets[to[link]].add(from[link]);
  }
  return sets.map((set) => [...set].sort((a, b) => a - b));
}

/** @param {number[]} nodes @param {Places} places @param {number} radius */
function circle(nodes, places, radius) {
  nodes.forEach((node, at) => {
    const angle = (2 * Math.PI * at) / nodes.length;
    places.x[node] = radius * Math.cos(angle);
    places.y[node] = radius * Math.sin(angle);
  });
}

/** Hops from a node to the inner ones. @param {number} start @param {number[][]} near @param {Int32Array} place */
function distances(start, near, place) {
  const found = new Float64Array(place.length).fill(Infinity);
  found[start] = 0;
  const queue = [start];
  for (let at = 0; at < queue.length; at += 1) {
    for (const next of near[queue[at]]) {
      if (place[next] < 0 || found[next] < Infinity) continue;
      found[next] = found[queue[at]] + 1;
      queue.push(next);
    }
  }
  return found;
}

/**
 * Distances in the plane near those in hops (stress majorization, Gansner et al. 2004).
 * @param {number[]} inner @param {number[][]} near @param {Places} places
 */
function spread(inner, near, places) {
  const n = inner.length;
  const place = new Int32Array(near.length).fill(-1);
  inner.forEach((node, at) => (place[node] = at));
  const far = inner.map((node) => {
    const all = distances(node, near, place);
    return Float64Array.from(inner, (other) => all[other]);
  });
  const most = Math.max(1, ...far.map((row) => row.reduce((a, b) => (b < Infinity ? Math.max(a, b) : a), 0)));
  for (const row of far) row.forEach((hops, i) => (row[i] = Math.min(hops, most + 1)));
  // A chain is a line, to which this would come slowly.
  const end = inner.findIndex((node) => near[node].filter((other) => place[other] >= 0).length < 2);
  if (end >= 0 && new Set(far[end]).size === n && far[end].every((hops) => hops < n)) {
    inner.forEach((node, at) => (places.x[node] = far[end][at]));
    return;
  }
  circle(inner, places, Math.max(1, most / 2));
  const rounds = Math.round(Math.min(2_000, Math.max(20, 4e6 / (n * n))));
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < n; i += 1) {
      let [x, y, weights] = [0, 0, 0];
      const [xi, yi] = [places.x[inner[i]], places.y[inner[i]]];
      for (let j = 0; j < n; j += 1) {
        if (i === j) continue;
        const hops = far[i][j];
        const [xj, yj] = [places.x[inner[j]], places.y[inner[j]]];
        const length = Math.hypot(xi - xj, yi - yj) || 1e-9;
        const weight = 1 / (hops * hops);
        x += weight * (xj + (hops * (xi - xj)) / length);
        y += weight * (yj + (hops * (yi - yj)) / length);
        weights += weight;
      }
      if (weights === 0) continue;
      places.x[inner[i]] = x / weights;
      places.y[inner[i]] = y / weights;
    }
  }
}

/**
 * Turn the network so that it is wide rather than high, and its first node is on the left.
 * @param {number[]} nodes @param {Places} places
 */
function turn(nodes, { x, y }) {
  const mean = (/** @type {Float64Array} */ values) =>
    nodes.reduce((sum, node) => sum + values[node], 0) / nodes.length;
  const [mx, my] = [mean(x), mean(y)];
  let [xx, yy, xy] = [0, 0, 0];
  for (const node of nodes) {
    x[node] -= mx;
    y[node] -= my;
    xx += x[node] * x[node];
    yy += y[node] * y[node];
    xy += x[node] * y[node];
  }
  const angle = 0.5 * Math.atan2(2 * xy, xx - yy);
  let [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const first = nodes[0];
  if (cos * x[first] + sin * y[first] > 1e-9) [cos, sin] = [-cos, -sin];
  for (const node of nodes) {
    const [a, b] = [x[node], y[node]];
    x[node] = cos * a + sin * b;
    y[node] = cos * b - sin * a;
  }
}

/**
 * Put the leaves of a node where it has most room.
 * @param {number} node @param {number[]} near @param {boolean[]} leaf @param {Places} places
 */
function hang(node, near, leaf, { x, y }) {
  const leaves = near.filter((other) => leaf[other]);
  if (leaves.length === 0) return;
  const angles = near
    .filter((other) => !leaf[other])
    .map((other) => Math.atan2(y[other] - y[node], x[other] - x[node]))
    .sort((a, b) => a - b);
  // Without other neighbours the leaves stand all around.
  let [begin, gap] = [Math.PI, 2 * Math.PI];
  if (angles.length > 0) {
    gap = 0;
    angles.forEach((angle, at) => {
      const next = at + 1 < angles.length ? angles[at + 1] : angles[0] + 2 * Math.PI;
      if (next - angle > gap) [begin, gap] = [angle, next - angle];
    });
  }
  if (angles.length > 0) {
    begin += ((1 - SPREAD) / 2) * gap;
    gap *= SPREAD;
  }
  const room = Math.max(ROOM[1], Math.min(ROOM[0], (LEAF * gap) / leaves.length));
  let [at, radius] = [0, LEAF];
  while (at < leaves.length) {
    const fit = Math.max(1, Math.floor((radius * gap) / room + 1e-9));
    const row = leaves.slice(at, at + fit);
    row.forEach((each, i) => {
      const angle = begin + (gap * (i + 0.5)) / row.length;
      x[each] = x[node] + radius * Math.cos(angle);
      y[each] = y[node] + radius * Math.sin(angle);
    });
    at += row.length;
    radius += room;
  }
}
