// Timing: how long a gradient takes, beside hand-written NumPy and the reference engine; numbers, never a verdict.

const timing = (main, { parameters }) => {
  main.append(el("h1", {}, "Timing"));
  if (!data.timings.length) {
    main.append(
      note(
        "– not in this run: ", el("code", {}, "conformance bench -o bench.jsonl"), ", then ", el("code", {}, "conformance report run.jsonl bench.jsonl -o report.html"), ".",
      ),
    );
    return;
  }
  const whats = [...new Set(data.timings.map((t) => t.what))];
  const dtypes = [...new Set(data.timings.map((t) => t.dtype))];
  const what = whats.includes(parameters.what)
    ? parameters.what
    : whats.includes("gradient")
      ? "gradient"
      : whats[0];
  const dtype = dtypes.includes(parameters.dtype) ? parameters.dtype : dtypes[0];
  const pick = (name) => (value) => {
    location.hash = address("timing", "", { ...place().parameters, [name]: value });
  };
  // What times are divided by, the hand-written form, stands beside any engine.
  const isWanted = (t) => !parameters.engine || !engines.has(t.backend) || engineName(t.backend) === parameters.engine;
  const lines = data.timings.filter((t) => t.what === what && t.dtype === dtype && isWanted(t));
  const names = contenders.filter((b) => lines.some((t) => t.backend === b));
  put(
    main,
    timingTrust(),
    el(
      "p",
      { class: "lead" },
      "The median and the quartiles of the rounds, which engines took by turns. An engine whose gradient is wrong has no time.",
    ),
    form(
      select("what", whats, what, pick("what")),
      select("dtype", dtypes, dtype, pick("dtype")),
      select("engine", [["", "all"], ...engineNames()], parameters.engine, pick("engine")),
    ),
    chartLegend(names),
    el(
      "div",
      { class: "multiples" },
      [...group(lines, (t) => t.workload)].map(([name, of]) => multiple(name, of)),
    ),
    el("h2", {}, "Ratios"),
    note(
      "Each time divided by that of hand-written NumPy, with a 95 % interval. Below it: divided by that of the reference engine, and a gradient divided by its own value.",
    ),
    ratios(lines, names, dtype),
  );
};

// How big a size is: the product of the numbers in it, or its place where there are none.
const extent = (size, at) =>
  (String(size).match(/\d+(\.\d+)?/g) || []).map(Number).reduce((a, b) => a * b, 1) *
  (/\d/.test(size) ? 1 : at + 1);

