// Kernels: source lines, ops, kernel IR and generated code in columns whose lines light up together.
let kernelSelect = null, kernelOut = null;
const shownForms = new Set(["asm"]);

panels.kernels = function (section) {
  const all = work();
  const named = new Set(all.map((w) => w.name));
  const items = [...all.filter((w) => w.kernel), ...doc.kernels.filter((k) => !named.has(k.name)).map((k) => ({ name: k.name, kernel: k, timed: false }))];
  const others = doc.other_code || [];
  if (!items.length && !others.length) { section.append(el("p", { class: "soft" }, doc.kernels.length || doc.steps.length ? "Every step is a call of a library routine: there are no kernels." : "No kernels: the compilation did not reach code.")); return; }
  kernelSelect = el("select", { "aria-label": "Kernel", onchange: () => drawKernel(kernelSelect.value) },
    items.map((w) => el("option", { value: w.name }, w.name + (w.timed ? " (" + milliseconds(w.ms) + ", " + percent(w.share) + ")" : ""))),
    others.map((o, i) => el("option", { value: "other:" + i }, o.code.form + ": " + o.name)));
  kernelOut = el("div", {});
  section.append(el("div", { class: "kernelpick" }, kernelSelect), kernelOut);
  if (doc.left_out) section.append(el("p", { class: "soft" }, "Left out: " + doc.left_out + "."));
  drawKernel(kernelSelect.value);
};
function showKernel(name) { kernelSelect.value = name; drawKernel(name); }

