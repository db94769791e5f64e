// --- search ---

const matches = (text) => {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const found = names.filter((n) => n.toLowerCase().includes(wanted)).map((n) => [n, null]);
  found.sort(([a], [b]) => a.toLowerCase().indexOf(wanted) - b.toLowerCase().indexOf(wanted));
  for (const c of columns.values()) {
    if (`${c.relation}.${c.name}`.toLowerCase().includes(wanted) && !c.relation.toLowerCase().includes(wanted)) found.push([c.relation, c.name]);
  }
  return found;
};
const find = () => {
  const found = matches(search.value);
  const marked = new Set(found.map(([n]) => n));
  canvas.classList.toggle("searching", Boolean(search.value.trim()));
  for (const [name, box] of boxes) box.classList.toggle("found", marked.has(name));
  hits.replaceChildren();
  hits.hidden = !search.value.trim();
  found.slice(0, 12).forEach(([name, column], i) => {
    const item = put(hits, "li", { role: "option", "aria-selected": i === 0, onmousedown: (e) => { e.preventDefault(); take(name, column); } });
    put(item, "span", { class: "kind", text: column ? "column" : relations.get(name).kind });
    item.append(column ? `${name}.${column}` : name);
  });
  if (!found.length) put(hits, "li", { class: "none", text: "Nothing has this name" });
  else if (found.length > 12) put(hits, "li", { class: "none", text: `and ${found.length - 12} more` });
};
const take = (name, column) => {
  search.value = "";
  find();
  search.blur();
  go(name, column);
};
const walk = (by) => {
  const items = [...hits.querySelectorAll('[role="option"]')];
  const at = items.findIndex((i) => i.getAttribute("aria-selected") === "true");
  const next = Math.max(0, Math.min(items.length - 1, at + by));
  items.forEach((item, i) => item.setAttribute("aria-selected", i === next));
  items[next]?.scrollIntoView({ block: "nearest" });
};

// --- where we are: the address names the relation and the column ---

const go = (name, column = null) => {
  const wanted = name ? `#${encodeURIComponent(name)}${column ? `/${encodeURIComponent(column)}` : ""}` : "#";
  if (location.hash === wanted || (wanted === "#" && !location.hash)) arrive();
  else location.hash = wanted;
};
const arrive = () => {
  const [name, column] = location.hash.slice(1).split("/").map(decodeURIComponent);
  const known = relations.has(name) ? name : null;
  view.pinned = known && column ? key(known, column) : null;
  choose(known, { move: Boolean(known) && !isVisible(known) });
  trace(view.pinned);
};
const isVisible = (name) => {
  const [x, y] = drawing().boxes[name];
  const [left, top] = [view.x + x * view.scale, view.y + y * view.scale];
  return view.scale >= 0.4 && left >= 0 && top >= 0 && left + WIDTH * view.scale <= stage.clientWidth && top + HEAD * view.scale <= stage.clientHeight;
};
const switchMode = (mode) => {
  view.mode = mode;
  place();
  fit();
  trace(view.pinned);
  if (view.chosen && !isVisible(view.chosen)) reveal(view.chosen);
};

// --- hands ---

let drag = null;
const pointers = new Map();
stage.addEventListener("pointerdown", (e) => {
  pointers.set(e.pointerId, [e.clientX, e.clientY]);
  drag = { x: e.clientX, y: e.clientY, moved: false, box: e.target.closest(".box"), row: e.target.closest("li[data-column]"), map: e.target.closest("#map") };
  if (drag.map) toMap(e);
});
stage.addEventListener("pointermove", (e) => {
  if (!drag || !pointers.has(e.pointerId)) return;
  if (drag.map) return toMap(e);
  const before = pointers.get(e.pointerId);
  if (pointers.size === 2) {
    const other = [...pointers.entries()].find(([id]) => id !== e.pointerId)[1];
    const apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
    const { left, top } = stage.getBoundingClientRect();
    zoom(apart([e.clientX, e.clientY]) / apart(before), other[0] - left, other[1] - top);
  } else if (drag.moved || Math.hypot(e.clientX - drag.x, e.clientY - drag.y) > 4) {
    if (!drag.moved) stage.setPointerCapture(e.pointerId);
    drag.moved = view.moved = true;
    stage.classList.add("dragging");
    view.x += e.clientX - before[0];
    view.y += e.clientY - before[1];
    show();
  }
  pointers.set(e.pointerId, [e.clientX, e.clientY]);
});
const lift = (e) => {
  pointers.delete(e.pointerId);
  stage.classList.remove("dragging");
  if (drag && !drag.moved && !drag.map && e.type === "pointerup") {
    if (drag.row) go(columns.get(drag.row.dataset.column).relation, columns.get(drag.row.dataset.column).name);
    else if (drag.box) go([...boxes].find(([, b]) => b === drag.box)[0]);
    else go(null);
  }
  if (!pointers.size) drag = null;
};
stage.addEventListener("pointerup", lift);
stage.addEventListener("pointercancel", lift);
const toMap = (e) => {
  const { left, top } = map.getBoundingClientRect();
  view.x = stage.clientWidth / 2 - (e.clientX - left - 6) / ratio * view.scale;
  view.y = stage.clientHeight / 2 - (e.clientY - top - 6) / ratio * view.scale;
  show();
};
stage.addEventListener("wheel", (e) => {
  e.preventDefault();
  const { left, top } = stage.getBoundingClientRect();
  zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), e.clientX - left, e.clientY - top);
}, { passive: false });
search.addEventListener("input", find);
search.addEventListener("blur", () => { hits.hidden = true; });
search.addEventListener("focus", find);
search.addEventListener("keydown", (e) => {
  if (e.key === "ArrowDown" || e.key === "ArrowUp") { e.preventDefault(); walk(e.key === "ArrowDown" ? 1 : -1); }
  if (e.key === "Enter") hits.querySelector('[aria-selected="true"]')?.dispatchEvent(new MouseEvent("mousedown", { cancelable: true }));
  if (e.key === "Escape") { search.value = ""; find(); search.blur(); }
  e.stopPropagation();
});
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const does = { "/": () => search.focus(), f: fit, c: () => byId("columns").click(), Escape: () => go(null), "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8) }[e.key];
  if (does) { e.preventDefault(); does(); }
});
byId("columns").addEventListener("click", () => switchMode(view.mode === "columns" ? "compact" : "columns"));
byId("fit").addEventListener("click", fit);
byId("in").addEventListener("click", () => zoom(1.25));
byId("out").addEventListener("click", () => zoom(0.8));
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = (name) => { document.documentElement.dataset.theme = name; };
byId("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
dark.addEventListener("change", () => theme(dark.matches ? "dark" : "light"));
addEventListener("hashchange", arrive);
new ResizeObserver(() => view.moved ? show() : fit()).observe(stage);

// --- begin ---

theme(dark.matches ? "dark" : "light");
const sources = names.filter((n) => relations.get(n).kind !== "view").length;
byId("project").textContent = data.project;
byId("summary").textContent = [plural(sources, "source"), plural(names.length - sources, "view"), data.epoch ? `epoch ${data.epoch}` : "never refreshed"].join(" · ");
names.forEach(makeBox);
data.edges.forEach(() => lines.push(put(byId("lines"), "path")));
if (location.hash.includes("/")) view.mode = "columns";
place();
fit();
arrive();