const multiple = (name, lines) => {
  const [W, H, left, right, top, foot] = [340, 220, 52, 14, 10, 34];
  const sizes = [...new Set(lines.map((t) => t.size))];
  const xs = new Map(sizes.map((s, i) => [s, extent(s, i) || 1]));
  const timed = lines.filter((t) => t.median);
  const refused = lines.filter((t) => t.refused);
  const head = el("figcaption", {}, el("h3", {}, name));
  const foot_ = [...group(refused, (t) => t.backend + "\0" + t.refused)].map(([, of]) =>
    el("p", { class: "muted small" }, "– n/a " + short(of[0].backend, 30) + ": " + of[0].refused),
  );
  const written = [...new Set(lines.flatMap((t) => (t.idioms || []).map((i) => t.backend + " is timed with " + i)))];
  foot_.push(...written.map((text) => note(short(text, 120) + ": it has no function of that name.")));
  if (!timed.length) return el("figure", { class: "card" }, head, foot_);
  const x = logScale(Math.min(...xs.values()), Math.max(...xs.values()), left + 8, W - right - 8);
  const all = timed.flatMap((t) => [t.low || t.median, t.high || t.median]);
  const y = logScale(Math.min(...all) / 1.4, Math.max(...all) * 1.4, H - foot, top);
  const label = name + ": " + timed.map((t) => t.backend + " " + t.size + " " + seconds(t.median)).join("; ");
  const plot = svg(
    "svg",
    { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": short(label, 900) },
    y.ticks.map((v) => [
      svg("line", { x1: left, x2: W - right, y1: y.at(v), y2: y.at(v), class: "grid" }),
      svg("text", { x: left - 6, y: y.at(v) + 4, "text-anchor": "end" }, seconds(v)),
    ]),
    ticked(sizes, (s) => x.at(xs.get(s)), left, W - 4).map(([s, at]) =>
      svg("text", { x: at, y: H - foot + 18, "text-anchor": "middle" }, s),
    ),
    svg("line", { x1: left, x2: W - right, y1: H - foot, y2: H - foot, class: "axis" }),
    [...group(timed, (t) => t.backend)].map(([b, of]) =>
      trace(
        b,
        of.sort((p, q) => xs.get(p.size) - xs.get(q.size)),
        (t) => x.at(xs.get(t.size)),
        y.at,
      ),
    ),
  );
  return el("figure", { class: "card" }, head, plot, foot_);
};

// The sizes that fit side by side below the axis, the last first: it says how far the chart goes.
const ticked = (sizes, x, low, high) => {
  const kept = [];
  let free = high;
  for (const size of [...sizes].sort((a, b) => x(b) - x(a))) {
    const half = short(size, 20).length * 3.2;
    const at = Math.min(x(size), high - half);
    if (at + half > free || at - half < low - 40) continue;
    kept.push([short(size, 20), at]);
    free = at - half - 8;
  }
  return kept;
};

const trace = (name, lines, x, y) => {
  const edge = (field) => lines.map((t) => x(t) + " " + y(t[field] || t.median));
  return svg(
    "g",
    { class: colour(name) },
    svg("path", {
      d: "M" + edge("low").join("L") + "L" + edge("high").reverse().join("L") + "z",
      class: "band",
    }),
    svg("path", { d: "M" + edge("median").join("L"), class: "line", "stroke-dasharray": dash(name) }),
    lines.map((t) => [
      svg("line", { x1: x(t), x2: x(t), y1: y(t.low || t.median), y2: y(t.high || t.median) }),
      svg(
        "g",
        {},
        svg(
          "title",
          {},
          name +
            " " +
            t.size +
            ": " +
            seconds(t.median) +
            " (" +
            seconds(t.low || t.median) +
            " – " +
            seconds(t.high || t.median) +
            ", " +
            plural(t.rounds || 0, "round") +
            ")",
        ),
        marker(name, x(t), y(t.median)),
      ),
    ]),
  );
};

const ratios = (lines, names, dtype) => {
  const forward = new Map(
    data.timings
      .filter((t) => t.what === "forward" && t.dtype === dtype)
      .map((t) => [JSON.stringify([t.workload, t.size, t.backend]), t]),
  );
  const cell = (t) => {
    if (!t) return el("td", { class: "muted" }, "– not run");
    if (!t.median)
      return el("td", { class: "muted", title: t.refused }, "– n/a", el("small", {}, " " + t.refused));
    const before = forward.get(JSON.stringify([t.workload, t.size, t.backend]));
    const notes = [
      t.ratio_to_reference ? digits(t.ratio_to_reference, 3) + "× reference" : "",
      t.what === "gradient" && before && before.median
        ? digits(t.median / before.median, 3) + "× forward"
        : "",
      t.compile_seconds ? "compile " + seconds(t.compile_seconds) : "",
    ];
    return el(
      "td",
      {},
      t.ratio
        ? [
            el("b", { title: t.doubt }, (t.doubt ? "? " : "") + digits(t.ratio, 3) + "×"),
            el(
              "span",
              { class: "muted" },
              t.ratio_low ? " [" + digits(t.ratio_low, 3) + ", " + digits(t.ratio_high, 3) + "]" : "",
            ),
          ]
        : el("b", {}, seconds(t.median)),
      el("small", {}, notes.filter((n) => n).join(" · ")),
    );
  };
  return table(
    "Ratios",
    ["program", "size", ...names.map((b) => short(b, 24))],
    [...group(lines, (t) => JSON.stringify([t.workload, t.size])).values()].map((of) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, of[0].workload),
        el("td", {}, short(of[0].size, 30)),
        names.map((b) => cell(of.find((t) => t.backend === b))),
      ),
    ),
    "ratios",
  );
};

// Whether the figures can be trusted at all: what `bench` measured of its own noise, and which figures are impossible.
const timingTrust = () => {
  const doubtful = data.timings.filter((t) => t.doubt);
  // One sentence for all that a busy machine disturbed: the figures in it differ from program to program.
  const reasons = [...group(doubtful, (t) => t.doubt.split(":")[0])].sort((a, b) => b[1].length - a[1].length);
  const least = (field, better) => data.timings.map((t) => t[field]).filter((x) => x !== undefined).sort((a, b) => better * (a - b))[0];
  const [share, spread] = [least("share", 1), least("spread", -1)];
  const noise = [
    data.run.host["load before"] ? "load " + data.run.host["load before"] + " before" : "",
    share === undefined ? "" : "at least " + digits(100 * share, 3) + " % of a core for this process",
    spread === undefined ? "" : "a fixed loop took at most " + digits(spread, 3) + " times its least time",
  ].filter((text) => text);
  const elsewhere = Object.entries(data.run.host).filter(([name, device]) => name.startsWith("device of ") && device !== "cpu");
  return el(
    "div",
    { class: "card trust" },
    el("h2", {}, "Can these figures be trusted?"),
    doubtful.length
      ? [
          el("p", { class: "amber" }, "! " + count(doubtful.length) + " of " + count(data.timings.length) + " are doubtful; they are marked with ?"),
          el("ul", {}, reasons.slice(0, 6).map(([why, of]) => el("li", {}, count(of.length) + " × " + short(of[0].doubt, 200) + (of.length > 1 && of[0].doubt !== why ? ", for one of them" : "")))),
        ]
      : el("p", {}, "✓ None of " + count(data.timings.length) + " is marked as doubtful."),
    elsewhere.map(([name, device]) => el("p", {}, "The " + name + " is " + device + ": its times are of that device, those of hand-written NumPy of the CPU.")),
    note(noise.length ? "While measuring: " + noise.join(", ") + "." : "This run file does not say how busy the machine was, so its intervals hold only if it was idle."),
  );
};
const ratioText = (t) =>
  t.ratio ? (t.doubt ? "? " : "") + digits(t.ratio, 3) + "× [" + digits(t.ratio_low, 3) + ", " + digits(t.ratio_high, 3) + "]" : "–";