// A column of lines. keys[i] is the set of kernel IR lines, from 1, that line i belongs to.
function column(title, note, lines, keys, numbers, hot) {
  const body = el("div", { class: "rows" });
  lines.forEach((text, i) => {
    const row = el("span", { class: hot && i >= hot[0] && i <= hot[1] ? "line mono hotline" : "line mono", "data-keys": keys && keys[i] ? keys[i].join(" ") : "" }, numbers ? el("span", { class: "no" }, numbers[i]) : "", text);
    body.append(row);
  });
  const code = el("div", { class: "code", tabindex: 0, "aria-label": title }, body);
  const light = (row) => lightUp(code, row && row.dataset.keys ? row.dataset.keys.split(" ") : []);
  code.addEventListener("mouseover", (e) => light(e.target.closest(".line")));
  code.addEventListener("click", (e) => light(e.target.closest(".line")));
  code.addEventListener("keydown", (e) => {
    if (e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
    const rows = [...body.children], now = rows.findIndex((r) => r.classList.contains("lit") && r.classList.contains("here"));
    const next = rows[Math.min(rows.length - 1, Math.max(0, now + (e.key === "ArrowDown" ? 1 : -1)))];
    rows.forEach((r) => r.classList.remove("here"));
    next.classList.add("here");
    light(next);
    next.classList.add("lit");
    next.scrollIntoView({ block: "nearest" });
    e.preventDefault();
  });
  return el("div", { class: "column" }, el("h3", {}, title, note ? el("span", { class: "soft" }, " " + note) : ""), code);
}
// Of assembly, the loop that the hottest loop of the kernel IR became: the longest innermost range from a label to a jump
// back to it most of whose lines were made for that loop. [first, last], or null.
function hotRange(code, hot) {
  if (!hot || !code.from) return null;
  const labels = new Map(), loops = [];
  code.lines.forEach((text, i) => {
    const label = /^(\S+):/.exec(text), jump = /^\s+(?:j\w+|b(?:\.\w+)?|cbn?z\s+\w+,|tbn?z\s+\w+,\s*#\w+,)\s+(\.\S+)/.exec(text);
    if (label) labels.set(label[1], i);
    else if (jump && labels.has(jump[1])) loops.push([labels.get(jump[1]), i]);
  });
  const inner = loops.filter(([a, b]) => !loops.some(([c, d]) => c >= a && d <= b && d - c < b - a));
  const inside = ([a, b]) => { let n = 0; for (let i = a; i <= b; i++) n += code.from[i] >= hot[0] && code.from[i] <= hot[1]; return n; };
  const fits = inner.filter((r) => inside(r) * 2 > r[1] - r[0]).sort((r, s) => inside(s) - inside(r));
  return fits[0] || null;
}
function goToHot() {
  for (const code of kernelOut.querySelectorAll(".code")) {
    const first = code.querySelector(".hotline");
    if (first) code.scrollTop = Math.max(0, first.offsetTop - code.offsetTop - 40);
  }
}

function lightUp(from, keys) {
  const wanted = new Set(keys);
  for (const code of kernelOut.querySelectorAll(".code")) {
    let first = null;
    for (const row of code.firstChild.children) {
      const on = wanted.size > 0 && row.dataset.keys !== "" && row.dataset.keys.split(" ").some((k) => wanted.has(k));
      row.classList.toggle("lit", on);
      if (on && !first) first = row;
    }
    if (first && code !== from) code.scrollTop = Math.max(0, first.offsetTop - code.offsetTop - 60);
  }
}

function drawKernel(name) {
  if (name.startsWith("other:")) {
    const o = doc.other_code[+name.slice(6)];
    kernelOut.replaceChildren(el("div", { class: "columns" }, column(o.code.form, o.name, o.code.lines, null, null)));
    return;
  }
  const k = doc.kernels.find((x) => x.name === name), w = work().find((x) => x.name === name);
  const near = w ? limit(w) : null;
  const code = k.code.find((c) => c.spills !== undefined);
  const facts = [];
  const fact = (value, what) => { if (value) facts.push(el("div", {}, el("b", {}, value), el("span", {}, what))); };
  fact(w && w.timed ? milliseconds(w.ms) : "", "in " + (w ? w.launches : 0) + (w && w.launches === 1 ? " launch" : " launches"));
  fact(near ? percent(near.part) : "", near ? "of the limit of " + near.by : "");
  fact(k.bytes === null ? k.bytes_text + " B" : amount(k.bytes, "B"), "moved by a launch");
  fact(k.flops === null ? k.flops_text : amount(k.flops, "flop"), "computed by a launch");
  fact(code ? String(code.spills) : "", "instructions that spill registers");
  fact(code && code.ms !== undefined ? milliseconds(code.ms) : "", "to generate its code");
  const vector = /vector (\d+)/.exec(k.ir.join("\n"));
  fact(vector ? vector[1] : "", "elements of a vector");
  const opsOf = new Map();  // op -> its kernel IR lines
  k.ir_ops.forEach((op, i) => { if (op >= 0) opsOf.set(op, [...(opsOf.get(op) || []), i + 1]); });
  const ops = [...opsOf.keys()].sort((a, b) => a - b);
  const sources = new Map();  // "file:line" -> kernel IR lines
  for (const op of ops) { const at = doc.ops[op].at; if (at) sources.set(at, [...(sources.get(at) || []), ...opsOf.get(op)]); }
  // Lines inside of loops and choices, whose ops are no ops of the graph.
  for (const at of k.at || []) if (!sources.has(at)) sources.set(at, []);
  const columns = [], texts = [];
  const inHot = (line) => k.hot && line >= k.hot[0] && line <= k.hot[1];
  const hotSources = [...sources].filter(([, lines]) => lines.some(inHot)).map(([at]) => at);
  if (sources.size) {
    const at = [...sources.keys()].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
    texts.push(column("source", at.length ? place(at[0]).file.split("/").pop() : "", at.map((p) => sourceText(p) || p), at.map((p) => sources.get(p)), at.map((p) => place(p).line)));
  }
  if (ops.length) texts.push(column("graph ops", "", ops.map((o) => doc.ops[o].text), ops.map((o) => opsOf.get(o)), null));
  if (texts.length) columns.push(el("div", { class: "stack" }, texts));
  columns.push(column("kernel IR", "", k.ir, k.ir.map((t, i) => [i + 1]), k.ir.map((t, i) => i + 1), k.hot ? [k.hot[0] - 1, k.hot[1] - 1] : null));
  let marked = false;
  for (const c of k.code) {
    if (!shownForms.has(c.form)) continue;
    const range = hotRange(c, k.hot);
    marked = marked || range !== null;
    columns.push(column(c.form, c.from ? "" : "(lines are not linked)", c.lines, c.from ? c.from.map((f) => f ? [f] : null) : null, null, range));
  }
  const toggles = k.code.map((c) => el("button", { "aria-pressed": String(shownForms.has(c.form)), onclick: () => { shownForms.has(c.form) ? shownForms.delete(c.form) : shownForms.add(c.form); drawKernel(name); } }, c.form));
  kernelOut.replaceChildren(el("div", { class: "facts" }, facts),
    el("h3", {}, "Loops, as schedule chose them"), el("ul", { class: "remarks" }, k.schedule.map((s) => el("li", { style: "margin-left:" + s.depth * 18 + "px" }, s.text))),
    toggles.length ? el("div", { class: "kernelpick" }, "Show ", toggles) : el("p", { class: "soft" }, "Its code was left out, or the compilation failed before."),
    el("p", { class: "soft" }, "Point at a line, or focus a column and use the arrow keys, to light what it became."),
    k.hot ? el("p", { id: "hot" }, el("button", { onclick: goToHot }, "Show the hottest loop"), " ", el("code", {}, k.ir[k.hot[0] - 1].trim().replace(/ \{$/, "")),
      hotSources.length ? [" from ", hotSources.slice(0, 3).map((at, i) => [i ? ", " : "", sourceLink(at)]), hotSources.length > 3 ? " and " + (hotSources.length - 3) + " more" : ""] : "", marked ? "" : el("span", { class: "soft" }, " (no loop of the code shown is its own)")) : "",
    el("div", { class: "columns", style: "--codes:" + Math.max(1, columns.length - (texts.length ? 2 : 1)) + ";--texts:" + (texts.length ? "minmax(200px, 0.75fr)" : "") }, columns));
  goToHot();
}
