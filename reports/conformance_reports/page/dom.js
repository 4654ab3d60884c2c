// Elements, numbers and the address: everything a view draws with. Text from engines only ever becomes text nodes,
// clipped unless it is preformatted or marked as whole.

// Characters that reorder or hide adjacent ones are shown by number, so that a name looks like what it is.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const seen = (text) =>
  String(text).replace(
    UNSEEN,
    (c) => "⟨U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩",
  );
const whole = (text) => document.createTextNode(seen(text));
const short = (text, longest = 120) => {
  const shown = seen(text);
  return shown.length > longest ? shown.slice(0, longest - 1) + "…" : shown;
};

const CLIP = 300;
const filled = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === false || value === null) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else
      node.setAttribute(
        name,
        value === true ? "" : name === "title" || name === "aria-label" ? short(value, CLIP) : value,
      );
  }
  node.append(
    ...children
      .flat(Infinity)
      .filter((c) => c !== null && c !== undefined && c !== false)
      .map((c) =>
        c instanceof Node ? c : node.tagName === "PRE" ? whole(c) : document.createTextNode(short(c, CLIP)),
      ),
  );
  return node;
};
const el = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

const put = (node, ...children) => filled(node, {}, children);
const note = (...children) => el("p", { class: "muted" }, children);

// A link out of the page, if it is one that a browser may be trusted with; else its text.
const outward = (address) => {
  let url = null;
  try {
    url = new URL(address);
  } catch {
    /* not an address: shown as text */
  }
  if (!url || !["http:", "https:"].includes(url.protocol)) return el("span", {}, short(address));
  return el("a", { href: url.href, rel: "noopener noreferrer" }, short(address));
};

// A wide table or listing scrolls by itself; it can be reached by keyboard, so that it can be scrolled by it.
const scroller = (label, ...children) =>
  el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": label }, children);
const facts = (pairs) =>
  el(
    "dl",
    { class: "facts" },
    pairs.filter((p) => p).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
const table = (label, heads, rows, cls = "") =>
  scroller(
    label,
    el(
      "table",
      { class: cls },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((h, i) =>
            el("th", { scope: "col", class: rows[0] && rows[0].children[i].className === "n" && "n" }, h),
          ),
        ),
      ),
      el("tbody", {}, rows),
    ),
  );
const select = (label, options, value, onpick) =>
  el(
    "label",
    {},
    el("span", {}, label),
    el(
      "select",
      { onchange: (e) => onpick(e.target.value) },
      options
        .map((option) => [option].flat())
        .map(([v, text = v]) => el("option", { value: v, selected: v === (value || "") }, short(text, 40))),
    ),
  );
const form = (...fields) =>
  el("form", { class: "controls", role: "search", onsubmit: (e) => e.preventDefault() }, fields);
const tick = (label, value, onpick) =>
  el(
    "label",
    { class: "tick" },
    el("input", {
      type: "checkbox",
      checked: value === "1",
      onchange: (e) => onpick(e.target.checked ? "1" : ""),
    }),
    el("span", {}, label),
  );

// Numbers: NaN and infinities arrive as strings.
const num = (x) =>
  typeof x === "number"
    ? x
    : x === true
      ? 1
      : x === false
        ? 0
        : x === null
          ? NaN
          : { nan: NaN, inf: Infinity, "-inf": -Infinity }[x];
// How long a run took: in minutes from two of them on.
const duration = (s) => (s < 120 ? seconds(s) : s < 7200 ? Math.round(s / 60) + " minutes" : digits(s / 3600, 2) + " hours");
const digits = (x, n = 6) => {
  const v = num(x);
  if (v === undefined) return short(typeof x === "string" ? x : JSON.stringify(x), 40);
  if (!Number.isFinite(v)) return Number.isNaN(v) ? "nan" : v > 0 ? "inf" : "−inf";
  const text =
    v !== 0 && (Math.abs(v) >= 1e6 || Math.abs(v) < 1e-4)
      ? v
          .toExponential(n - 1)
          .replace(/(\.\d*?)0+e/, "$1e")
          .replace(".e", "e")
          .replace("e+", "e")
      : String(Number(v.toPrecision(n)));
  return text.replace(/-/g, "−");
};
const count = (n) => n.toLocaleString("en").replace(/,/g, "\u202f");
const seconds = (s) => {
  const [unit, by] = s < 1e-6 ? ["ns", 1e9] : s < 1e-3 ? ["µs", 1e6] : s < 1 ? ["ms", 1e3] : ["s", 1];
  return digits(s * by, 3) + "\u202f" + unit;
};
const plural = (n, noun) => count(n) + " " + noun + (n === 1 ? "" : "s");
