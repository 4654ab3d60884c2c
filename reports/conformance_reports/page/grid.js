// The grid of the matrix: only rows in sight are drawn; arrow keys go over all of them.

const ROW = 36; // pixels; equal to the height in page.css

// Draws the rows in sight and a few beyond, between two spacers of the right height.
const fill = (body, { all }, port, whole) => {
  const from = whole ? 0 : Math.max(0, Math.floor(port.scrollTop / ROW) - 10);
  const to = whole
    ? all.length
    : Math.min(all.length, from + Math.ceil((port.clientHeight || 800) / ROW) + 20);
  if (body.dataset.from === from + "-" + to) return;
  const spacer = (rows) => {
    const cell = el("td", { colspan: shownBackends(place().parameters).length + 1 });
    cell.style.height = rows * ROW + "px";
    return rows ? el("tr", { class: "spacer", "aria-hidden": "true" }, cell) : null;
  };
  const held = document.activeElement && document.activeElement.dataset.cell;
  body.replaceChildren(
    ...[
      spacer(from),
      ...all
        .slice(from, to)
        .map((item, i) =>
          item.heading === undefined ? subjectRow(item, from + i) : headingRow(item, from + i),
        ),
      spacer(all.length - to),
    ].filter((x) => x),
  );
  body.dataset.from = from + "-" + to;
  if (held) focusCell(port, held);
  const first = body.querySelector("a[data-cell]");
  if (first && !body.querySelector("a[tabindex='0']")) first.tabIndex = 0;
};

const headingRow = ({ heading, members }, at) =>
  el(
    "tr",
    { class: "heading", "aria-rowindex": at + 2 },
    el("th", { scope: "row" }, heading),
    shownBackends(place().parameters).map((b) => {
      const t = tally(members.flatMap((m) => m.cells.get(b) || []));
      return el(
        "td",
        {},
        el("span", { class: "unseen" }, short(b, 18) + " "),
        t.judged ? count(t.passed) + "/" + count(t.judged) : "–",
      );
    }),
  );

const subjectRow = (row, at) =>
  el(
    "tr",
    { "aria-rowindex": at + 2 },
    el(
      "th",
      { scope: "row", title: row.about || row.label },
      row.about ? el("div", { class: "lines" }, el("span", {}, row.label), el("small", {}, " " + row.about)) : el("span", {}, row.label),
    ),
    shownBackends(place().parameters).map((b) => {
      const lines = row.cells.get(b) || [];
      const t = tally(lines);
      const cell = row.key + "|" + b;
      const text = t.judged
        ? count(t.passed) + "/" + count(t.judged)
        : lines.length
          ? word(worst(lines).verdict)
          : "not run";
      const node = el(
        "a",
        {
          class: "cell " + t.tone + (place().parameters.cell === cell ? " chosen" : ""),
          "aria-current": place().parameters.cell === cell && "true",
          "data-cell": cell,
          tabindex: -1,
          href: address("matrix", "", { ...place().parameters, cell }),
        },
        el("span", { "aria-hidden": "true" }, mark(t.tone)),
        " " + text,
        el(
          "span",
          { class: "unseen" },
          " " + row.label + " on " + b + (lines.length ? ", worst: " + word(worst(lines).verdict) : ""),
        ),
      );
      // The shade says how much of the cell is lost; the numbers say it exactly.
      if (t.judged) node.style.setProperty("--lost", Math.round(15 + 60 * (1 - t.passed / t.judged)) + "%");
      return el("td", {}, node);
    }),
  );

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

const STEPS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-12, 0],
  PageDown: [12, 0],
  Home: [0, -1e9],
  End: [0, 1e9],
};
const moveFocus = (e, port, { all, rows }, draw) => {
  const at = e.target.closest("a[data-cell]");
  const step = STEPS[e.key];
  if (!at || !step || e.altKey) return;
  e.preventDefault();
  const [key, name] = parted(at.dataset.cell);
  const inside = (n, length) => Math.min(length - 1, Math.max(0, n));
  const row = rows[inside(rows.findIndex((r) => r.key === key) + step[0], rows.length)];
  const columns = shownBackends(place().parameters);
  const column = inside(columns.indexOf(name) + step[1], columns.length);
  const top = all.indexOf(row) * ROW;
  const room = port.clientHeight - 3 * ROW;
  if (top < port.scrollTop + ROW) port.scrollTop = Math.max(0, top - ROW);
  if (top > port.scrollTop + room) port.scrollTop = top - room;
  draw();
  focusCell(port, row.key + "|" + columns[column]);
  document.activeElement.scrollIntoView({ block: "nearest", inline: "nearest" });
};
