// Compare: what changed since another run, which is embedded, or dropped on the page and read here alone.
// The rules are those of `conformance compare` (conformance/runfile/compare.py); a test holds the two together.

const CHANGES = ["newly failing", "failing worse", "no longer supported", "verdict or message changed", "atlas value changed", "question gone", "question new", "newly passing"];
const REGRESSIONS = CHANGES.slice(0, 3);
const VARIES = /0x[0-9a-f]+|[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?/gi;
const FAILING = new Set(["fail", "error", "timeout", "crash", "adapter_error"]);
const passing = (v) => v === "pass" || v === "fixed";
const messageOf = (r) => (r && !passing(r.verdict) ? r.message.split("\n")[0] : "");
const essence = (text, subject) => {
  const named = subject ? text.replace(new RegExp("\\b" + subject.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "\\b", "g"), "…") : text;
  return named.replace(VARIES, "#");
};
const atlasText = (r) => (r.atlas ? JSON.stringify([r.atlas.found, r.atlas.standing, r.atlas.declared || "", r.atlas.among || [], r.atlas.value]) : "");
// What this run lists as known, and the earlier one did not list so, is accepted.
const failsWorse = (old, now) => {
  const accepted = now.verdict === "known" && (old.verdict !== "known" || old.reason !== now.reason);
  return failing(old) && failing(now) && !accepted && now.badness > old.badness;
};
const changeOf = (old, now) => {
  if (!now) return "question gone";
  if (!old) return "question new";
  if (FAILING.has(now.verdict) && !FAILING.has(old.verdict)) return "newly failing";
  if (now.verdict === "unsupported" && (passing(old.verdict) || old.verdict === "known")) return "no longer supported";
  if (failsWorse(old, now)) return "failing worse";
  if (passing(now.verdict) && !passing(old.verdict)) return "newly passing";
  const same = now.verdict === old.verdict || (passing(now.verdict) && passing(old.verdict));
  const alike = old.badness === undefined || now.badness === undefined || old.badness === now.badness;
  if (!same || !alike || essence(messageOf(old), old.subject) !== essence(messageOf(now), now.subject)) return "verdict or message changed";
  return atlasText(old) === atlasText(now) ? "" : "atlas value changed";
};
const changesBetween = (before, after) => {
  const [old, now] = [before, after].map((run) => new Map(run.results.map((r) => [r.id, r])));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((id) => ({ id, old: old.get(id), now: now.get(id), change: changeOf(old.get(id), now.get(id)) }))
    .filter((d) => d.change);
};

// ---- another run, from a file ----------------------------------------------------------------------------

// A run file, or a report of one: both are read here, and nothing is sent anywhere.
const readRun = async (file) => {
  const text = await file.text();
  const held = text.match(/ id="data">([A-Za-z0-9+/=]*)</);
  if (held) {
    const run = await decoded(held[1]);
    return { ...run, results: results(run.columns), name: file.name };
  }
  const run = { run: null, results: [], timings: [], name: file.name, complete: false };
  for (const row of text.split("\n")) {
    if (!row.trim()) continue;
    const line = JSON.parse(row);
    if (line.type === "run") run.run = line;
    else if (line.type === "result") run.results.push(asResult(line));
    else if (line.type === "timing") run.timings.push(line);
    else if (line.type === "end") run.complete = line.complete;
  }
  if (!run.run) throw new Error("its first line is no header of a run");
  return run;
};
const asResult = (line) => {
  const { message = "", reason = "" } = line.evidence || {};
  // As long as the embedded runs have it (packed.py): the two are compared.
  const cut = reason.length > 600 ? reason.slice(0, 599) + "…" : reason;
  return { ...line, message, reason: cut, badness: badnessOf(line) };
};
let other = null;

const compareView = (main, { parameters }) => {
  other ||= data.against;
  const pickFile = el("input", { type: "file", accept: ".jsonl,.html", onchange: (e) => e.target.files[0] && take(e.target.files[0]) });
  put(
    main,
    el("h1", {}, "What changed since another run"),
    el(
      "div",
      { class: "card drop" },
      el("label", {}, el("span", {}, "Another run file (.jsonl) or report (.html) of this suite; or drop one anywhere on the page: "), pickFile),
      note("It is read in this page alone. On the command line: ", el("code", {}, "conformance report NEW.jsonl --against OLD.jsonl -o report.html")),
    ),
  );
  const shown = el("div", {});
  main.append(shown);
  if (other) comparison(shown, other, parameters);
};
const take = async (file) => {
  try {
    other = await readRun(file);
  } catch (error) {
    alertIn(content, short(file.name, 60) + " cannot be compared: " + error.message);
    return;
  }
  if (place().view === "compare") show(false);
  else location.hash = address("compare");
};
const alertIn = (main, text) => main.prepend(el("p", { class: "amber", role: "alert" }, "! " + text));
addEventListener("dragover", (e) => e.preventDefault());
addEventListener("drop", (e) => {
  e.preventDefault();
  if (e.dataTransfer.files[0]) take(e.dataTransfer.files[0]);
});

// ---- what is shown ---------------------------------------------------------------------------------------

const comparison = (main, before, parameters) => {
  const found = changesBetween(before, data);
  const counts = group(found, (d) => d.change);
  const versions = versionChanges(before);
  const notes = ["profile", "seed"]
    .filter((what) => before.run[what] !== data.run[what])
    .map((what) => "the runs are of different " + what + "s: " + before.run[what] + " and " + data.run[what]);
  if (before.run.spec.digest !== data.run.spec.digest) notes.push("the runs are of different specifications: " + before.run.spec.version + " and " + data.run.spec.version);
  const list = el("div", { class: "comparison" });
  const said = el("p", { class: "muted", role: "status" });
  const apply = () => {
    const p = place().parameters;
    const words = (p.q || "").toLowerCase().split(/\s+/).filter((w) => w);
    const wanted = matcher({ ...p, q: "" });
    const kept = found.filter(
      (d) => (!p.change || d.change === p.change) && wanted(d.now || d.old) && words.every((w) => (d.id + " " + messageOf(d.now) + " " + messageOf(d.old)).toLowerCase().includes(w)),
    );
    said.textContent = plural(kept.length, "change") + " in " + plural(data.results.length, "result");
    list.replaceChildren(
      ...CHANGES.filter((c) => kept.some((d) => d.change === c)).map((c) =>
        changeSection(c, kept.filter((d) => d.change === c)),
      ),
    );
  };
  const pick = (name) => (value) => {
    set({ [name]: value });
    apply();
  };
  const worse = REGRESSIONS.reduce((n, c) => n + (counts.get(c) || []).length, 0);
  put(
    main,
    el("p", { class: "found " + (worse ? "bad" : "good") }, el("b", {}, worse ? "✗ " + plural(worse, "regression") : "✓ no regression"), worse ? ": newly failing, failing worse, or no longer supported" : null),
    facts([
      ["earlier run", short((before.name ? before.name + ", " : "") + before.run.started, 80)],
      ["this run", short(data.run.started, 40)],
      ...CHANGES.filter((c) => counts.has(c)).map((c) => [c, link("compare", "", { change: c }, count(counts.get(c).length))]),
      ["unchanged", count(new Set([...before.results, ...data.results].map((r) => r.id)).size - found.length)],
    ]),
    notes.map((text) => el("p", { class: "amber" }, "! " + text)),
    versions.length ? table("Versions", ["engine and mode", "before", "now"], versions.map((v) => el("tr", {}, v.map((text, i) => el(i ? "td" : "th", {}, text || "– not run"))))) : note("The same engines in the same versions."),
    form(
      select("change", [["", "all"], ...CHANGES.filter((c) => counts.has(c))], parameters.change, pick("change")),
      filterFields(parameters, apply, ["backend", "about", "family", "clause", "dtype"]),
      textField("text", parameters.q, "op, engine, words of the message", pick("q")),
    ),
    said,
    list,
    timeChanges(before),
  );
  apply();
};
const versionChanges = (before) => {
  const [old, now] = [before.run, data.run].map((run) => new Map(run.backends.map((b) => [b.name, b.error ? "could not start" : b.version])));
  return [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name)).map((name) => [name, old.get(name), now.get(name)]);
};
const changeSection = (change, found) => {
  const alike = [...group(found, (d) => {
    const r = d.now || d.old;
    const values = d.change === "atlas value changed" ? verdictOf(d.old, apartIn(d)) + verdictOf(d.now, apartIn(d)) : "";
    return [values, r.backend, r.check, r.clause, d.now ? d.now.verdict : "", essence(messageOf(d.now) || messageOf(d.old), r.subject)].join("\0");
  }).values()].sort((a, b) => b.length - a.length);
  return el(
    "section",
    {},
    el("h2", {}, change + " (" + count(found.length) + ")"),
    el("ul", { class: "jump" }, alike.slice(0, 100).map(alikeChange)),
    alike.length > 100 ? note("and " + count(alike.length - 100) + " more groups: narrow them to see these") : null,
  );
};
// The verdict and what was found at a special point; where that is what it was, what else about it is not: `apart`.
const verdictOf = (r, apart) => {
  if (!r) return "not run";
  const kind = r.verdict === "fail" || r.verdict === "known" ? BADNESS_TEXT[r.badness] : "";
  const more = apart ? apart + " " + (JSON.stringify(r.atlas[apart]) || "nothing") : "";
  return [word(r.verdict), r.atlas && r.atlas.found, more, kind].filter((text) => text).join(", ");
};
const apartIn = ({ old, now }) =>
  old && now && old.atlas && now.atlas && old.atlas.found === now.atlas.found
    ? ["standing", "declared", "among", "value"].find((field) => JSON.stringify(old.atlas[field]) !== JSON.stringify(now.atlas[field]))
    : undefined;
