// See it again: script, command and record of one result, in tabs, to be copied.

const tabs = (r, evidence, chosen) => {
  // A token holds the case but not where it was run; the id of a result holds both.
  const again =
    "conformance replay " + (evidence.token ? quoted(evidence.token) + " --on " + quoted(r.backend) : quoted(r.id));
  const list = {
    script: [
      "Script",
      isProgram(evidence.script) ? evidence.script : "",
      "No script was recorded. Print one with: " + again + " --script",
    ],
    replay: [
      "Replay",
      evidence.token || r.verdict !== "pass" || furthest(r).length ? again : "",
      "A result without an error keeps no case; run it again: conformance run " +
        r.backend +
        " -q " +
        quoted(r.id),
    ],
    raw: ["Raw JSON", JSON.stringify({ ...r, at: undefined, hay: undefined, cause: undefined, said: undefined, message: undefined, reason: undefined, accuracy: details.accuracy[r.at], evidence: details.evidence[r.at] }, null, 1), ""],
  };
  const names = Object.keys(list);
  const body = el("div", { class: "tabbody", role: "tabpanel", id: "tabbody" });
  const buttons = names.map((name) =>
    el(
      "button",
      {
        type: "button",
        role: "tab",
        id: "tab-" + name,
        "aria-controls": "tabbody",
        onclick: () => {
          set({ tab: name === "script" ? "" : name });
          show(name);
        },
      },
      list[name][0],
    ),
  );
  const show = (name) => {
    buttons.forEach((b, i) => {
      b.setAttribute("aria-selected", names[i] === name);
      b.tabIndex = names[i] === name ? 0 : -1;
    });
    body.setAttribute("aria-labelledby", "tab-" + name);
    const [, text, without] = list[name];
    body.replaceChildren(
      text ? el("div", {}, copier(text), el("pre", { tabindex: 0 }, text)) : note(without),
    );
  };
  const step = (e) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!by) return;
    const next = buttons[(buttons.indexOf(e.target) + by + buttons.length) % buttons.length];
    next.click();
    next.focus();
  };
  show(names.includes(chosen) ? chosen : "script");
  return el(
    "section",
    { class: "tabs" },
    el("h2", {}, "See it again"),
    el("div", { role: "tablist", "aria-label": "See it again", onkeydown: step }, buttons),
    body,
  );
};
const quoted = (text) => (/^[\w./:-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'");

// What is copied is what is shown: a hidden character does not come along.
const copier = (text) => {
  const button = el(
    "button",
    {
      type: "button",
      class: "copy",
      onclick: async () => {
        await navigator.clipboard.writeText(seen(text)).then(
          () => {
            button.textContent = "✓ copied";
          },
          () => {
            button.textContent = "! select the text and copy it";
          },
        );
        setTimeout(() => {
          button.textContent = "Copy";
        }, 2000);
      },
    },
    "Copy",
  );
  return button;
};
