// Matrix: what holds where. Rows are subjects or clauses, columns are backends; only rows in sight are drawn.

const ROW = 36; // pixels; equal to the height in page.css
let matrixTop = 0; // where the reader had scrolled to, kept while a case is looked at

const rowsBy = {
  subject: (r) => ({ key: r.kind === "contract" ? "contract/" + r.clause : r.kind + "/" + r.subject, label: r.kind === "contract" ? r.clause : r.subject, group: family(r), about: r.kind === "contract" ? sentence(r.clause) : "" }),
  clause: (r) => ({ key: "clause/" + r.clause, label: r.clause, group: chapter(r.clause), about: sentence(r.clause) }),
};
const groupRank = (name) => {
  const at = Object.keys(spec.families).indexOf(name);
  return at >= 0 ? [0, at] : name === "ops" ? [1, 0] : [name.endsWith("s") && !name.includes("·") && !name.startsWith("chapter") ? 3 : 2, name];
};
const natural = (a, b) => String(a).localeCompare(String(b), "en", { numeric: true });
const matrixIndex = new Map();

const indexed = (by) => {
  if (matrixIndex.has(by)) return matrixIndex.get(by);
  const rows = new Map();
  for (const r of data.results) {
    const row = rowsBy[by](r);
    if (!rows.has(row.key)) rows.set(row.key, { ...row, cells: new Map(), checks: new Set() });
    const at = rows.get(row.key);
    at.checks.add(r.check);
    if (at.cells.has(r.backend)) at.cells.get(r.backend).push(r);
    else at.cells.set(r.backend, [r]);
  }
  const order = (g) => groupRank(g).map((x) => String(x).padStart(4, "0")).join();
  const sorted = [...rows.values()].sort((a, b) => natural(order(a.group), order(b.group)) || natural(a.label, b.label));
  matrixIndex.set(by, sorted);
  return sorted;
};

// Whether two backends that were both judged on one question came to different verdicts.
const differs = (row, dtype) => {
  const answers = new Map();
  for (const r of [...row.cells.values()].flat()) {
    if (tone(r.verdict) === "none" || (dtype && r.dtype !== dtype)) continue;
    const question = r.check + "\0" + r.subject + "\0" + r.dtype;
    const ok = r.verdict === "pass" || r.verdict === "fixed";
    if (answers.has(question) && answers.get(question) !== ok) return true;
    answers.set(question, ok);
  }
  return false;
};

const filtered = (p) => {
  const text = (p.q || "").toLowerCase();
  const rows = [];
  for (const row of indexed(p.by === "clause" ? "clause" : "subject")) {
    if (p.family && row.group !== p.family) continue;
    if (text && !(row.label + " " + row.about + " " + [...row.checks].join(" ")).toLowerCase().includes(text)) continue;
    const cells = new Map();
    let any = false;
    for (const [name, lines] of row.cells) {
      const kept = p.dtype ? lines.filter((r) => r.dtype === p.dtype) : lines;
      if (kept.length) cells.set(name, kept);
      any ||= kept.some((r) => !p.verdict || r.verdict === p.verdict);
    }
    if (any && (!p.differ || differs(row, p.dtype))) rows.push({ ...row, cells });
  }
  return rows;
};

// Family rows and subject rows in one list: what the table scrolls through.
const listed = (rows) => [...group(rows, (row) => row.group)].flatMap(([name, members]) => [{ heading: name, members }, ...members]);

