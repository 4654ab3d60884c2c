// Rows of the matrix: subjects by family or clauses by chapter, and what the filters leave of them.

const rowsBy = {
  subject: (r) => ({
    key: r.kind === "contract" ? "contract/" + r.clause : r.kind + "/" + r.subject,
    label: r.kind === "contract" ? r.clause : r.subject,
    group: family(r),
    about: r.kind === "contract" ? sentence(r.clause) : "",
  }),
  clause: (r) => ({
    key: "clause/" + r.clause,
    label: r.clause,
    group: chapter(r.clause),
    about: sentence(r.clause),
  }),
};
const groupRank = (name) => {
  const at = Object.keys(spec.families).indexOf(name);
  if (at >= 0) return [0, at];
  return [name === "ops" ? 1 : Object.values(KINDS).includes(name) ? 3 : 2, name];
};
const natural = (a, b) => String(a).localeCompare(String(b), "en", { numeric: true });
const matrixIndex = new Map();

const indexed = (by) => {
  if (matrixIndex.has(by)) return matrixIndex.get(by);
  const rows = new Map();
  for (const r of data.results) {
    const row = rowsBy[by](r);
    if (!rows.has(row.key)) rows.set(row.key, { ...row, cells: new Map(), checks: new Set() });
    const at = rows.get(row.key);
    at.checks.add(r.check);
    if (at.cells.has(r.backend)) at.cells.get(r.backend).push(r);
    else at.cells.set(r.backend, [r]);
  }
  const order = (g) =>
    groupRank(g)
      .map((x) => String(x).padStart(4, "0"))
      .join();
  const sorted = [...rows.values()].sort(
    (a, b) => natural(order(a.group), order(b.group)) || natural(a.label, b.label),
  );
  matrixIndex.set(by, sorted);
  return sorted;
};

// Whether two backends that were both judged on one check of one subject came to different verdicts.
const differs = (row, dtype) => {
  const answers = new Map();
  for (const r of [...row.cells.values()].flat()) {
    if (tone(r.verdict) === "none" || (dtype && r.dtype !== dtype)) continue;
    const question = r.check + "\0" + r.subject + "\0" + r.dtype;
    const ok = r.verdict === "pass" || r.verdict === "fixed";
    if (answers.has(question) && answers.get(question) !== ok) return true;
    answers.set(question, ok);
  }
  return false;
};

const filtered = (p) => {
  const text = (p.q || "").toLowerCase();
  const rows = [];
  const narrows = p.dtype || p.about || p.clause;
  const wanted = matcher({ dtype: p.dtype, about: p.about, clause: p.clause });
  for (const row of indexed(p.by === "clause" ? "clause" : "subject")) {
    if (p.family && row.group !== p.family) continue;
    if (text && !(row.label + " " + row.about + " " + [...row.checks].join(" ")).toLowerCase().includes(text))
      continue;
    const cells = new Map();
    let any = false;
    for (const [name, lines] of row.cells) {
      if (p.engine && engineName(name) !== p.engine) continue;
      const kept = narrows ? lines.filter(wanted) : lines;
      if (kept.length) cells.set(name, kept);
      any ||= kept.some((r) => !p.verdict || r.verdict === p.verdict);
    }
    if (any && (!p.differ || differs(row, p.dtype))) rows.push({ ...row, cells });
  }
  return rows;
};

// Family rows and subject rows in one list: what the table scrolls through.
const listed = (rows) =>
  [...group(rows, (row) => row.group)].flatMap(([name, members]) => [{ heading: name, members }, ...members]);
