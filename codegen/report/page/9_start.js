// Opens the page: the title, the failure if there is one, the panel that the address names.
byId("title").textContent = doc.title;
document.title = doc.title + " - frit report";
if (doc.error) {
  const failure = byId("failure");
  failure.hidden = false;
  failure.append(el("b", {}, "Failed in " + doc.error.stage + ": "), doc.error.message, doc.error.at ? " (" + doc.error.at + ")" : "", doc.error.note ? el("div", {}, doc.error.note) : "", el("div", { class: "soft" }, "The panels show how far it came."));
}
const order = ["overview", "graph", "passes", "kernels"];
for (const id of order) {
  byId("tab-" + id).addEventListener("click", () => open(id));
  byId("tab-" + id).addEventListener("keydown", (e) => {
    const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const next = order[(order.indexOf(id) + step + order.length) % order.length];
    open(next);
    byId("tab-" + next).focus();
  });
}
const asked = location.hash.replace("#panel=", "");
open(order.includes(asked) ? asked : "overview");
document.documentElement.dataset.ready = "yes";
