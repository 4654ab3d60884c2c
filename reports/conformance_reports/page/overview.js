// Overview: what was run, how each backend did, and where to look first.

const SHOWN_AT_ONCE = 40;

const overview = (main) => {
  put(
    main,
    el("h1", {}, "How the engines did"),
    strip(),
    el(
      "div",
      { class: "split" },
      el(
        "section",
        { "aria-labelledby": "by-backend" },
        el("h2", { id: "by-backend" }, "Backends, fewest problems first"),
        standings(),
        legend(),
      ),
      trust(),
    ),
    jumpList(),
    noted(
      "fixed",
      "Pass now",
      "Listed as known failures, but passing: remove them from the known-failures file.",
    ),
    noted("known", "Known failures", "Expected to fail, with the reason given."),
  );
};

const strip = () => {
  const run = data.run;
  const state = data.complete
    ? el("span", {}, "✓ complete")
    : el(
        "span",
        { class: "amber" },
        "! not complete: " + data.damage,
      );
  return facts([
    ["run", state],
    ["specification", run.spec.version],
    ["profile", run.profile + ", seed " + run.seed],
    ["backends", count(backends.length)],
    ["results", count(data.results.length)],
    ["cases", count(data.results.reduce((n, r) => n + r.cases, 0))],
    ["started", short(run.started.replace("T", " ").replace(/(\.\d+)?(Z|\+00:00)$/, " UTC"), 40)],
    data.end && data.end.seconds ? ["took", seconds(data.end.seconds)] : null,
  ]);
};

const standings = () => {
  const all = group(data.results, (r) => r.backend);
  const rows = backends.map((name) => {
    const lines = all.get(name) || [];
    return { name, lines, found: lines.filter((r) => UNEXPECTED.has(r.verdict)).length };
  });
  // A backend with no results has no problems either, but nothing is known of it: it is listed last.
  rows.sort((a, b) => !a.lines.length - !b.lines.length || a.found - b.found);
  return el("ul", { class: "standings" }, rows.map(standing));
};

const standing = ({ name, lines, found }) => {
  const refused = (engines.get(name) || {}).error;
  const head = el("div", { class: "who" }, el("h3", {}, name), note(engineOf(name)));
  if (!lines.length)
    return el(
      "li",
      {},
      head,
      el(
        "p",
        { class: refused ? "amber" : "muted" },
        refused ? "! could not start: " + refused : "– not run",
      ),
    );
  const counts = ORDER.map((v) => [v, lines.filter((r) => r.verdict === v).length]).filter(([, n]) => n);
  return el(
    "li",
    {},
    head,
    el(
      "p",
      { class: "found " + (found ? "bad" : "good") },
      el("b", {}, found ? "✗ " + count(found) : "✓ 0"),
      " unexpected",
    ),
    bar(counts, lines.length),
    el(
      "ul",
      { class: "counts" },
      counts.map(([v, n]) =>
        el(
          "li",
          {},
          link(
            "matrix",
            "",
            { verdict: v },
            el("span", { class: "swatch v-" + v }),
            glyph(v) + " " + word(v),
          ),
          " " + count(n) + " / " + count(lines.length),
        ),
      ),
    ),
    refused ? el("p", { class: "amber" }, "! " + refused) : null,
  );
};

const bar = (counts, total) => {
  const node = el("div", {
    class: "bar",
    role: "img",
    "aria-label": counts.map(([v, n]) => word(v) + " " + n + " of " + total).join(", "),
  });
  for (const [v, n] of counts) {
    const part = el("span", { class: "v-" + v, title: word(v) + " " + n + " of " + total });
    part.style.flexGrow = n;
    node.append(part);
  }
  return node;
};

const legend = () =>
  el(
    "p",
    { class: "legend" },
    "✓ holds · ✗ does not · ! raised, hung, crashed, or needs a look · ~ known failure · – not judged",
  );

