// Atlas: the convention of each backend where engines may differ, and what it declares it can do.

const NARROW_ROWS = 40;
const atlas = (main, { parameters }) => {
  const rows = [...conventionRows(), ...pointRows(), ...capabilityRows()].map(compared);
  main.append(el("h1", {}, "Atlas of conventions"));
  if (!rows.length) {
    main.append(note("– not run: no backend of this run declares its conventions."));
    return;
  }
  // The sort is stable: clauses stay before special points, and these before capabilities, each in its order.
  rows.sort((a, b) => b.differ - a.differ);
  const columns = shownBackends(parameters);
  const body = el("tbody");
  const said = el("p", { class: "muted", role: "status" });
  const more = el("button", { type: "button", hidden: true, onclick: () => pick("rows")("all") });
  const apply = () => {
    const p = place().parameters;
    const words = (p.q || "").toLowerCase().split(/\s+/).filter((w) => w);
    const shown = rows.filter(
      (row) =>
        (row.differ || !p.differ) &&
        (!p.sort || row.sort === p.sort) &&
        words.every((w) => (row.label + " " + row.about + " " + row.kind + " " + [...row.answers.values()].join(" ")).toLowerCase().includes(w)),
    );
    // On a phone hundreds of rows are screens that nobody reads: the first ones, those that differ, and a way to all.
    const drawn = p.rows === "all" || !matchMedia("(max-width: 600px)").matches ? shown : shown.slice(0, NARROW_ROWS);
    body.replaceChildren(...drawn.map((row) => atlasRow(row, columns)));
    more.hidden = drawn.length === shown.length;
    more.textContent = "Show all " + shown.length + " rows";
    const first = body.querySelector("td a");
    if (first) first.tabIndex = 0;
    const apart = rows.filter((row) => row.differ).length;
    said.textContent = plural(shown.length, "row") + "; backends differ in " + apart + " of " + rows.length;
  };
  const pick = (name) => (value) => {
    set({ [name]: value });
    apply();
  };
  body.addEventListener("keydown", stroll);
  put(
    main,
    el(
      "p",
      { class: "lead" },
      whole("Where engines may differ: the convention that each one declares, what each one was measured to give at special points, and what each one declares it can do. The verdict says whether the checks confirm it; ✗ marks a gradient outside what is fair there (beyond the Clarke subdifferential, or not the limit), ~ what a composition makes of its ops' conventions."),
    ),
    form(
      textField("text", parameters.q, "relu, tie, zero …", pick("q")),
      select("rows", [["", "all"], ...new Set(rows.map((row) => row.sort))], parameters.sort, pick("sort")),
      select("engine", [["", "all"], ...engineNames()], parameters.engine, (engine) => {
        location.hash = address("atlas", "", { ...place().parameters, engine });
      }),
      tick("engines differ", parameters.differ, pick("differ")),
    ),
    pairs(),
    said,
    scroller(
      "Atlas",
      el(
        "table",
        { class: "atlas" + (columns.length > 5 ? " many" : "") },
        el("caption", { class: "unseen" }, "Conventions, special points and capabilities, per backend"),
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "convention, special point or capability"),
            columns.map((b) => el("th", { scope: "col", title: engineOf(b) }, short(b, 24))),
          ),
        ),
        body,
      ),
    ),
    more,
    legend(),
  );
  apply();
};

// Any two engines side by side: where they differ, a sentence each.
const pairs = () => {
  const firsts = engineNames().map((e) => modes(e)[0]).filter((b) => !(engines.get(b) || {}).error);
  const all = firsts.flatMap((a, i) => firsts.slice(i + 1).map((b) => link("differ", "", { a, b }, short(a, 20) + " ↔ " + short(b, 20))));
  return all.length ? el("p", { class: "line" }, el("span", { class: "muted" }, "Two side by side: "), all.slice(0, 15)) : null;
};

// A row: what it is called, what it means, the answer and the results of each backend that has one.
const conventionRows = () => {
  const answers = new Map();
  for (const b of engines.values())
    for (const [clause, convention] of Object.entries(b.conventions || {})) {
      if (!answers.has(clause)) answers.set(clause, new Map());
      answers.get(clause).set(b.name, convention);
    }
  return [...answers.keys()].sort(natural).map((clause) => ({
    label: clause,
    sort: "conventions",
    about: sentence(clause),
    kind: ((spec.clauses[clause] || {}).conventions || []).join(" / "),
    answers: answers.get(clause),
    results: group(
      data.results.filter((r) => r.clause === clause),
      (r) => r.backend,
    ),
  }));
};

