// Causes: failures with one thing behind them, the worst first, each with its sentence, numbers and script.

const SEVERITY_TONES = ["bad", "bad", "bad", "warn", "known", "warn"];
const kindOf = (cause) => cause.kind || (cause.isKnown ? "known" : "not known");
const KIND_MEANING = {
  fault: "listed in the known-failures file as a fault of the engine",
  documented: "listed in the known-failures file; the engine documents it",
  "not implemented": "listed in the known-failures file: the engine does not implement this",
  known: "listed in the known-failures file",
  "not known": "not listed in the known-failures file",
};
const severityBadge = (level) =>
  el("span", { class: "badge " + SEVERITY_TONES[level] }, (level < 3 ? "✗ " : "! ") + data.severities[level]);
const kindBadge = (cause) =>
  el("span", { class: "badge " + (cause.isKnown ? "known" : "bad"), title: KIND_MEANING[kindOf(cause)] }, (cause.isKnown ? "~ " : "✗ ") + kindOf(cause));

const causesOf = (engine) => data.causes.filter((cause) => cause.engine === engine);
const resultsIn = (causes) => causes.reduce((n, cause) => n + cause.lines.length, 0);

// "12 silently wrong numbers, 3 raises an error": causes by how bad they are, each linked to its results.
const severityCounts = (engine, causes) =>
  [...group(causes, (cause) => cause.severity)]
    .sort((a, b) => a[0] - b[0])
    .map(([level, of]) =>
      el(
        "li",
        {},
        el("span", { class: "badge " + SEVERITY_TONES[level] }, count(of.length)),
        " ",
        link("engine", engine, { severity: String(level) }, data.severities[level]),
        el("span", { class: "muted" }, " · ", counted(resultsIn(of), { engine, severity: String(level) }, resultsIn(of) === 1 ? " result" : " results")),
      ),
    );

const causeAddress = (cause) => address("engine", cause.engine, { cause: String(cause.at) });

// A line of the overview: what is wrong, how often, and the way to all about it.
const causeLine = (cause) =>
  el(
    "li",
    {},
    severityBadge(cause.severity),
    " ",
    el("a", { href: causeAddress(cause) }, cause.title),
    " ",
    el("span", { class: "muted", title: KIND_MEANING[kindOf(cause)] }, cause.isKnown ? kindOf(cause) + " · " : "not known · ", plural(cause.lines.length, "result")),
  );

// Of an engine that computed nothing the comments alone are recorded, and these show nothing.
const isProgram = (script) => (script || "").split("\n").some((line) => /^\s*[^#\s]/.test(line));

// All about a cause. The script is the shortest way to see it, so it is open where it was asked for.
const causeCard = (cause, isOpen) => {
  const worstOne = cause.lines[0];
  const subjects = [...new Set(cause.lines.map((r) => r.subject))];
  const node = el(
    "article",
    { class: "card cause" + (isOpen ? " chosen" : ""), id: "cause-" + cause.at },
    el("h3", {}, cause.title),
    el(
      "p",
      { class: "line" },
      severityBadge(cause.severity),
      kindBadge(cause),
      counted(cause.lines.length, { cause: String(cause.at) }, cause.lines.length === 1 ? " result" : " results"),
      el("span", { class: "muted" }, [...new Set(cause.lines.map((r) => r.backend))].join(", ")),
    ),
    el("p", {}, el("span", { class: "muted" }, "Breaks "), clauseLine(worstOne.clause)),
    el("p", { class: "numbers" }),
    el(
      "div",
      { class: "chips" },
      subjects.slice(0, 14).map((s) => {
        const first = cause.lines.find((r) => r.subject === s);
        return subjectChip(first, cause);
      }),
      subjects.length > 14 ? counted(subjects.length - 14, { cause: String(cause.at) }, " more") : null,
    ),
    el(
      "p",
      { class: "line" },
      toCase(worstOne, "The worst case, with its numbers"),
      cause.link ? [el("span", { class: "muted" }, " "), outward(cause.link)] : null,
    ),
    isProgram(cause.script)
      ? el(
          "details",
          { open: isOpen },
          el("summary", {}, "Script that shows it, without this project"),
          el("div", { class: "tabbody" }, el("div", {}, copier(cause.script), el("pre", { tabindex: 0 }, cause.script))),
        )
      : note("See it again: ", el("code", {}, "conformance replay " + quoted(worstOne.id) + " --script")),
  );
  withDetails().then(() => put(node.querySelector(".numbers"), numbersOf(worstOne)));
  return node;
};
const subjectChip = (r, cause) =>
  el("a", { class: "chip none", href: address("results", "", { cause: String(cause.at), subject: r.subject }) }, short(r.subject, 40));

const entryAt = (value, where) => {
  for (const i of String(where).match(/\d+/g) || []) {
    if (!Array.isArray(value)) break;
    value = value[i];
  }
  return value;
};
// Got and expected where they are furthest apart.
const numbersOf = (r) => {
  const stand = details.alike[r.at] === undefined ? r : standsFor(r);
  const e = evidenceOf(stand);
  const [got, expected] = [entryAt(e.got, e.where), entryAt(e.expected, e.where)];
  if (got === undefined || expected === undefined || Array.isArray(got) || Array.isArray(expected)) return [];
  return [
    "Got ", el("b", {}, digits(got, 8)), ", expected ", el("b", {}, digits(expected, 8)),
    el("span", { class: "muted" }, (e.where ? " at " + short(e.where, 40) : "") + " · " + short(stand.subject, 40) + " " + short(stand.dtype, 20) + (r.error ? " · " + digits(r.error, 3) + " times the allowed error" : "")),
  ];
};
