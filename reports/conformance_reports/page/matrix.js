// Matrix: what holds where. Rows are subjects or clauses, columns are backends.

let matrixTop = 0; // where the reader had scrolled to, kept while a case is looked at
let lastCell = ""; // whose panel was open, to return there when it closes

const matrix = (main, { parameters }) => {
  const body = el("tbody");
  const grid = gridOf(parameters, body);
  const port = scroller("Matrix", grid);
  port.classList.add("port");
  const said = el("p", { class: "muted", role: "status" });
  const panel = el("aside", { class: "panel card", "aria-label": "The cell chosen", hidden: true });
  const items = { all: [], rows: [] };
  const draw = (whole) => fill(body, items, port, whole === true);
  const apply = () => {
    items.rows = filtered(place().parameters);
    items.all = listed(items.rows);
    said.textContent =
      plural(items.rows.length, "row") + (items.rows.length ? "" : ": no row matches the filters");
    grid.setAttribute("aria-rowcount", items.all.length + 1);
    body.dataset.from = "";
    draw();
  };
  main.append(
    el("h1", {}, "Matrix"),
    controls(parameters, apply),
    said,
    el("div", { class: "beside" }, port, panel),
    legend(),
  );
  apply();
  port.scrollTop = matrixTop;
  draw();
  return listen(grid, port, panel, items, draw, parameters.cell);
};

const COLUMN = 104; // pixels, at least
const gridOf = (parameters, body) => {
  const columns = shownBackends(parameters);
  const heads = columns.map((b) => el("th", { scope: "col", title: engineOf(b) }, short(b, 24)));
  const first = el("th", { scope: "col" }, parameters.by === "clause" ? "clause" : "op, rule or point");
  const grid = el(
    "table",
    { class: "matrix by-" + (parameters.by || "subject") },
    el("caption", { class: "unseen" }, "Passed out of judged, per row and backend"),
    el("thead", {}, el("tr", {}, first, heads)),
    body,
  );
  // The sentences of clauses get the room that the columns leave; no column is too narrow for its longest word.
  const room = Math.max(22, Math.min(parameters.by === "clause" ? 52 : 40, 100 - 9.2 * columns.length));
  grid.style.setProperty("--first", room + "%");
  grid.style.setProperty("--least", (COLUMN * columns.length) / (1 - room / 100) + "px");
  grid.style.setProperty("--narrow", 150 + COLUMN * columns.length + "px");
  return grid;
};

