// Everything that comes from the project goes into the page as text: textContent and attributes, never markup.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const [stage, canvas, panel, hits, search] = ["stage", "canvas", "panel", "hits", "search"].map(byId);
const relations = new Map(Object.entries(data.relations));
const names = [...relations.keys()];
const { width: WIDTH, head: HEAD, line: LINE } = data.box;
const SVG = "http://www.w3.org/2000/svg";
const view = { mode: "compact", scale: 1, x: 0, y: 0, chosen: null, pinned: null, moved: false };
const drawing = () => data.drawings[view.mode];

// --- making elements ---

const put = (parent, tag, attributes = {}, ...children) => {
  const made = parent && parent.namespaceURI === SVG || tag === "path" || tag === "rect"
    ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") made.textContent = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  if (parent) parent.append(made);
  return made;
};
const number = (n) => n === null || n === undefined ? "–" : n.toLocaleString("en-US");
const seconds = (s) => s === null || s === undefined ? "–" : `${s < 10 ? s.toFixed(2) : s.toFixed(0)} s`;
const bytes = (b) => {
  for (const unit of ["B", "kB", "MB", "GB"]) {
    if (b < 1000 || unit === "GB") return `${unit === "B" ? b : b.toFixed(1)} ${unit}`;
    b /= 1000;
  }
};
const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;

// --- who reads whom: relations, and columns as [relation, column] joined by a character that no relation's name has ---

const key = (relation, column) => `${relation}\u001f${column.toLowerCase()}`;
const inputs = new Map(names.map((n) => [n, []]));
const readers = new Map(names.map((n) => [n, []]));
for (const [above, below] of data.edges) {
  inputs.get(below).push(above);
  readers.get(above).push(below);
}
const columns = new Map(); // key -> {relation, name, from: [key], by: [key]}
const heirs = new Map(); // key -> keys of the columns that are computed from it
for (const [name, relation] of relations) {
  for (const column of relation.columns) {
    const own = key(name, column.name);
    const from = column.from.map(([r, c]) => key(r, c));
    const by = [...relation.by, ...column.by].map(([r, c]) => key(r, c)).filter((k) => !from.includes(k));
    columns.set(own, { relation: name, name: column.name, from, by });
    for (const above of from) heirs.set(above, [...(heirs.get(above) || []), own]);
  }
}
const closure = (start, step) => {
  const found = new Set();
  const todo = [...step(start)];
  while (todo.length) {
    const next = todo.pop();
    if (!found.has(next)) {
      found.add(next);
      todo.push(...step(next));
    }
  }
  return found;
};
