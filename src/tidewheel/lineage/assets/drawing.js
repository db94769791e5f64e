// --- the drawing ---

const boxes = new Map();
const rows = new Map(); // key -> the line of a column in its box
const lines = [];
const meta = (r) => {
  if (r.kind !== "view") return [r.kind, r.note === "no change" ? "" : r.note].filter(Boolean).join(" · ");
  const last = r.runs[0];
  const done = last ? `${last.method} ${seconds(last.seconds)}` : "";
  return [r.state === "fresh" ? "" : r.state, r.rows === null ? "" : plural(r.rows, "row"), done].filter(Boolean).join(" · ");
};
const makeBox = (name) => {
  const relation = relations.get(name);
  const box = put(byId("boxes"), "div", { class: "box", "data-state": relation.state, title: name });
  const head = put(put(box, "div", { class: name.length > 22 ? "name long" : "name" }), "span");
  name.split("_").forEach((part, i) => head.append(...(i ? ["_", put(null, "wbr"), part] : [part])));
  put(box, "div", { class: "meta", text: meta(relation) });
  const list = put(box, "ol");
  relation.columns.slice(0, data.shown).forEach((column) => {
    const own = key(name, column.name);
    const row = put(list, "li", { title: `${column.name} ${column.type}`, onmouseenter: () => trace(own), onmouseleave: () => trace(view.pinned) });
    put(row, "span", { text: column.name });
    put(row, "span", { class: "type", text: column.type.toLowerCase() });
    row.dataset.column = own;
    rows.set(own, row);
  });
  const rest = relation.columns.length - data.shown;
  if (rest > 0) {
    const more = put(list, "li", { class: "more" });
    put(more, "span", { text: `and ${rest} more` });
    relation.columns.slice(data.shown).forEach((c) => rows.set(key(name, c.name), more));
  }
  boxes.set(name, box);
};
const curve = (points) => points.map(([x, y], i) => {
  if (i === 0) return `M${x} ${y}`;
  const [px, py] = points[i - 1];
  const half = (x - px) / 2;
  return y === py ? `L${x} ${y}` : `C${px + half} ${py} ${x - half} ${y} ${x} ${y}`;
}).join("");
const place = () => {
  const { boxes: at, lanes } = drawing();
  canvas.classList.toggle("columns", view.mode === "columns");
  for (const [name, box] of boxes) {
    const [x, y, height] = at[name];
    Object.assign(box.style, { left: `${x}px`, top: `${y}px`, width: `${WIDTH}px`, height: `${height}px` });
  }
  data.edges.forEach(([above, below], i) => {
    const [from, to] = [at[above], at[below]];
    const way = lanes[i].flatMap(([x, y]) => [[x, y], [x + WIDTH, y]]);
    const points = [[from[0] + WIDTH, from[1] + HEAD / 2], ...way, [to[0], to[1] + HEAD / 2]];
    lines[i].setAttribute("d", curve(points));
  });
  byId("columns").setAttribute("aria-pressed", view.mode === "columns");
  drawMap();
};

// --- moving about ---

let still = 0;
const show = () => {
  canvas.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
  canvas.classList.add("moving"); // quick while it moves, drawn sharply when it stands still
  clearTimeout(still);
  still = setTimeout(() => canvas.classList.remove("moving"), 160);
  const size = `${Math.round(Math.min(19, 9 / view.scale))}px`;
  canvas.classList.toggle("far", view.scale < 0.55);
  canvas.classList.toggle("tiny", view.scale < 0.25);
  if (canvas.style.getPropertyValue("--far-size") !== size) canvas.style.setProperty("--far-size", size);
  stage.style.backgroundPosition = `${view.x}px ${view.y}px`;
  moveMap();
};
const fit = () => {
  view.moved = false;
  const { width, height } = drawing();
  const [w, h] = [stage.clientWidth, stage.clientHeight];
  view.scale = Math.max(0.05, Math.min(1.1, (w - 64) / width, (h - 64) / height));
  view.x = (w - width * view.scale) / 2;
  view.y = (h - height * view.scale) / 2;
  show();
};
const zoom = (factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) => {
  view.moved = true;
  const scale = Math.max(0.05, Math.min(2.5, view.scale * factor));
  view.x = x - (x - view.x) * scale / view.scale;
  view.y = y - (y - view.y) * scale / view.scale;
  view.scale = scale;
  show();
};
const reveal = (name) => {
  const [x, y, height] = drawing().boxes[name];
  view.moved = true;
  view.scale = Math.max(view.scale, 0.8);
  view.x = stage.clientWidth / 2 - (x + WIDTH / 2) * view.scale;
  view.y = stage.clientHeight / 2 - (y + Math.min(height, 300) / 2) * view.scale;
  show();
};
const map = byId("map");
const MAP = 150;
let ratio = 1;
const drawMap = () => {
  const { width, height, boxes: at } = drawing();
  ratio = Math.min(MAP * 1.5 / width, MAP / height);
  map.replaceChildren();
  map.setAttribute("width", width * ratio + 12);
  map.setAttribute("height", height * ratio + 12);
  for (const name of names) {
    const [x, y, tall] = at[name];
    put(map, "rect", { x: x * ratio + 6, y: y * ratio + 6, width: WIDTH * ratio, height: Math.max(1, tall * ratio), "data-state": relations.get(name).state });
  }
  put(map, "rect", { class: "view" });
};
const moveMap = () => {
  const { width, height } = drawing();
  const [left, top] = [-view.x / view.scale, -view.y / view.scale];
  const [w, h] = [stage.clientWidth / view.scale, stage.clientHeight / view.scale];
  map.toggleAttribute("hidden", left <= 0 && top <= 0 && left + w >= width && top + h >= height);
  map.style.display = map.hasAttribute("hidden") ? "none" : "";
  const frame = map.lastChild;
  const clip = (v, most) => Math.max(0, Math.min(most, v));
  const [x, y] = [clip(left, width), clip(top, height)];
  frame.setAttribute("x", x * ratio + 6);
  frame.setAttribute("y", y * ratio + 6);
  frame.setAttribute("width", Math.max(2, (clip(left + w, width) - x) * ratio));
  frame.setAttribute("height", Math.max(2, (clip(top + h, height) - y) * ratio));
};