// What the reader does to the grid; returns what undoes the listening that outlives it.
const listen = (grid, port, panel, items, draw, chosen) => {
  const body = grid.tBodies[0];
  // Opened, the panel is a step of the history: Back closes it.
  const close = () => history.back();
  const open = (cell) => {
    showCell(panel, cell, items.rows, () => close());
    body.dataset.from = "";
    draw();
  };
  grid.addEventListener("click", (e) => {
    const at = e.target.closest("a[data-cell]");
    if (!at || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    const { cell } = at.dataset;
    if (place().parameters.cell) set({ cell });
    else step({ cell });
    lastCell = cell;
    open(cell);
    panel.querySelector("h2").focus();
  });
  grid.addEventListener("keydown", (e) => moveFocus(e, port, items, draw));
  port.addEventListener("scroll", () => {
    matrixTop = port.scrollTop;
    draw();
  });
  if (chosen) open(chosen);
  else if (lastCell) {
    focusCell(port, lastCell);
    lastCell = "";
  }
  const print = () => draw(true);
  addEventListener("beforeprint", print);
  return () => removeEventListener("beforeprint", print);
};

const controls = (p, apply) => {
  const pick = (name) => (value) => {
    set({ [name]: value });
    apply();
  };
  const groups = [...new Set(indexed(p.by === "clause" ? "clause" : "subject").map((row) => row.group))];
  const dtypes = [...new Set(data.results.map((r) => r.dtype))].filter((d) => d).sort();
  const verdicts = ORDER.filter((v) => data.results.some((r) => r.verdict === v));
  const redraw = (name, changes = {}) => (value) => {
    location.hash = address("matrix", "", { ...place().parameters, ...changes, [name]: value, cell: "" });
  };
  const kinds = [...new Set(data.results.map((r) => r.kind))].map((k) => [k, KINDS_OF_QUESTION[k] || k]);
  const clauses = [...new Set(data.results.map((r) => r.clause))].sort(natural);
  return form(
    select(
      "rows",
      [
        ["", "ops and rules"],
        ["clause", "clauses"],
      ],
      p.by,
      redraw("by", { family: "" }),
    ),
    textField("text", p.q, "matmul, B1, …", pick("q")),
    select("engine", [["", "all"], ...engineNames()], p.engine, redraw("engine")),
    select("kind of check", [["", "all"], ...kinds], p.about, pick("about")),
    select(p.by === "clause" ? "chapter" : "family", [["", "all"], ...groups], p.family, pick("family")),
    select("clause", [["", "all"], ...clauses.map((c) => [c, (c + " " + sentence(c)).trim()])], p.clause, pick("clause")),
    select(
      "verdict",
      [["", "all"], ...verdicts.map((v) => [v, glyph(v) + " " + word(v)])],
      p.verdict,
      pick("verdict"),
    ),
    select("dtype", [["", "all"], ...dtypes], p.dtype, pick("dtype")),
    tick("engines differ", p.differ, pick("differ")),
  );
};

// What fails comes first, then what was not judged, then what passes.
const LOOKS = ["bad", "warn", "known", "none", "good"];
const needsALook = (lines) => Math.min(...lines.map((r) => LOOKS.indexOf(tone(r.verdict))));

const showCell = (panel, cell, rows, close) => {
  const [key, name] = parted(cell);
  const row = rows.find((r) => r.key === key);
  panel.hidden = !row;
  if (!row) return;
  const lines = row.cells.get(name) || [];
  const t = tally(lines);
  const checks = [
    ...group(lines, (r) => (key.startsWith("clause/") ? r.subject + " · " + r.check : r.check)),
  ].sort((a, b) => needsALook(a[1]) - needsALook(b[1]));
  panel.onkeydown = (e) => {
    if (e.key === "Escape") close();
  };
  panel.replaceChildren(
    el("button", { type: "button", class: "close", onclick: close, "aria-label": "Close" }, "×"),
    el("h2", { tabindex: -1 }, row.label + " on " + name),
    row.about ? el("p", {}, row.about) : "",
    el(
      "p",
      { class: "muted" },
      lines.length
        ? [counted(t.passed, { ...exactly(row, name), verdict: "pass" }), " of ", counted(t.judged, { ...exactly(row, name), judged: "1" }), " judged passed, " + (lines.length - t.judged) + " not judged"]
        : "– not run",
    ),
    spec.ops[row.label] && key.startsWith("op/") ? el("p", {}, link("op", row.label, {}, "All about " + row.label)) : "",
    el(
      "ul",
      { class: "checks" },
      checks.slice(0, 200).map(([check, of]) =>
        el(
          "li",
          {},
          el("p", {}, el("b", {}, check)),
          el("p", { class: "small muted" }, clauseLine(of[0].clause)),
          el(
            "div",
            { class: "chips" },
            of.map((r) => chip(r, r.dtype || "any dtype")),
          ),
        ),
      ),
    ),
    checks.length > 200 ? note("and " + (checks.length - 200) + " more; narrow the rows to see them") : "",
  );
};

// The filters that leave exactly the results of a cell.
const exactly = (row, backend) => {
  const { dtype, about, clause } = place().parameters;
  const [first] = [...row.cells.values()][0];
  const what = row.key.startsWith("clause/") ? { clause: first.clause } : row.key.startsWith("contract/") ? { about: "contract", clause: first.clause } : { about: first.kind, subject: first.subject };
  return { about, clause, ...what, backend, dtype };
};
