// Charts: logarithmic axes, and the marks that distinguish one backend's line from another's without its colour.

const MARKS = [
  (x, y) => svg("circle", { cx: x, cy: y, r: 3.6 }),
  (x, y) => svg("rect", { x: x - 3.3, y: y - 3.3, width: 6.6, height: 6.6 }),
  (x, y) => svg("path", { d: `M${x} ${y - 4.6}l4.4 8h-8.8z` }),
  (x, y) => svg("path", { d: `M${x} ${y - 4.8}l4.8 4.8l-4.8 4.8l-4.8 -4.8z` }),
  (x, y) => svg("path", { d: `M${x - 3.6} ${y - 3.6}l7.2 7.2m0 -7.2l-7.2 7.2`, "stroke-width": 2 }),
  (x, y) => svg("path", { d: `M${x - 4.6} ${y}h9.2m-4.6 -4.6v9.2`, "stroke-width": 2 }),
];
// Beyond six the colours come again, with hollow marks and other dashes.
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 2", "12 3", "1 4", "10 2 1 2", "4 1", "6 2 2 2 2 2", "3 6", "14 2 2 2"];
const series = (name) => Math.max(0, contenders.indexOf(name));
const colour = (name) => "s" + (series(name) % 6);
const dash = (name) => DASHES[series(name) % DASHES.length];
const marker = (name, x, y) =>
  svg("g", { class: colour(name) + (series(name) % 12 < 6 ? "" : " hollow") }, MARKS[series(name) % 6](x, y));
const chartLegend = (names) =>
  el(
    "ul",
    { class: "legend" },
    names.map((b) =>
      el(
        "li",
        {},
        svg(
          "svg",
          { width: 26, height: 12, "aria-hidden": "true" },
          svg("line", {
            x1: 0,
            y1: 6,
            x2: 26,
            y2: 6,
            class: colour(b),
            "stroke-dasharray": dash(b),
          }),
          marker(b, 13, 6),
        ),
        short(b, 30),
      ),
    ),
  );

// A logarithmic scale from [low, high] to pixels, with the powers of ten as ticks, thinned to fit.
const logScale = (low, high, from, to) => {
  const [a, b] =
    low === high ? [Math.log10(low) - 0.5, Math.log10(high) + 0.5] : [Math.log10(low), Math.log10(high)];
  const at = (v) => from + ((Math.log10(v) - a) / (b - a)) * (to - from);
  const step = Math.max(1, Math.ceil((b - a) / 5));
  const ticks = [];
  for (let e = Math.ceil(a); e <= b; e += step) ticks.push(10 ** e);
  return { at, ticks };
};
