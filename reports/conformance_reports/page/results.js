// The list of results: exactly those that the address names, a page at a time, the worst first.

const AT_ONCE = 100;

// Failures in the order of their causes; the rest as they were checked. Sorted once: to sort at every keystroke takes too long.
let sortedResults = null;
const worstFirst = () => (sortedResults ||= [...data.results].sort((a, b) => inOrder(a) - inOrder(b)));
const inOrder = (r) => (r.cause ? r.cause.at : r.verdict === "fixed" ? 1e6 : tone(r.verdict) === "none" ? 2e6 : 3e6);

const resultList = (main, { parameters }) => {
  const fields = ["engine", "backend", "verdict", "severity", "listed", "about", "family", "subject", "clause", "dtype", "q"];
  const body = el("ul", { class: "jump results" });
  const said = el("p", { class: "muted", role: "status" });
  const chips = el("p", { class: "chips" });
  const more = el("button", { type: "button", onclick: () => extend() });
  let left = [];
  const extend = () => {
    body.append(...left.splice(0, AT_ONCE).map(resultRow));
    more.textContent = "Show more (" + count(left.length) + " left)";
    more.hidden = !left.length;
  };
  const apply = () => {
    const p = place().parameters;
    left = worstFirst().filter(matcher(p));
    const many = left.length;
    chips.replaceChildren(...narrowed(p, fields));
    said.textContent = plural(many, "result") + (many ? "" : ": no result matches the filters");
    body.replaceChildren();
    extend();
  };
  main.append(
    el("h1", {}, "Results"),
    form(filterFields(parameters, apply, fields)),
    chips,
    said,
    body,
    more,
  );
  apply();
};

const resultRow = (r) =>
  el(
    "li",
    {},
    el("div", { class: "line" }, badge(r.verdict), toCase(r, r.id)),
    r.said && r.verdict !== "pass" ? el("p", { class: "said" }, r.said) : null,
  );