const matrix = (main, { parameters }) => {
  const items = { all: [], rows: [] };
  const body = el("tbody");
  const width = 150 + 104 * backends.length + "px";
  const said = el("p", { class: "muted", role: "status" });
  const panel = el("aside", { class: "panel card", "aria-label": "The cell chosen", hidden: true });
  const grid = el("table", { class: "matrix by-" + (parameters.by || "subject") }, el("caption", { class: "unseen" }, "Passed out of judged, per row and backend"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, parameters.by === "clause" ? "clause" : "subject"), backends.map((b) => el("th", { scope: "col", title: engineOf(b) }, short(b, 24))))), body);
  const port = scroller("Matrix", grid);
  port.classList.add("port");
  grid.style.minWidth = width;
  const draw = (whole) => fill(body, items, port, whole === true);
  const apply = () => {
    const p = place().parameters;
    items.rows = filtered(p);
    items.all = listed(items.rows);
    said.textContent = plural(items.rows.length, "row") + (items.rows.length ? "" : ": no row matches the filters");
    grid.setAttribute("aria-rowcount", items.all.length + 1);
    body.dataset.from = "";
    draw();
  };
  const open = (cell, focus) => {
    set({ cell });
    showCell(panel, cell, items.rows, () => { set({ cell: "" }); panel.hidden = true; focusCell(port, cell); });
    if (focus && !panel.hidden) panel.querySelector("h2").focus();
  };
  grid.addEventListener("click", (e) => {
    const at = e.target.closest("a[data-cell]");
    if (!at || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    open(at.dataset.cell, true);
  });
  grid.addEventListener("keydown", (e) => walk(e, port, items, draw));
  port.addEventListener("scroll", () => { matrixTop = port.scrollTop; draw(); });
  main.append(el("h1", {}, "Matrix"), controls(parameters, apply), said, el("div", { class: "beside" }, port, panel), legend());
  apply();
  port.scrollTop = matrixTop;
  draw();
  if (parameters.cell) open(parameters.cell, false);
  const print = () => draw(true);
  addEventListener("beforeprint", print);
  return () => removeEventListener("beforeprint", print);
};

const controls = (p, apply) => {
  const pick = (name) => (value) => { set({ [name]: value }); apply(); };
  const groups = [...new Set(indexed(p.by === "clause" ? "clause" : "subject").map((row) => row.group))];
  const dtypes = [...new Set(data.results.map((r) => r.dtype))].filter((d) => d).sort();
  const verdicts = ORDER.filter((v) => data.results.some((r) => r.verdict === v));
  return el("form", { class: "controls", role: "search", onsubmit: (e) => e.preventDefault() },
    select("rows", [["", "ops and contract"], ["clause", "clauses"]], p.by, (by) => { location.hash = address("matrix", "", { ...place().parameters, by, family: "", cell: "" }); }),
    el("label", {}, el("span", {}, "text"), el("input", { type: "search", value: p.q, placeholder: "matmul, B1, …", oninput: (e) => pick("q")(e.target.value) })),
    select(p.by === "clause" ? "chapter" : "family", [["", "all"], ...groups.map((g) => [g, g])], p.family, pick("family")),
    select("verdict", [["", "all"], ...verdicts.map((v) => [v, glyph(v) + " " + word(v)])], p.verdict, pick("verdict")),
    select("dtype", [["", "all"], ...dtypes.map((d) => [d, d])], p.dtype, pick("dtype")),
    el("label", { class: "tick" }, el("input", { type: "checkbox", checked: p.differ === "1", onchange: (e) => pick("differ")(e.target.checked ? "1" : "") }), el("span", {}, "engines differ")));
};

// Draws the rows in sight and a few beyond, between two spacers of the right height.
const fill = (body, { all }, port, whole) => {
  const from = whole ? 0 : Math.max(0, Math.floor(port.scrollTop / ROW) - 10);
  const to = whole ? all.length : Math.min(all.length, from + Math.ceil((port.clientHeight || 800) / ROW) + 20);
  if (body.dataset.from === from + "-" + to) return;
  const spacer = (rows) => {
    const cell = el("td", { colspan: backends.length + 1 });
    cell.style.height = rows * ROW + "px";
    return rows ? el("tr", { class: "spacer", "aria-hidden": "true" }, cell) : null;
  };
  const held = document.activeElement && document.activeElement.dataset.cell;
  body.replaceChildren(...[spacer(from), ...all.slice(from, to).map((item, i) => (item.heading === undefined ? subjectRow(item, from + i) : headingRow(item, from + i))), spacer(all.length - to)].filter((x) => x));
  body.dataset.from = from + "-" + to;
  if (held) focusCell(port, held);
  const first = body.querySelector("a[data-cell]");
  if (first && !body.querySelector("a[tabindex='0']")) first.tabIndex = 0;
};

const headingRow = ({ heading, members }, at) => el("tr", { class: "heading", "aria-rowindex": at + 2 }, el("th", { scope: "row" }, heading),
  backends.map((b) => {
    const t = tally(members.flatMap((m) => m.cells.get(b) || []));
    return el("td", {}, el("span", { class: "muted" }, short(b, 18) + " "), t.judged ? count(t.passed) + "/" + count(t.judged) : "–");
  }));