const STANDINGS = { unfair: ["bad", "✗ not fair"], artefact: ["known", "~ artefact"] };

// What was found at each special point; dtypes that differ are listed one by one.
const pointRows = () => {
  const measured = group(
    data.results.filter((r) => r.kind === "point" && r.atlas),
    (r) => r.subject,
  );
  return [...measured].map(([subject, results]) => {
    const answers = new Map();
    const marks = new Map();
    for (const [backend, lines] of group(results, (r) => r.backend)) {
      const found = group(lines, (r) => r.atlas.found);
      const perDtype = [...found].map(([name, of]) => name + " (" + of.map((r) => r.dtype).join(", ") + ")");
      answers.set(backend, found.size > 1 ? perDtype.join("; ") : lines[0].atlas.found);
      for (const r of lines) if (STANDINGS[r.atlas.standing]) marks.set(backend, STANDINGS[r.atlas.standing]);
    }
    return {
      label: subject,
      sort: "special points",
      about: "",
      kind: [(results[0].clause + " " + sentence(results[0].clause)).trim(), results[0].check, (results[0].atlas.among || []).join(" / ")]
        .filter((x) => x)
        .join(" · "),
      answers,
      marks,
      results: group(results, (r) => r.backend),
    };
  });
};

const capabilityRows = () => {
  const probes = group(
    data.results.filter((r) => r.kind === "capability"),
    (r) => r.subject.replace(/^capability /, ""),
  );
  const started = [...engines.values()].filter((b) => !b.error);
  const names = new Set([...started.flatMap((b) => b.capabilities || []), ...probes.keys()]);
  return [...names].sort(natural).map((name) => ({
    label: name,
    sort: "capabilities",
    about: "",
    kind: "capability",
    answers: new Map(
      started.map((b) => [b.name, (b.capabilities || []).includes(name) ? "declared" : "not declared"]),
    ),
    results: group(probes.get(name) || [], (r) => r.backend),
  }));
};

// The most frequent answer is the usual one; the others are marked.
const compared = (row) => {
  const alike = [...group([...row.answers.values()], (a) => a).values()].sort((a, b) => b.length - a.length);
  return { ...row, differ: alike.length > 1, usual: alike[0] && alike[0][0] };
};

const atlasRow = (row, columns) =>
  el(
    "tr",
    {},
    el(
      "th",
      { scope: "row" },
      el("b", {}, row.label),
      row.differ ? el("span", { class: "badge known" }, "≠ differ") : null,
      row.about ? el("p", {}, row.about) : null,
      row.kind ? el("p", { class: "muted small" }, row.kind) : null,
    ),
    columns.map((b) => {
      const answer = row.answers.get(b);
      const lines = row.results.get(b);
      return el(
        "td",
        {},
        el(
          "div",
          {},
          answer === undefined
            ? el("span", { class: "muted" }, "– not declared")
            : el("span", { class: row.differ && answer !== row.usual && "apart" }, answer),
          row.marks && row.marks.has(b)
            ? el("span", { class: "badge " + row.marks.get(b)[0] }, row.marks.get(b)[1])
            : null,
        ),
        lines ? held(lines, row.label + " on " + b) : el("span", { class: "muted small" }, "– not run"),
      );
    }),
  );

// The worst result stands for all, with how many passed of those judged where there are several.
const held = (lines, of) => {
  const judged = lines.filter((r) => tone(r.verdict) !== "none");
  const first = worst(judged.length ? judged : lines);
  const t = tally(lines);
  return el(
    "a",
    { class: "chip " + tone(first.verdict), href: address("case", first.id), tabindex: -1 },
    glyph(first.verdict) + " " + word(first.verdict),
    t.judged > 1 ? " " + count(t.passed) + "/" + count(t.judged) : "",
    el("span", { class: "unseen" }, " " + of),
  );
};

// Arrow keys go from cell to cell, over those that lead nowhere; one cell is a stop of the tab key.
const stroll = (e) => {
  const [down, across] = (!e.altKey && e.key.startsWith("Arrow") && STEPS[e.key]) || [0, 0];
  const from = e.target.closest("td");
  if (!from || !(down || across)) return;
  e.preventDefault();
  const rows = e.currentTarget.rows;
  let [row, column] = [[...rows].indexOf(from.parentNode), from.cellIndex];
  let next = null;
  while (!next) {
    row += down;
    column += across;
    const cell = rows[row] && rows[row].cells[column];
    if (!cell) return;
    next = cell.querySelector("a");
  }
  e.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
};
