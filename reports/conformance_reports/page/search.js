// Search over everything, from every view: the key / opens it.

let findable = null; // what can be found, but for single results: made at the first search
const searchable = () =>
  (findable ||= [
    ...VIEWS.filter((v) => !v.unlisted).map((v) => ["view", v.title, address(v.id)]),
    ...engineNames().map((name) => ["engine", name + " " + versionOf(name), address("engine", name)]),
    ...[...new Set(data.results.filter((r) => r.kind === "op").map((r) => r.subject))].map((op) => ["op", op, address("op", op)]),
    ...data.causes.map((c) => ["cause", c.engine + ": " + c.title, causeAddress(c)]),
    ...Object.entries(spec.clauses).map(([n, c]) => ["clause", n + " " + c.sentence, address("clause", n)]),
    ...[...new Set(data.results.filter((r) => r.kind === "point").map((r) => r.subject))].map((s) => ["special point", s, address("atlas", "", { q: s })]),
    ...WORDS.map(([name, meaning]) => ["word", name + ": " + meaning, address("glossary")]),
  ].map(([what, text, href]) => ({ what, text, href, low: text.toLowerCase() })));

const FOUND = 30;
const lookUp = (text) => {
  const words = text.toLowerCase().split(/\s+/).filter((w) => w);
  if (!words.length) return [];
  const rank = (e) => (e.low === words.join(" ") ? 0 : e.low.startsWith(words[0]) ? 1 : 2);
  const found = searchable().filter((e) => words.every((w) => e.low.includes(w)));
  found.sort((a, b) => rank(a) - rank(b));
  const ids = [];
  for (const r of data.results) {
    if (ids.length >= FOUND - Math.min(found.length, FOUND - 5)) break;
    if (words.every((w) => haystack(r).includes(w))) ids.push({ what: word(r.verdict), text: r.id, href: address("case", r.id) });
  }
  return [...found.slice(0, FOUND - 5), ...ids];
};

const searchBox = () => {
  const list = el("ul", { class: "found-list" });
  const input = el("input", { type: "search", "aria-label": "Search everything", placeholder: "an op, a clause, an engine, words of a message …" });
  const all = el("p", { class: "muted" });
  const dialog = el("dialog", { class: "search", "aria-label": "Search" }, el("div", { class: "line" }, input, el("button", { type: "button", onclick: () => dialog.close() }, "Close")), list, all);
  let waiting = 0;
  const draw = () => {
    const found = lookUp(input.value);
    list.replaceChildren(...found.map((e) => el("li", {}, el("a", { href: e.href }, el("span", { class: "badge none" }, e.what), " ", short(e.text, 160)))));
    all.replaceChildren(
      ...(input.value ? [found.length ? "" : "Nothing found. ", link("results", "", { q: input.value }, "All results with these words")] : []),
    );
  };
  input.addEventListener("input", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(draw);
  });
  dialog.addEventListener("keydown", (e) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (e.key === "Enter" && e.target === input && links[0]) links[0].click();
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[e.key];
    if (next === undefined) return;
    e.preventDefault();
    (next < 0 ? input : links[Math.min(next, links.length - 1)] || input).focus();
  });
  dialog.addEventListener("click", (e) => {
    if (e.target === dialog || e.target.closest("a")) dialog.close();
  });
  const open = () => {
    dialog.showModal();
    input.select();
  };
  addEventListener("keydown", (e) => {
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || dialog.open || e.target.matches("input, select, textarea")) return;
    e.preventDefault();
    open();
  });
  document.body.append(dialog);
  return el("button", { type: "button", onclick: open, "aria-keyshortcuts": "/" }, "Search ", el("kbd", {}, "/"));
};

const linkCopier = () => {
  const button = el("button", { type: "button", title: "Copies the address of exactly what is shown" }, "Copy link");
  button.addEventListener("click", async () => {
    const done = await navigator.clipboard.writeText(location.href).then(() => "✓ copied", () => "! copy the address above");
    button.textContent = done;
    setTimeout(() => (button.textContent = "Copy link"), 2000);
  });
  return button;
};
