"use strict";
// Everything that comes from the project goes into the page as text: textContent and attributes, never markup.
(() => {
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

  // --- who reads whom: relations, and columns as [relation, column] joined by a character that no name has ---

  const key = (relation, column) => `${relation}\u0000${column.toLowerCase()}`;
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
    const head = put(put(box, "div", { class: "name" }), "span");
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

  // --- choosing a relation, tracing a column ---

  const choose = (name, { move = false } = {}) => {
    view.chosen = name;
    const above = name ? closure(name, (n) => inputs.get(n)) : new Set();
    const below = name ? closure(name, (n) => readers.get(n)) : new Set();
    canvas.classList.toggle("focused", Boolean(name));
    for (const [other, box] of boxes) {
      box.classList.toggle("chosen", other === name);
      box.classList.toggle("on", other === name || above.has(other) || below.has(other));
    }
    data.edges.forEach(([a, b], i) => {
      const up = above.has(a) && (b === name || above.has(b));
      const down = below.has(b) && (a === name || below.has(a));
      lines[i].classList.toggle("hot", up || down);
    });
    fillPanel();
    if (name && move) reveal(name);
  };
  const trace = (start) => {
    for (const row of document.querySelectorAll(".lit, .by, .touched")) row.classList.remove("lit", "by", "touched");
    byId("flows").replaceChildren();
    canvas.classList.toggle("traced", Boolean(start));
    if (!start || !columns.has(start)) return;
    const up = closure(start, (k) => columns.get(k)?.from || []);
    const down = closure(start, (k) => heirs.get(k) || []);
    const lit = new Set([start, ...up, ...down]);
    const touch = (k, mark) => {
      const column = columns.get(k);
      if (!column) return;
      boxes.get(column.relation).classList.add("touched");
      rows.get(k).classList.add(mark);
      panel.querySelector(`tr[data-column="${CSS.escape(k)}"]`)?.classList.add("lit");
    };
    for (const k of lit) touch(k, "lit");
    for (const k of lit) {
      const column = columns.get(k);
      for (const from of column.from) if (lit.has(from)) flow(from, k, "");
    }
    for (const from of columns.get(start).by) {
      if (!lit.has(from)) touch(from, "by");
      flow(from, start, "by");
    }
  };
  const flow = (from, to, mark) => {
    if (!columns.has(from)) return;
    const end = (k, side) => {
      const [x, y] = drawing().boxes[columns.get(k).relation];
      const row = rows.get(k);
      const at = view.mode === "columns" ? HEAD + 3 + LINE * ([...row.parentNode.children].indexOf(row) + 0.5) : HEAD / 2;
      return [x + side * WIDTH, y + at];
    };
    put(byId("flows"), "path", { class: mark, d: curve([end(from, 1), end(to, 0)]) });
  };
  const pin = (k) => {
    view.pinned = view.pinned === k ? null : k;
    trace(view.pinned);
  };

  // --- the panel ---

  const link = (parent, name, column = null) => put(parent, "button", {
    type: "button", class: "link", text: column ? `${name}.${column}` : name,
    onclick: () => relations.has(name) && go(name, column),
  });
  const links = (title, list) => {
    if (!list.length) return;
    put(panel, "h3", { text: title });
    const p = put(panel, "p", { class: "links" });
    for (const [name, column] of list) link(p, name, column);
  };
  const table = (heads) => {
    const made = put(panel, "table");
    const top = put(put(made, "thead"), "tr");
    for (const [text, kind] of heads) put(top, "th", { text, class: kind });
    return put(made, "tbody");
  };
  const fillPanel = () => {
    panel.replaceChildren();
    panel.scrollTop = 0;
    if (view.chosen) describe(relations.get(view.chosen));
    else overview();
  };
  const overview = () => {
    const views = names.filter((n) => relations.get(n).kind === "view");
    put(panel, "h2", { text: data.project });
    put(panel, "p", { class: "soft", text: data.epoch ? `Epoch ${data.epoch}, published ${data.time.slice(0, 16).replace("T", " ")} UTC` : "No epoch yet: nothing was refreshed." });
    const legend = put(panel, "ul", { class: "legend" });
    for (const state of ["source", "fresh", "behind", "stale", "broken", "unknown", "not built"]) {
      const many = names.filter((n) => relations.get(n).state === state).length;
      if (many) put(legend, "li", { "data-state": state }, put(null, "i"), put(null, "span", { text: state === "source" ? "source" : `view, ${state}` }), put(null, "b", { text: number(many) }));
    }
    const waiting = views.filter((n) => relations.get(n).state !== "fresh");
    const listed = waiting.length < views.length ? waiting : waiting.filter((n) => relations.get(n).note);
    if (listed.length) {
      put(panel, "h3", { text: "Needs a look" });
      for (const name of listed.slice(0, 40)) {
        const p = put(panel, "p", { class: "why", "data-state": relations.get(name).state });
        link(p, name);
        put(p, "div", { class: "soft", text: relations.get(name).note || relations.get(name).state });
      }
    }
    put(panel, "h3", { text: "How to read this" });
    put(panel, "p", { text: "Views are right of what they read. Click a box to see all that it depends on and all that depends on it. Point at a column to follow its values; dashed lines come from columns that only decide which rows there are. Click a column to keep it." });
    const keys = put(panel, "p", { class: "soft" });
    [["/", " search  "], ["c", " columns  "], ["f", " fit  "], ["Esc", " clear"]].forEach(([k, text]) => keys.append(put(null, "kbd", { text: k }), text));
  };
  const describe = (r) => {
    const top = put(panel, "div", { class: "top" });
    put(top, "h2", { text: r.name });
    put(top, "button", { type: "button", class: "close", text: "×", title: "Close (Esc)", "aria-label": "Close", onclick: () => go(null) });
    const chips = put(panel, "p");
    put(chips, "span", { class: "chip state", "data-state": r.state, text: r.kind === "view" ? r.state : `${r.kind} source` });
    for (const tag of r.tags) put(chips, "span", { class: "chip", text: tag });
    if (r.comment) put(panel, "p", { class: "comment", text: r.comment });
    if (r.note && r.note !== "no change") put(panel, "p", { class: "why", "data-state": r.state, text: r.note });
    const facts = [r.rows === null ? "" : plural(r.rows, "row"), r.bytes === null ? "" : bytes(r.bytes), r.built === null ? "" : `built in epoch ${r.built}`, r.file].filter(Boolean);
    if (facts.length) put(panel, "p", { class: "facts", text: facts.join(" · ") });
    links("Reads", r.reads.map((n) => [n, null]));
    links("Read by", readers.get(r.name).map((n) => [n, null]));
    if (r.unknown && r.unknown !== r.note) put(panel, "p", { class: "why", "data-state": r.state, text: `Lineage is not known: ${r.unknown}` });
    if (r.columns.length) describeColumns(r);
    links("Only filter, join, group or sort", r.only_by);
    if (r.runs.length) describeRuns(r);
    if (r.sql) {
      put(panel, "h3", { text: "SQL" });
      put(panel, "pre", { text: r.sql });
    }
  };
  const describeColumns = (r) => {
    put(panel, "h3", { text: plural(r.columns.length, "column") });
    const body = table(r.kind === "view" ? [["column"], ["from"]] : [["column"], ["type"]]);
    for (const column of r.columns) {
      const own = key(r.name, column.name);
      const row = put(body, "tr", { class: "column", "data-column": own, onmouseenter: () => trace(own), onmouseleave: () => trace(view.pinned), onclick: (e) => e.target.className !== "link" && pin(own) });
      const first = put(row, "td", { text: column.name });
      const second = put(row, "td", { class: "origin" });
      if (r.kind !== "view") second.textContent = column.type.toLowerCase();
      else {
        put(first, "div", { class: "type", text: column.type.toLowerCase() });
        for (const [name, above] of column.from) put(second, "div", {}, link(null, name, above));
        if (!column.from.length && !r.unknown) second.textContent = column.by.length || r.by.length ? "a count or rank of rows" : "no column";
      }
    }
  };
  const describeRuns = (r) => {
    put(panel, "h3", { text: "Last runs" });
    const body = table([["epoch"], ["method"], ["seconds", "number"], ["rows", "number"], ["changed", "number"]]);
    for (const run of r.runs) {
      const row = put(body, "tr", { title: `${run.started}: ${run.error || run.why}` });
      put(row, "td", { text: run.epoch });
      const how = put(row, "td", { text: run.method });
      if (run.place) put(how, "div", { class: "type", text: `on ${run.place}` });
      if (run.error) put(how, "div", { class: "type", text: run.error });
      put(row, "td", { class: "number", text: seconds(run.seconds) });
      put(row, "td", { class: "number", text: number(run.rows) });
      put(row, "td", { class: "number", text: number(run.changed) });
    }
    put(panel, "p", { class: "soft", text: `Why: ${r.runs[0].why}` });
  };

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
})();
