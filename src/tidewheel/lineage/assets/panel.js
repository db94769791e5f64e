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
