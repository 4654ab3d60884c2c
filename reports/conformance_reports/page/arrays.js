// Arrays as tables, and the distance between two of them as a heat strip.

const SHOWN = 256; // entries; beyond that a table says nothing to the eye

// Which entries stand out, as what, and with which sign before them.
const UNMARKED = { places: new Set(), kind: "", sign: "" };

const shapeOf = (a) => {
  if (!Array.isArray(a)) return [];
  const inner = a.map(shapeOf);
  if (inner.some((s) => !s || s.join() !== inner[0].join())) return null; // ragged: several arrays
  return [a.length, ...(inner[0] || [])];
};
const flat = (a) => (Array.isArray(a) ? a.flat(Infinity) : [a]);
const isNumeric = (a) => a !== undefined && flat(a).every((x) => num(x) !== undefined);

// One array, or several where the shapes differ, or text where it is no array at all.
const arrayView = (label, value, marks = UNMARKED) => {
  if (value === undefined || value === null) return note("– none");
  if (Array.isArray(value) && value.every((v) => typeof v === "string" && num(v) === undefined))
    return el("p", {}, el("code", {}, value.join(", ")));
  if (!isNumeric(value))
    return Array.isArray(value) && value.length < 9
      ? value.map((v, i) => arrayView(label + " " + i, v))
      : el("pre", { tabindex: 0 }, short(JSON.stringify(value), 2000));
  const shape = shapeOf(value);
  if (!shape) return value.map((v, i) => arrayView(label + " " + i, v));
  const size = shape.reduce((a, b) => a * b, 1);
  const caption = shape.length ? "shape (" + shape.join(", ") + (shape.length === 1 ? ",)" : ")") : "0-d";
  const grid = el(
    "table",
    { class: "array" },
    el("tbody", {}, sliced(value, shape, [], marks).slice(0, SHOWN)),
  );
  return el(
    "div",
    {},
    scroller(label + ", " + caption, grid),
    el("p", { class: "muted small" }, caption, size > SHOWN ? "; the first entries of " + count(size) : ""),
  );
};

// The rows of a table: the last axis runs across, the one before down, the others are named.
const sliced = (value, shape, at, marks) => {
  if (shape.length === 0) return [el("tr", {}, entry(value, at, marks))];
  if (shape.length === 1)
    return [
      el(
        "tr",
        {},
        value.slice(0, 32).map((v, i) => entry(v, [...at, i], marks)),
        value.length > 32 ? el("td", { class: "muted" }, "…") : null,
      ),
    ];
  const rows = [];
  for (const [i, v] of value.entries()) {
    if (shape.length === 3)
      rows.push(
        el(
          "tr",
          {},
          el(
            "td",
            { class: "slice muted", colspan: Math.max(1, Math.min(32, shape[2])) },
            "[" + [...at, i].join(", ") + ", :, :]",
          ),
        ),
      );
    rows.push(...sliced(v, shape.slice(1), [...at, i], marks));
    if (rows.length > SHOWN) break;
  }
  return rows;
};
const entry = (v, at, marks) => {
  const name = "[" + at.join(", ") + "]";
  const isOut = marks.places.has(name);
  return el(
    "td",
    { class: isOut ? marks.kind : "", title: name },
    isOut ? marks.sign : "",
    digits(v, isOut ? 17 : 6),
  );
};

// |got − expected| over what is allowed, entry by entry; null where the two cannot be compared at all.
const distances = ({ expected, got, allowed }) => {
  if (expected === undefined || got === undefined || !isNumeric(expected) || !isNumeric(got)) return null;
  const shape = shapeOf(expected);
  if (!shape || shape.join() !== (shapeOf(got) || [NaN]).join()) return null;
  const bounds = allowed === undefined || !isNumeric(allowed) ? null : flat(allowed).map(num);
  const names = places(shape);
  return flat(expected).map((e, i) => {
    const [x, y] = [num(e), num(flat(got)[i])];
    const same = x === y || (Number.isNaN(x) && Number.isNaN(y));
    const by = bounds ? (bounds.length === 1 ? bounds[0] : bounds[i]) : undefined;
    const ratio = same ? 0 : Math.abs(x - y) / by;
    // Without an allowance a claim is about equality: whatever differs is out.
    if (by === undefined) return { at: names[i], isOut: !same };
    return { at: names[i], ratio: Number.isNaN(ratio) ? Infinity : ratio, isOut: !(ratio <= 1) };
  });
};
const places = (shape) =>
  shape
    .reduce((at, n) => at.flatMap((p) => [...Array(n).keys()].map((i) => [...p, i])), [[]])
    .map((p) => "[" + p.join(", ") + "]");

const HEAT = [
  [0, "equal"],
  [0.1, "≤ 0.1"],
  [1, "≤ 1, allowed"],
  [10, "≤ 10"],
  [1e3, "≤ 1000"],
  [Infinity, "beyond"],
];
const heat = (ratio) => HEAT.findIndex(([limit]) => ratio <= limit);

const heatStrip = (entries) => {
  const top = entries.reduce((a, b) => (b.ratio > a.ratio ? b : a));
  const beyond = entries.filter((e) => e.ratio > 1).length;
  const said =
    beyond +
    " of " +
    plural(entries.length, "entry").replace("entrys", "entries") +
    " beyond the allowance; furthest out " +
    top.at +
    " at " +
    digits(top.ratio, 3) +
    " × allowed";
  return el(
    "div",
    {},
    el(
      "div",
      { class: "strip", role: "img", "aria-label": said },
      entries
        .slice(0, 512)
        .map((e) =>
          el("span", { class: "h" + heat(e.ratio), title: e.at + ": " + digits(e.ratio, 3) + " × allowed" }),
        ),
    ),
    el("p", {}, said + "."),
    el(
      "ul",
      { class: "legend" },
      HEAT.map(([, text], i) => el("li", {}, el("span", { class: "square h" + i }), text)),
    ),
  );
};
