// The table of views, and the way from the address to one of them. A new view is a function and a line here.

const VIEWS = [
  { id: "overview", title: "Overview", draw: overview },
  { id: "matrix", title: "Matrix", draw: matrix },
  { id: "case", title: "Case", draw: casePage, unlisted: true },
  { id: "atlas", title: "Atlas", draw: atlas },
  { id: "accuracy", title: "Accuracy", draw: accuracy },
  { id: "timing", title: "Timing", draw: timing },
  { id: "about", title: "About this run", draw: about },
];

const content = document.getElementById("content");
let leave = null; // what the view drawn last undoes when it goes

const show = (isFirst) => {
  const here = place();
  const view = VIEWS.find((v) => v.id === here.view) || VIEWS[0];
  if (leave) leave();
  content.replaceChildren();
  leave = view.draw(content, here) || null;
  content.className = "view-" + view.id;
  const title = content.querySelector("h1");
  document.title = title.textContent + " · conformance";
  for (const a of document.querySelectorAll("#nav a")) {
    if (a.dataset.view === view.id) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  if (isFirst) return;
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
      el(
        "p",
        { class: "amber" },
        "! The run in this file is damaged, or this browser is older than 2023: " + error,
      ),
    );
    return;
  }
  document
    .getElementById("nav")
    .append(
      ...VIEWS.filter((v) => !v.unlisted).map((v) =>
        el("a", { href: address(v.id), "data-view": v.id }, v.title),
      ),
    );
  document.getElementById("skip").addEventListener("click", (e) => {
    e.preventDefault();
    content.focus();
  });
  addEventListener("hashchange", () => show(false));
  show(true);
  document.documentElement.dataset.ready = Math.round(performance.now());
};
start();