// The suite's own score stands beside the bars: a green bar means as much as the suite can catch.
const trust = () => {
  const score = mutationScore();
  return el(
    "aside",
    { class: "card", "aria-label": "The suite's own score" },
    el("h2", {}, "What a pass is worth"),
    score
      ? [
          el("p", { class: "big" }, count(score.caught) + " / " + count(score.of)),
          el("p", {}, "mutants caught: engines wrong in exactly one way that this suite finds out."),
        ]
      : [
          el("p", { class: "big muted" }, "– not run"),
          el("p", {}, "The suite was not tried on its mutants in this run."),
        ],
    el(
      "p",
      {},
      data.proofs.length
        ? plural(data.proofs.length, "proof") +
            " of the rules, worst disagreement " +
            digits(Math.max(...data.proofs.map((p) => num(p.error))), 2) +
            "."
        : "Proofs of the rules: not run.",
    ),
    el("p", {}, link("about", "", {}, "Kill matrix and proofs")),
  );
};

const jumpList = () => {
  const found = problems();
  const node = el("section", { "aria-labelledby": "first" }, el("h2", { id: "first" }, "Look here first"));
  if (!found.length) {
    node.append(
      note(
        data.results.length
          ? "✓ Nothing unexpected in " + plural(data.results.length, "result") + "."
          : "– No results: not run.",
      ),
    );
    return node;
  }
  const groups = alike(found);
  node.append(
    note(
      plural(found.length, "unexpected result") +
        ", listed in " +
        count(groups.length) +
        (groups.length === 1 ? " entry" : " entries") +
        ", the severest first.",
    ),
  );
  const list = el("ol", { class: "jump" });
  const more = el("button", { type: "button", onclick: () => extend() });
  const extend = () => {
    list.append(...groups.splice(0, SHOWN_AT_ONCE).map(problem));
    more.textContent = "Show more (" + groups.length + " left)";
    more.hidden = !groups.length;
  };
  node.append(list, more);
  extend();
  return node;
};

// One question that fails on several backends and dtypes is listed once; so is one message about many ops.
const alike = (found) => {
  const questions = [...group(found, (r) => JSON.stringify([r.kind, r.subject, r.check])).values()];
  const complaint = ([r]) => JSON.stringify([r.kind, r.check, r.verdict, reason(r)]);
  return [...group(questions, complaint).values()].map((same) => same.flat());
};

const problem = (lines) => {
  const first = lines[0];
  const subjects = new Set(lines.map((r) => r.subject));
  const isOne = subjects.size === 1;
  // About many ops the dtypes are left out: one chip for each op and backend.
  const shown = isOne
    ? lines
    : [...group(lines, (r) => JSON.stringify([r.subject, r.backend])).values()].map((of) => of[0]);
  return el(
    "li",
    {},
    el(
      "div",
      { class: "line" },
      badge(first.verdict),
      toCase(first, (isOne ? first.subject : plural(subjects.size, first.kind)) + " · " + first.check),
      el(
        "span",
        { class: "muted", title: sentence(first.clause) },
        short(first.clause, 12) + " " + short(first.level, 12),
      ),
    ),
    el("p", { class: "said" }, reason(first)),
    el(
      "div",
      { class: "chips" },
      shown.slice(0, 24).map((r) => chip(r, isOne ? r.backend + " " + r.dtype : r.subject + " " + r.backend)),
      shown.length > 24
        ? link(
            "matrix",
            "",
            { verdict: first.verdict, q: first.check },
            "and " + (shown.length - 24) + " more",
          )
        : null,
    ),
  );
};

const noted = (verdict, title, why) => {
  const lines = data.results.filter((r) => r.verdict === verdict);
  if (!lines.length) return null;
  const list = el(
    "ul",
    { class: "jump" },
    lines
      .slice(0, 500)
      .map((r) =>
        el(
          "li",
          {},
          el("div", { class: "line" }, badge(verdict), toCase(r, short(r.id))),
          el(
            "p",
            { class: "said" },
            reason(r),
            r.evidence && r.evidence.link ? [" · ", outward(r.evidence.link)] : null,
          ),
        ),
      ),
  );
  return el(
    "details",
    { open: verdict === "fixed" },
    el("summary", {}, title + " (" + count(lines.length) + ")"),
    note(why),
    list,
  );
};
