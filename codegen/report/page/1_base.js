// Helpers of all panels: the document, elements, numbers as text.
const doc = JSON.parse(document.getElementById("data").textContent);
// Kernel IR is stored as runs of lines of the last state, where kernels are indented.
for (const k of doc.kernels || [])
  k.ir = k.ir.flatMap(([first, count]) => doc.lines.slice(first, first + count)).map((line) => line.slice(2));
const svgNames = new Set(["svg", "g", "rect", "text", "path", "line", "circle", "title"]);

// An element: attributes by name, "on..." handlers, then children (elements, texts, lists of them).
function el(name, attributes, ...children) {
  const e = svgNames.has(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value === true ? "" : value);
  }
  for (const c of children.flat(3)) if (c !== null && c !== undefined) e.append(c);
  return e;
}
const byId = (id) => document.getElementById(id);

function amount(value, unit) {
  if (value === null || value === undefined) return "unknown";
  const steps = ["", "k", "M", "G", "T", "P"];
  let i = 0;
  while (Math.abs(value) >= 9999.5 && i + 1 < steps.length) { value /= 1000; i++; }
  const digits = Math.abs(value) >= 100 || value === Math.round(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits) + " " + steps[i] + unit;
}
const milliseconds = (ms) =>
  ms === undefined || ms === null ? "" : ms >= 100 ? ms.toFixed(0) + " ms" : ms >= 1 ? ms.toFixed(2) + " ms" : (ms * 1000).toFixed(ms >= 0.01 ? 1 : 2) + " µs";
const percent = (part) => (part >= 0.095 ? Math.round(part * 100) : (part * 100).toFixed(1)) + " %";

// The file and line of "file:line".
function place(at) {
  const colon = at ? at.lastIndexOf(":") : -1;
  return colon < 0 ? null : { file: at.slice(0, colon), line: at.slice(colon + 1) };
}
function sourceText(at) {
  const p = place(at);
  return p && doc.sources && doc.sources[p.file] ? (doc.sources[p.file][p.line] || "").trim() : "";
}
function sourceLink(at) {
  if (!at) return null;
  const p = place(at), text = sourceText(at);
  return el("span", {}, el("code", {}, (p ? p.file.split("/").pop() + ":" + p.line : at)), text ? " " : "", text ? el("code", { class: "soft" }, text) : "");
}

// The kernels with the sums over their launches. Routines stand in the same list, a row for operands of other types.
function work() {
  const list = new Map(), kernels = new Map(doc.kernels.map((k) => [k.name, k]));
  doc.steps.forEach((step, i) => {
    const name = step.kernel || step.routine;
    if (!name) return;  // a step of control flow
    const of = step.routine ? (step.types || []).join(", ") : "", key = step.routine ? name + " " + of : name;
    const w = list.get(key) || { name, key, of, kernel: kernels.get(name), launches: 0, ms: 0, timed: false, bytes: 0, flops: 0, steps: [], boxes: new Set() };
    const cost = w.kernel || step, times = step.launches || 1;
    w.launches += times;
    if (step.ms !== undefined) { w.ms += step.ms; w.timed = true; }
    w.bytes = cost.bytes === null || w.bytes === null ? null : w.bytes + cost.bytes * times;
    w.flops = cost.flops === null || cost.flops === undefined || w.flops === null ? null : w.flops + cost.flops * times;
    w.cost = cost;
    if (step.with !== undefined) w.with = step.with;
    w.steps.push(i);
    for (const b of step.boxes || []) w.boxes.add(b);
    list.set(key, w);
  });
  const all = [...list.values()];
  // Steps that run for some rows at a time have one time together; what passes between them does not go to memory.
  for (const w of all) {
    if (w.with === undefined) continue;
    const first = all.find((o) => o.steps.includes(w.with));
    w.with = first.name;
    first.together = first.together === null || w.flops === null ? null : (first.together === undefined ? first.flops : first.together) + w.flops;
  }
  const total = all.reduce((sum, w) => sum + w.ms, 0);
  for (const w of all) w.share = total > 0 ? w.ms / total : 0;
  return all.sort((a, b) => b.ms - a.ms);
}
// How near a kernel comes to the limit that binds it.
function limit(w) {
  const m = doc.machine;
  if (!m || !m.bytes_per_second || !w.timed || !w.ms || w.bytes === null || w.flops === null) return null;
  const seconds = w.ms / 1000, flops = w.together === undefined ? w.flops : w.together;
  const memory = w.together === undefined ? w.bytes / m.bytes_per_second : 0;
  const arithmetic = m.flops_per_second && flops ? flops / m.flops_per_second : 0;
  return { part: Math.max(memory, arithmetic) / seconds, by: arithmetic > memory ? "arithmetic" : "memory" };
}

const panels = {};   // by id: a function that fills the section, called once
const opened = new Set();
function open(id, then) {
  for (const name of Object.keys(panels)) {
    const on = name === id;
    byId(name).hidden = !on;
    byId("tab-" + name).setAttribute("aria-selected", on);
    byId("tab-" + name).tabIndex = on ? 0 : -1;
  }
  if (!opened.has(id)) { opened.add(id); panels[id](byId(id)); }
  if (history.replaceState) try { history.replaceState(null, "", "#panel=" + id); } catch (e) { /* file:// may refuse */ }
  if (then) then();
}
