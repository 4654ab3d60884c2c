// Two backends side by side: only what differs, a sentence each, op by op, for the ops of a model.

const OPS_SHOWN = 100;

const differ = (main, { parameters }) => {
  const names = backends.filter((b) => !(engines.get(b) || {}).error);
  const firsts = engineNames().map((e) => modes(e)[0]).filter((b) => names.includes(b));
  const a = names.includes(parameters.a) ? parameters.a : firsts[1] || names[0];
  const b = names.includes(parameters.b) ? parameters.b : firsts.find((n, i) => i && n !== a) || names.find((n) => n !== a);
  put(main, el("h1", {}, b ? short(a, 30) + " ↔ " + short(b, 30) : "Two engines side by side"));
  if (!b) {
    put(main, note("This run has one backend. Run two, or make a report of two run files, to see where they differ."));
    return;
  }
  const said = el("p", { class: "muted", role: "status" });
  const list = el("div", { class: "differences" });
  const more = el("button", { type: "button", hidden: true, onclick: () => pick("rows")("all") });
  const found = differences(a, b);
  const apply = () => {
    const p = place().parameters;
    const ops = (p.ops || "").toLowerCase().split(/[\s,;]+/).filter((w) => w);
    const words = (p.q || "").toLowerCase();
    const kept = found.filter(
      (d) => (!ops.length || ops.includes(d.op)) && (!p.what || d.what === p.what) && (!words || (d.op + " " + d.text + " " + (d.clause ? d.clause + " " + sentence(d.clause) : "")).toLowerCase().includes(words)),
    );
    const seen = (op, backend) => data.results.some((r) => r.backend === backend && opOf(r) === op);
    const missing = ops.filter((op) => !seen(op, a) || !seen(op, b));
    const none = ops.filter((op) => !missing.includes(op) && !found.some((d) => d.op === op));
    const listedAs = (text, names) => (names.length ? "; " + text + " " + short(names.join(", "), 200) : "");
    const byOp = [...group(kept, (d) => d.op)];
    const shown = p.rows === "all" ? byOp : byOp.slice(0, OPS_SHOWN);
    said.textContent =
      plural(kept.length, "difference") + " of " + count(found.length) + (shown.length < byOp.length ? "; shown are those of the first " + OPS_SHOWN + " ops" : "") + listedAs("none found for", none) + listedAs("not run on both:", missing);
    more.hidden = shown.length === byOp.length;
    more.textContent = "Show all " + byOp.length + " ops";
    list.replaceChildren(
      ...shown.map(([op, of]) =>
        el("section", {}, el("h3", {}, op ? (spec.ops[op] ? link("op", op, {}, op) : op) : "the engine as a whole"), el("ul", { class: "checks" }, of.map(difference))),
      ),
    );
  };
  const go = (name) => (value) => {
    location.hash = address("differ", "", { ...place().parameters, a, b, [name]: value });
  };
  const pick = (name) => (value) => {
    set({ [name]: value });
    apply();
  };
  put(
    main,
    form(
      select("one", names, a, go("a")),
      select("other", names, b, go("b")),
      textField("ops of a model", parameters.ops, "relu, max, sort", pick("ops")),
      select("what", [["", "everything"], ...new Set(found.map((d) => d.what))], parameters.what, pick("what")),
      textField("text", parameters.q, "tie, NaN, float32 …", pick("q")),
    ),
    said,
    list,
    more,
  );
  apply();
};

const difference = (d) => el("li", {}, el("p", {}, el("span", { class: "badge none" }, d.what), " ", d.text, d.link ? [" · ", d.link] : null), d.clause ? el("p", { class: "muted" }, clauseLine(d.clause)) : null);

const differences = (a, b) => [...ofConventions(a, b), ...ofPoints(a, b), ...ofOffers(a, b), ...ofFailures(a, b), ...ofFailures(b, a)].sort((x, y) => !y.op - !x.op || natural(x.op, y.op));

