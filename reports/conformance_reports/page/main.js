// The table of views, and the way from the address to one of them. A new view is a function and a line here.

const VIEWS = [
  { id: "overview", title: "Overview", draw: overview },
  { id: "engine", title: "Engine", draw: enginePage, unlisted: true },
  { id: "op", title: "Op", draw: opPage, unlisted: true },
  { id: "clause", title: "Clause", draw: clausePage, unlisted: true },
  { id: "case", title: "Case", draw: casePage, unlisted: true, needsDetails: true },
  { id: "results", title: "Results", draw: resultList },
  { id: "matrix", title: "Matrix", draw: matrix },
  { id: "atlas", title: "Atlas", draw: atlas },
  { id: "differ", title: "Two engines", draw: differ },
  { id: "compare", title: "Compare", draw: compareView },
  { id: "accuracy", title: "Accuracy", draw: accuracy, needsDetails: true },
  { id: "timing", title: "Timing", draw: timing },
  { id: "about", title: "About", draw: about },
  { id: "glossary", title: "Words", draw: glossary },
];

const content = document.getElementById("content");
let leave = null; // what the view drawn last undoes when it goes
let shownPlace = null;

const show = async (isFirst) => {
  const here = place();
  const view = VIEWS.find((v) => v.id === here.view) || VIEWS[0];
  const isSame = shownPlace && shownPlace.view === here.view && shownPlace.path === here.path;
  if (view.needsDetails && !details) await withDetails();
  if (leave) leave();
  shownPlace = here;
  content.replaceChildren();
  leave = view.draw(content, here) || null;
  content.className = "view-" + view.id;
  const title = content.querySelector("h1");
  document.title = title.textContent + " · conformance";
  for (const a of document.querySelectorAll("#nav a")) {
    if (a.dataset.view === view.id) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  // The reader stays where he is if only a filter or a panel of the view has changed.
  if (isFirst || isSame) return;
  scrollTo(0, 0);
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
};

const start = async () => {
  try {
    await load();
  } catch (error) {
    content.replaceChildren(
      el("h1", {}, "This report cannot be read"),
      el("p", { class: "amber" }, "! The run in this file is damaged, or this browser is older than 2023: " + error),
    );
    return;
  }
  document
    .getElementById("nav")
    .append(...VIEWS.filter((v) => !v.unlisted).map((v) => el("a", { href: address(v.id), "data-view": v.id }, v.title)));
  document.getElementById("tools").append(searchBox(), linkCopier());
  document.getElementById("skip").addEventListener("click", (e) => {
    e.preventDefault();
    content.focus();
  });
  addEventListener("hashchange", () => show(false));
  await show(true);
  document.documentElement.dataset.ready = Math.round(performance.now());
  setTimeout(withDetails, 0);
};
start();
