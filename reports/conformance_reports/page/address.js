// The address holds all state that a reader can set, so that a link shows what its sender saw.

// #/view/path?parameters
const address = (view, path = "", parameters = {}) => {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, v]) => v)).toString();
  return (
    "#/" +
    view +
    (path ? "/" + encodeURIComponent(path).replace(/%2F/g, "/") : "") +
    (query ? "?" + query : "")
  );
};
const place = () => {
  const [way, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const end = way.indexOf("/");
  let path = end < 0 ? "" : way.slice(end + 1);
  try {
    path = decodeURIComponent(path);
  } catch {
    /* kept as typed */
  }
  return {
    view: end < 0 ? way : way.slice(0, end),
    path,
    parameters: Object.fromEntries(new URLSearchParams(query)),
  };
};
// Changes parameters in place: the view draws the change itself.
const set = (changes) => {
  const here = place();
  history.replaceState(null, "", address(here.view, here.path, { ...here.parameters, ...changes }));
};
const link = (view, path, parameters, ...children) =>
  el("a", { href: address(view, path, parameters) }, children);
// A step of its own in the history, so that Back takes it back; `main` draws the page again when it does.
const step = (changes) => {
  const here = place();
  history.pushState(null, "", address(here.view, here.path, { ...here.parameters, ...changes }));
};