const ofConventions = (a, b) => {
  const [own, other] = [a, b].map((name) => (engines.get(name) || {}).conventions || {});
  return [...new Set([...Object.keys(own), ...Object.keys(other)])]
    .filter((clause) => own[clause] && other[clause] && own[clause] !== other[clause])
    .sort(natural)
    .map((clause) => ({
      op: "",
      what: "convention",
      text: a + ": " + own[clause] + "; " + b + ": " + other[clause] + ".",
      clause,
      link: null,
    }));
};

// What was measured at the special points; dtypes in which it is the same are one difference.
const ofPoints = (a, b) => {
  const found = new Map();
  for (const r of data.results) {
    if (r.kind !== "point" || !r.atlas || (r.backend !== a && r.backend !== b)) continue;
    const key = r.subject + "\0" + r.dtype;
    if (!found.has(key)) found.set(key, {});
    found.get(key)[r.backend] = r;
  }
  const apart = [...found.values()].filter((of) => of[a] && of[b] && of[a].atlas.found !== of[b].atlas.found);
  return [...group(apart, (of) => [of[a].subject, of[a].atlas.found, of[b].atlas.found].join("\0")).values()].map((same) => {
    const of = same[0];
    const [op, point = ""] = of[a].subject.split(/\/(.*)/s);
    return {
      op,
      what: "special point",
      text: point.replace(/-/g, " ") + " (" + same.map((o) => o[a].dtype).join(", ") + "): " + given(of[a]) + "; " + given(of[b]) + ".",
      link: toCase(of[a], "numbers"),
    };
  });
};
// What was found at a special point: the convention's name, and the gradients; where there is one operand, its own.
const given = (r) => {
  const { found, value, standing } = r.atlas;
  const shown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const text = JSON.stringify(shown, (_, x) => (typeof x === "number" ? Number(x.toPrecision(4)) : x));
  const numbers = value !== undefined && found !== String(value) ? ", " + short(text, 70) : "";
  return r.backend + ": " + found + numbers + (standing === "unfair" ? " (outside what is fair there)" : "");
};

const ofOffers = (a, b) => {
  const ops = new Map();
  for (const r of data.results) {
    if (r.kind !== "op" || (r.backend !== a && r.backend !== b)) continue;
    if (!ops.has(r.subject)) ops.set(r.subject, { [a]: [], [b]: [] });
    ops.get(r.subject)[r.backend].push(r);
  }
  const lacks = (lines) => lines.length && lines.every((r) => r.verdict === "unsupported");
  const offers = (lines) => lines.some((r) => tone(r.verdict) !== "none");
  return [...ops].flatMap(([op, of]) =>
    [[a, b], [b, a]]
      .filter(([x, y]) => lacks(of[x]) && offers(of[y]))
      .map(([x, y]) => ({ op, what: "not offered", text: x + " does not offer it (" + (of[x][0].said || "no reason given") + "); " + y + " does.", link: null })),
  );
};

// Where one fails and the other passes the same check, in the words of the cause.
const ofFailures = (a, b) => {
  const other = new Map(data.results.filter((r) => r.backend === b).map((r) => [sameCheck(r), r]));
  const lines = data.results.filter((r) => r.backend === a && r.cause && (other.get(sameCheck(r)) || {}).verdict === "pass");
  return [...group(lines, (r) => r.cause.at + "\0" + opOf(r)).values()].map((of) => ({
    op: opOf(of[0]),
    what: data.severities[of[0].cause.severity],
    text: a + ": " + of[0].cause.title + "; " + b + " passes " + (of.length === 1 ? "this check" : "these " + of.length + " checks") + ".",
    clause: of[0].kind === "contract" ? of[0].clause : "",
    link: el("a", { href: causeAddress(of[0].cause) }, "cause"),
  }));
};
const sameCheck = (r) => [r.kind, r.subject, r.clause, r.check, r.dtype].join("\0");
const opOf = (r) => (r.kind === "op" ? r.subject : r.kind === "point" ? r.subject.split("/")[0] : "");
