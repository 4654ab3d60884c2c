// One page per engine: what fails by cause and worst first, what it does not offer, its conventions, accuracy, speed.

const enginePage = (main, { path, parameters }) => {
  const own = modes(path);
  if (!own.length) {
    main.append(el("h1", {}, "No such engine"), el("p", {}, "This run has no engine named ", el("code", {}, path), "."));
    return;
  }
  const lines = data.results.filter((r) => engineName(r.backend) === path);
  const causes = causesOf(path);
  put(
    main,
    el("h1", {}, path + " " + versionOf(path)),
    facts([
      ["modes", own.join(", ")],
      ["checked", (data.run.queries || []).length ? short(data.run.queries.join(", "), 90) : "everything"],
      ["profile", data.run.profile + ", seed " + data.run.seed],
      ["results", counted(lines.length, { engine: path })],
      ["passed", counted(lines.filter((r) => r.verdict === "pass").length, { engine: path, verdict: "pass" })],
      ["failed", causes.length ? counted(resultsIn(causes), { engine: path, failing: "1" }) : "0"],
      ...["unsupported", "undecided", "interrupted"].map((v) => {
        const n = lines.filter((r) => r.verdict === v).length;
        return n || v === "unsupported" ? [v === "unsupported" ? "not offered" : v, counted(n, { engine: path, verdict: v })] : null;
      }),
    ]),
    own.map((b) => (engines.get(b) || {}).error).filter((e) => e).map((e) => el("p", { class: "amber" }, "! could not start: " + e)),
    el("h2", {}, "What fails"),
    lines.length ? failures(path, causes, parameters) : note("– not run"),
    folded("What it does not offer", notOffered(path, lines)),
    folded("Its conventions", conventionsOf(own)),
    folded("Accuracy", accuracyOf(own)),
    folded("Speed", speedOf(own)),
  );
  const chosen = parameters.cause && document.getElementById("cause-" + parameters.cause);
  if (chosen) requestAnimationFrame(() => chosen.scrollIntoView({ block: "start" }));
};
// What comes after the failures is open where there is room for it.
const folded = (title, body) => el("details", { class: "section", open: innerWidth > 820 }, el("summary", {}, el("h2", {}, title)), body);
const section = (title, body) => el("section", {}, el("h2", {}, title), body);

// Made once per cause, because a cause may have thousands of results.
const searched = (cause) => (cause.hay ||= (cause.title + " " + cause.lines.map((r) => r.id).join(" ")).toLowerCase());

const failures = (engine, causes, parameters) => {
  if (!causes.length) return note("✓ Nothing failed.");
  const list = el("div", { class: "causes" });
  const said = el("p", { class: "muted", role: "status" });
  const apply = () => {
    const p = place().parameters;
    const words = (p.q || "").toLowerCase().split(/\s+/).filter((w) => w);
    const wanted = matcher({ ...p, q: "", cause: "", severity: "", listed: "" });
    const shown = causes.filter(
      (c) =>
        c.lines.some(wanted) &&
        (!p.severity || String(c.severity) === p.severity) &&
        (!p.listed || kindOf(c) === p.listed) &&
        words.every((w) => searched(c).includes(w)),
    );
    said.textContent = plural(shown.length, "cause") + ", " + plural(resultsIn(shown), "result") + ", the worst first";
    list.replaceChildren(
      ...[...group(shown, (c) => c.severity)].flatMap(([level, of]) => [
        el("h3", { class: "level" }, data.severities[level] + " (" + count(of.length) + ")"),
        ...of.slice(0, 60).map((c, i) => causeCard(c, p.cause ? String(c.at) === p.cause : c === shown[0])),
        of.length > 60 ? note("and " + count(of.length - 60) + " more causes: narrow them to see these") : "",
      ]),
    );
  };
  apply();
  const kinds = [...new Set(causes.map(kindOf))];
  const levels = [...new Set(causes.map((c) => c.severity))].sort();
  const pick = (name) => (value) => {
    set({ [name]: value, cause: "" });
    apply();
  };
  return [
    form(
      select("how bad", [["", "all"], ...levels.map((l) => [String(l), data.severities[l]])], parameters.severity, pick("severity")),
      select("listed as", [["", "all"], ...kinds], parameters.listed, pick("listed")),
      filterFields(parameters, apply, ["backend", "about", "family", "clause", "dtype"]),
      textField("text", parameters.q, "op, check, words of the message", pick("q")),
    ),
    said,
    list,
  ];
};