const subjectRow = (row, at) => el("tr", { "aria-rowindex": at + 2 },
  el("th", { scope: "row", title: row.about || row.label }, el("span", {}, row.label), row.about ? el("small", {}, " " + row.about) : null),
  backends.map((b) => {
    const lines = row.cells.get(b) || [];
    const t = tally(lines);
    const cell = row.key + "|" + b;
    const text = t.judged ? count(t.passed) + "/" + count(t.judged) : lines.length ? word(worst(lines).verdict) : "not run";
    const node = el("a", { class: "cell " + t.tone, "data-cell": cell, tabindex: -1, href: address("matrix", "", { ...place().parameters, cell }) },
      el("span", { "aria-hidden": "true" }, mark(t.tone)), " " + text, el("span", { class: "unseen" }, " " + row.label + " on " + b + (lines.length ? ", worst: " + word(worst(lines).verdict) : "")));
    // The shade says how much of the cell is lost; the numbers say it exactly.
    if (t.judged) node.style.setProperty("--lost", Math.round(15 + 60 * (1 - t.passed / t.judged)) + "%");
    return el("td", {}, node);
  }));

const parted = (cell) => {
  const name = backends.find((b) => cell.endsWith("|" + b)) || "";
  return [cell.slice(0, cell.length - name.length - 1), name];
};
const focusCell = (port, cell) => {
  const node = [...port.querySelectorAll("a[data-cell]")].find((a) => a.dataset.cell === cell);
  if (!node) return;
  for (const other of port.querySelectorAll("a[tabindex='0']")) other.tabIndex = -1;
  node.tabIndex = 0;
  node.focus({ preventScroll: true });
};

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-12, 0], PageDown: [12, 0], Home: [0, -1e9], End: [0, 1e9] };
const walk = (e, port, { all, rows }, draw) => {
  const at = e.target.closest("a[data-cell]");
  const step = STEPS[e.key];
  if (!at || !step || e.altKey) return;
  e.preventDefault();
  const [key, name] = parted(at.dataset.cell);
  const inside = (n, length) => Math.min(length - 1, Math.max(0, n));
  const row = rows[inside(rows.findIndex((r) => r.key === key) + step[0], rows.length)];
  const column = inside(backends.indexOf(name) + step[1], backends.length);
  const top = all.indexOf(row) * ROW;
  const room = port.clientHeight - 3 * ROW;
  if (top < port.scrollTop + ROW) port.scrollTop = Math.max(0, top - ROW);
  if (top > port.scrollTop + room) port.scrollTop = top - room;
  draw();
  focusCell(port, row.key + "|" + backends[column]);
  document.activeElement.scrollIntoView({ block: "nearest", inline: "nearest" });
};

const showCell = (panel, cell, rows, close) => {
  const [key, name] = parted(cell);
  const row = rows.find((r) => r.key === key);
  panel.hidden = !row;
  if (!row) return;
  const lines = row.cells.get(name) || [];
  const t = tally(lines);
  const checks = [...group(lines, (r) => (key.startsWith("clause/") ? r.subject + " · " + r.check : r.check))].sort((a, b) => bySeverity(worst(a[1]), worst(b[1])));
  panel.onkeydown = (e) => { if (e.key === "Escape") close(); };
  panel.replaceChildren(
    el("button", { type: "button", class: "close", onclick: close, "aria-label": "Close" }, "×"),
    el("h2", { tabindex: -1 }, row.label + " on " + name),
    row.about ? el("p", {}, row.about) : "",
    el("p", { class: "muted" }, lines.length ? t.passed + " of " + t.judged + " judged passed, " + (lines.length - t.judged) + " not judged" : "– not run"),
    el("ul", { class: "checks" }, checks.slice(0, 200).map(([check, of]) => el("li", {}, el("p", {}, check, el("span", { class: "muted" }, " " + of[0].clause)), el("div", { class: "chips" }, of.map((r) => chip(r, r.dtype || "any")))))),
    checks.length > 200 ? el("p", { class: "muted" }, "and " + (checks.length - 200) + " more; narrow the rows to see them") : "");
};
