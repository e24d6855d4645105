// What an author can write next: from the schema of scenarios, and where the cursor is.

/** @typedef {{label: string, insert: string, detail: string}} Candidate */

/**
 * Where a line of a scenario is, and what it is about.
 * @typedef {{path: string[], key: string | null, prefix: string, siblings: Map<string, string>}} Place the way to the
 *   table; the key whose value is being written; what is written of the word already; the keys of the table
 */

const KEY = /^\s*([\w.-]+|"[^"]*")\s*=\s*(.*)$/;

/** The kinds that a node of the schema may be. @param {any} schema @param {any} node @returns {any[]} */
function alternatives(schema, node, depth = 0) {
  if (!node || depth > 20) return [];
  if (node.$ref) {
    const target = schema.$defs?.[node.$ref.replace("#/$defs/", "")];
    return alternatives(schema, target, depth + 1).map((each) => ({ about: node.description, ...each }));
  }
  const parts = node.anyOf ?? node.oneOf ?? node.allOf;
  return parts ? parts.flatMap((/** @type {any} */ part) => alternatives(schema, part, depth + 1)) : [node];
}

/** @param {any} node @returns {unknown[]} the words that a node accepts */
function words(node) {
  if (node.const !== undefined) return [node.const];
  if (Array.isArray(node.enum)) return node.enum;
  return node.type === "boolean" ? [true, false] : [];
}

/** The tables that some nodes may be, those of another kind left out. @param {any} schema @param {any[]} nodes @param {Map<string, string>} siblings */
function tablesOf(schema, nodes, siblings) {
  const all = nodes.flatMap((node) => alternatives(schema, node)).filter((each) => each.properties);
  const kind = siblings.get("kind")?.replaceAll('"', "");
  const fitting = all.filter((each) => {
    const known = each.properties.kind ? words(each.properties.kind) : [];
    return !kind || known.length === 0 || known.includes(kind);
  });
  return fitting.length > 0 ? fitting : all;
}

/** The tables at the end of a way. @param {any} schema @param {string[]} path @param {Map<string, string>} siblings @returns {any[]} */
function nodesAt(schema, path, siblings) {
  let found = [schema];
  for (const step of path) {
    found = tablesOf(schema, found, new Map())
      .map((table) => table.properties[step])
      .filter(Boolean)
      .flatMap((node) => alternatives(schema, node))
      .map((node) => (node.type === "array" && node.items ? node.items : node));
  }
  return tablesOf(schema, found, siblings);
}

/** The text from the last open bracket of a line, and the keys before it: an inline table. @param {string} line @returns {{inner: string, path: string[]}} */
function inlined(line) {
  /** @type {{at: number, key: string}[]} */
  const open = [];
  let text = "";
  for (let i = 0; i < line.length; i += 1) {
    const sign = line[i];
    if (sign === '"') text = text ? "" : '"';
    if (text) continue;
    if (sign === "#") break;
    if (sign === "{") open.push({ at: i, key: /([\w.-]+)\s*=\s*\[?\s*$/.exec(line.slice(0, i))?.[1] ?? "" });
    if (sign === "}") open.pop();
  }
  const last = open[open.length - 1];
  return last ? { inner: line.slice(last.at + 1), path: open.map(({ key }) => key) } : { inner: line, path: [] };
}

/** Where the end of a text is. @param {string} text up to the cursor @returns {Place} */
export function placeOf(text) {
  const lines = text.split("\n");
  const line = lines[lines.length - 1];
  /** @type {string[]} */
  let path = [];
  /** @type {Map<string, string>} */
  let siblings = new Map();
  for (const each of lines.slice(0, -1)) {
    const header = /^\s*\[\[?\s*([\w.-]+)\s*\]\]?/.exec(each);
    if (header) {
      path = header[1].split(".");
      siblings = new Map();
      continue;
    }
    const pair = KEY.exec(each);
    if (pair) siblings.set(pair[1], pair[2].trim());
  }
  const { inner, path: into } = inlined(line);
  if (into.length > 0) {
    path = [...path, ...into.flatMap((key) => key.split("."))];
    siblings = new Map();
  }
  const parts = inner.split(/,(?![^[]*\])/);
  for (const part of parts.slice(0, -1)) {
    const pair = KEY.exec(part);
    if (pair) siblings.set(pair[1], pair[2].trim());
  }
  const last = parts[parts.length - 1];
  const pair = KEY.exec(last);
  if (pair) return { path, key: pair[1], prefix: pair[2], siblings };
  const header = /^\s*\[\[?\s*([\w.-]*)$/.exec(line);
  return { path: header ? [] : path, key: null, prefix: header ? header[1] : last.trim(), siblings };
}

/** What a key is about, and what it accepts. @param {any} schema @param {Place} place @param {string} key */
export function about(schema, { path, siblings }, key) {
  for (const table of nodesAt(schema, path, siblings)) {
    const node = table.properties?.[key];
    if (!node) continue;
    const text = node.description ?? alternatives(schema, node)[0]?.description ?? "";
    const plain = node.default === undefined || node.default === null ? "" : ` Default: ${JSON.stringify(node.default)}.`;
    return text.replace(/\s+/g, " ") + plain;
  }
  return "";
}

/** What can be written at a place, best first. @param {any} schema @param {Place} place @returns {Candidate[]} */
export function candidates(schema, place) {
  const { path, key, prefix, siblings } = place;
  const tables = nodesAt(schema, path, siblings);
  /** @type {Map<string, Candidate>} */
  const found = new Map();
  const add = (/** @type {string} */ label, /** @type {string} */ insert, /** @type {string} */ detail) => {
    if (!found.has(label)) found.set(label, { label, insert, detail: detail.replace(/\s+/g, " ") });
  };
  if (key === null) {
    for (const { properties } of tables) {
      for (const [name, node] of Object.entries(/** @type {any} */ (properties))) {
        if (!siblings.has(name)) add(name, `${name} = `, about(schema, place, name) || (node.description ?? ""));
      }
    }
  } else {
    for (const { properties } of tables) {
      for (const node of alternatives(schema, properties?.[key])) {
        for (const word of words(node)) add(JSON.stringify(word), JSON.stringify(word), node.description ?? "");
        for (const kind of words(node.properties?.kind ?? {})) {
          const text = `{ kind = ${JSON.stringify(kind)} }`;
          add(text, text, node.description ?? "");
        }
      }
    }
  }
  const written = prefix.replace(/^["{]+/, "").toLowerCase();
  const rank = (/** @type {string} */ label) => label.toLowerCase().indexOf(written);
  return [...found.values()]
    .filter(({ label }) => rank(label) >= 0 && label !== prefix)
    .sort((a, b) => rank(a.label) - rank(b.label));
}