const notOffered = (engine, lines) => {
  const out = [...group(lines.filter((r) => r.verdict === "unsupported"), (r) => r.said || "no reason given")];
  if (!out.length) return note(lines.length ? "✓ Everything that was checked is offered." : "– not run");
  out.sort((a, b) => b[1].length - a[1].length);
  return table(
    "Not offered",
    ["reason", "results", "what"],
    out.slice(0, 40).map(([why, of]) => {
      const subjects = [...new Set(of.map((r) => r.subject))];
      return el(
        "tr",
        {},
        el("th", { scope: "row" }, why),
        el("td", { class: "n" }, counted(of.length, { engine, verdict: "unsupported", q: short(why, 60).replace("…", "") })),
        el("td", {}, short(subjects.slice(0, 10).join(", ") + (subjects.length > 10 ? " and " + (subjects.length - 10) + " more" : ""), 300)),
      );
    }),
  );
};

const conventionsOf = (own) => {
  const rows = [...new Set(own.flatMap((b) => Object.keys((engines.get(b) || {}).conventions || {})))].sort(natural);
  if (!rows.length) return note("– It declares none.");
  return [
    table(
      "Conventions",
      ["clause", ...own.map((b) => short(b, 24))],
      rows.map((clause) =>
        el("tr", {}, el("th", { scope: "row" }, clauseLine(clause)), own.map((b) => el("td", {}, ((engines.get(b) || {}).conventions || {})[clause] || "–"))),
      ),
      "conventions",
    ),
    el("p", {}, link("atlas", "", {}, "Beside those of the other engines, and at special points: the atlas")),
  ];
};

const accuracyOf = (own) => {
  const node = el("div", {}, note("Reading …"));
  withDetails().then(() => {
    const lines = data.results.filter((r) => own.includes(r.backend) && details.accuracy[r.at] && details.accuracy[r.at].worst !== undefined);
    if (!lines.length) return node.replaceChildren(note("– not measured in this run"));
    const far = (r) => details.accuracy[r.at].worst;
    lines.sort((a, b) => far(b) - far(a));
    node.replaceChildren(
      note("The results whose worst entry is furthest from the exact value, in units in the last place at the conditioning of the case."),
      table(
        "Accuracy",
        ["result", "worst", "median"],
        lines.slice(0, 8).map((r) =>
          el("tr", {}, el("th", { scope: "row" }, toCase(r, short(r.id, 80))), el("td", { class: "n" }, digits(far(r), 3) + " ulp"), el("td", { class: "n" }, digits(details.accuracy[r.at].typical ?? Infinity, 2) + " ulp")),
        ),
      ),
      el("p", {}, link("accuracy", "", {}, "All ops beside the other engines")),
    );
  });
  return node;
};

const speedOf = (own) => {
  const lines = data.timings.filter((t) => own.includes(t.backend) && t.what === "gradient");
  if (!lines.length) return note("– not timed in this run. Time it with: ", el("code", {}, "conformance bench " + quoted(own[0]) + " -o bench.jsonl"));
  return [
    timingTrust(),
    table(
      "Speed",
      ["program", "size", "mode", "gradient", "times hand-written NumPy"],
      lines.map((t) =>
        el("tr", {}, el("th", { scope: "row" }, t.workload), el("td", {}, short(t.size, 30)), el("td", {}, t.backend), el("td", { class: "n" }, t.median ? seconds(t.median) : "– " + (t.refused || "")), el("td", { class: "n" }, ratioText(t))),
      ),
    ),
    el("p", {}, link("timing", "", {}, "All engines over all sizes")),
  ];
};