const alikeChange = (of) => {
  const d = of[0];
  const r = d.now || d.old;
  return el(
    "li",
    {},
    el("p", { class: "line" }, el("b", {}, r.backend), short(r.subject + " · " + r.check, 90), el("span", { class: "muted" }, of.length > 1 ? "and " + (of.length - 1) + " like it" : "")),
    el("p", {}, verdictOf(d.old, apartIn(d)) + " → " + verdictOf(d.now, apartIn(d)), el("span", { class: "muted" }, " " + (messageOf(d.now) || messageOf(d.old)))),
    el("div", { class: "chips" }, of.slice(0, 12).map((x) => (x.now ? chip(data.results[x.now.at] || x.now, x.id) : el("span", { class: "chip none" }, short(x.id, 80))))),
  );
};

// Times whose quartiles no longer overlap.
const timeChanges = (before) => {
  const key = (t) => [t.workload, t.size, t.backend, t.dtype, t.what].join("\0");
  const old = new Map(before.timings.map((t) => [key(t), t]));
  const apart = data.timings
    .map((t) => [t, old.get(key(t))])
    .filter(([t, was]) => was && t.median && was.median && (t.low > was.high || t.high < was.low))
    .sort((a, b) => b[0].median / b[1].median - a[0].median / a[1].median);
  if (!apart.length) return null;
  return el(
    "section",
    {},
    el("h2", {}, "Times that changed"),
    note("Those whose quartiles do not overlap; two machines, or one that was busy, differ without any change of an engine."),
    table("Times", ["program", "size", "engine", "what", "before", "now"], apart.slice(0, 60).map(([t, was]) => el("tr", {}, [t.workload, t.size, t.backend, t.what, seconds(was.median), seconds(t.median) + " (" + digits(t.median / was.median, 3) + "×)"].map((x) => el("td", {}, x))))),
  );
};
