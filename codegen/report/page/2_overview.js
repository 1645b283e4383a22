// Overview: what ran, how long, how near to the machine's limits, memory, and why it was traced.
panels.overview = function (section) {
  const all = work();
  const facts = [];
  const fact = (value, name) => { if (value !== undefined && value !== null && value !== "") facts.push(el("div", {}, el("b", {}, value), el("span", {}, name))); };
  const groups = doc.boxes.filter((b) => b.kind === "group").length;
  fact(doc.passes[0].ops, "ops in the graph");
  if (doc.steps.length) fact(doc.steps.length, "steps of a call");
  else fact(groups, "groups");
  fact(doc.run_ms === undefined ? null : milliseconds(doc.run_ms), "a call, median of " + doc.runs + " runs");
  const peak = doc.memory.length ? Math.max(...doc.memory) : null;
  fact(peak === null ? null : amount(peak, "B"), "memory at most, with arguments");
  if (doc.machine && doc.machine.bytes_per_second) {
    fact(amount(doc.machine.bytes_per_second, "B/s"), "memory of this machine");
    if (doc.machine.flops_per_second) fact(amount(doc.machine.flops_per_second, "flop/s"), "arithmetic of this machine");
  }
  section.append(
    el("p", {}, el("code", {}, doc.signature)),
    el("p", { class: "soft" }, "For " + doc.target.backend + ", cpu " + doc.target.cpu + ", " + doc.target.threads + " threads" +
      (Object.keys(doc.sizes).length ? "; times are for " + Object.entries(doc.sizes).map(([k, v]) => k + " = " + v).join(", ") : "") + "."),
    el("div", { class: "facts" }, facts));
  section.append(kernelTable(all), ...controlSteps());
  if (doc.machine && doc.machine.how) section.append(el("p", { class: "soft" }, "The limits are the best of " + doc.machine.runs + " short runs of each kind on this machine, the last better one at " + doc.machine.measured + " (" + doc.machine.how + "). A kernel whose data is in the caches can pass the limit of memory."));
  section.append(el("div", { class: "two" },
    el("div", {}, roofline(all)), el("div", {}, memoryPlot()),
    el("div", {}, stages()), el("div", {}, guards(), traces())));
};

function kernelTable(all) {
  if (!all.length) return el("p", { class: "soft" }, "No kernels: the compilation did not reach code.");
  const rows = all.map((w) => {
    const near = limit(w);
    const reached = near ? percent(near.part) + " of " + near.by : "";
    const show = () => w.kernel ? open("kernels", () => showKernel(w.name)) : open("graph", () => [...w.boxes].forEach((b, i) => i || chooseGroup(b)));
    return el("tr", { class: "pick", tabindex: 0, onclick: show, onkeydown: (e) => { if (e.key === "Enter") show(); } },
      el("td", { class: "name" }, el("code", {}, w.name), w.kernel ? "" : [" (library routine) ", el("span", { class: "soft" }, w.of)], whence(w)),
      el("td", { class: "n" }, w.launches), el("td", { class: "n" }, w.timed ? milliseconds(w.ms) : w.with !== undefined ? "with " + w.with : ""),
      el("td", { class: "n" }, w.timed ? percent(w.share) : ""), el("td", {}, el("span", { class: "bar", style: "width:" + (w.share * 90).toFixed(1) + "px" })),
      el("td", { class: "n" }, w.bytes === null ? w.cost.bytes_text || "" : amount(w.bytes, "B")),
      el("td", { class: "n" }, w.flops === null ? w.cost.flops_text || "" : amount(w.flops, "flop")),
      el("td", { class: "n" }, reached));
  });
  return el("div", {}, el("h2", {}, "Kernels, the longest first"), el("div", { class: "scroll" },
    el("table", { id: "kernel-table" }, el("thead", {}, el("tr", {}, ["kernel", "launches", "time", "share", "", "moves", "computes", "reaches"].map((t, i) =>
      el("th", { class: i && i !== 4 ? "n" : null }, t)))), el("tbody", {}, rows))));
}

// A source line of a kernel or routine, and how many others it has; of a routine that of the op that it is.
function whence(w) {
  const groups = doc.boxes.filter((b) => b.kind === "group");
  const ops = w.kernel ? [] : [...w.boxes].flatMap((number) => (groups[number] || { ops: [] }).ops).sort((a, b) => (doc.ops[b].name === w.name) - (doc.ops[a].name === w.name));
  const at = [...new Set(w.kernel ? w.kernel.at : ops.map((o) => doc.ops[o].at).filter((a) => a))];
  return at.length ? el("div", { class: "soft" }, sourceLink(at[0]), at.length > 1 ? " and " + (at.length - 1) + " more" : "") : "";
}

// The order of the steps, where loops and choices make it worth a look.
function controlSteps() {
  if (!doc.steps.some((s) => s.control)) return [];
  let depth = 0;
  const lines = doc.steps.map((s, i) => {
    const name = s.control || (s.kernel || s.routine) + (s.launches ? ", " + s.launches + " launches" : "") + (s.ms !== undefined ? ", " + milliseconds(s.ms) : "");
    if (s.control && s.control.startsWith("}")) depth--;
    const line = String(i).padStart(3) + "  " + "  ".repeat(Math.max(0, depth)) + name;
    if (s.control && s.control.endsWith("{")) depth++;
    return line;
  });
  return [el("h2", {}, "Steps of a call"), el("pre", { class: "scroll mono", id: "steps" }, lines.join("\n"))];
}

const axisText = (x, y, text, more) => el("text", { x, y, class: "soft", ...more }, text);

// Arithmetic per byte against arithmetic per second, both on logarithmic axes.
function roofline(all) {
  const m = doc.machine, points = all.filter((w) => w.timed && w.ms && w.flops && w.bytes);
  const out = [el("h2", {}, "How near to the limits (roofline)")];
  if (!m || !m.bytes_per_second || !m.flops_per_second || !points.length)
    return [...out, el("p", { class: "soft" }, "Needs a measured run with floating-point work, on a machine with the library of matrix products.")];
  const W = 640, H = 330, L = 70, B = 44, T = 12;
  const xs = points.map((w) => w.flops / w.bytes), ys = points.map((w) => w.flops / w.ms * 1000);
  const x0 = Math.min(0.05, ...xs.map((x) => x / 2)), x1 = Math.max(64, ...xs.map((x) => x * 2));
  const y1 = Math.max(m.flops_per_second, ...ys) * 2, y0 = Math.min(y1 / 1e4, ...ys.map((y) => y / 2));
  const X = (x) => L + (W - L - 8) * Math.log(x / x0) / Math.log(x1 / x0);
  const Y = (y) => T + (H - B - T) * (1 - Math.log(y / y0) / Math.log(y1 / y0));
  const chart = el("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": "roofline" });
  chart.append(el("path", { class: "axis", d: `M${L} ${T}V${H - B}H${W - 8}` }));
  for (let d = Math.ceil(Math.log10(x0)); Math.pow(10, d) <= x1; d++) chart.append(axisText(X(Math.pow(10, d)), H - B + 16, String(+Math.pow(10, d).toPrecision(1)), { "text-anchor": "middle" }));
  for (let d = Math.ceil(Math.log10(y0)); Math.pow(10, d) <= y1; d++) chart.append(axisText(L - 6, Y(Math.pow(10, d)) + 4, amount(Math.pow(10, d), ""), { "text-anchor": "end" }));
  chart.append(axisText((W + L) / 2, H - 8, "flop per byte", { "text-anchor": "middle" }));
  chart.append(el("text", { class: "soft", transform: `translate(12 ${H / 2 - 10}) rotate(-90)`, "text-anchor": "middle" }, "flop per second"));
  const ridge = Math.min(Math.max(m.flops_per_second / m.bytes_per_second, x0), x1);
  chart.append(el("path", { class: "roof", d: `M${X(x0)} ${Y(Math.max(y0, x0 * m.bytes_per_second))}L${X(ridge)} ${Y(Math.min(m.flops_per_second, ridge * m.bytes_per_second))}H${X(x1)}` }));
  points.forEach((w, i) => chart.append(el("circle", { class: i ? "dot" : "dot hot", cx: X(xs[i]), cy: Y(ys[i]), r: 3 + 9 * Math.sqrt(w.share) },
    el("title", {}, w.name + ": " + amount(ys[i], "flop/s") + " at " + xs[i].toPrecision(3) + " flop per byte"))));
  out.push(chart, el("p", { class: "soft" }, "The red line is what this machine can do: on its slope memory binds, on its flat part arithmetic. The area of a dot is the kernel's share of the time; the longest is marked."));
  return out;
}

// Lifetimes of buffers along the steps, and the sum above them.
function memoryPlot() {
  const steps = Math.max(doc.steps.length, 1);
  const shown = doc.buffers.filter((b) => b.first >= 0).sort((a, b) => (b.bytes || 0) - (a.bytes || 0)).slice(0, 40).sort((a, b) => a.first - b.first || a.last - b.last);
  const out = [el("h2", {}, "Memory over the steps")];
  if (!shown.length) return [...out, el("p", { class: "soft" }, "No buffer plan.")];
  const W = 640, L = 150, row = 17, top = doc.memory.length ? 96 : 14, H = top + shown.length * row + 22;
  const X = (s) => L + (W - L - 10) * s / (steps + 0.2);
  const chart = el("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": "memory over the steps" });
  if (doc.memory.length) {
    const most = Math.max(...doc.memory), Y = (v) => top - 14 - (top - 34) * v / (most || 1);
    chart.append(el("path", { class: "roof", d: doc.memory.map((v, s) => (s ? "L" : "M") + X(s) + " " + Y(v) + "H" + X(s + 1)).join("") }));
    chart.append(axisText(L - 6, Y(most) + 5, amount(most, "B"), { "text-anchor": "end" }), axisText(L - 6, Y(0) + 2, "0", { "text-anchor": "end" }));
  }
  shown.forEach((b, i) => {
    const y = top + i * row, last = Math.min(b.last, steps - 1);
    const title = b.name + ": " + b.role + ", " + (b.bytes === null ? b.bytes_text + " B" : amount(b.bytes, "B")) + ", steps " + b.first + " to " + last +
      (b.slot !== null ? ", slot " + b.slot + " of the workspace" : "") + (b.donor ? ", may take over the memory of " + b.donor : "");
    const name = b.name.length > 14 ? b.name.slice(0, 13) + "…" : b.name;
    chart.append(axisText(L - 6, y + 12, name + (b.slot !== null ? " (slot " + b.slot + ")" : ""), { "text-anchor": "end" }),
      el("rect", { x: X(b.first), y: y + 3, width: Math.max(3, X(last + 1) - X(b.first) - 2), height: row - 6, rx: 3, fill: b.role === "temporary" ? "var(--hot)" : b.role === "output" ? "var(--good)" : "var(--accent)", opacity: b.role === "input" || b.role === "constant" ? 0.45 : 0.9 }, el("title", {}, title)));
  });
  chart.append(axisText(L, H - 6, "step 0"), axisText(W - 10, H - 6, "step " + (steps - 1), { "text-anchor": "end" }));
  const donors = doc.buffers.filter((b) => b.donor).map((b) => b.name + " over " + b.donor);
  const inSlots = doc.buffers.filter((b) => b.slot !== null).length, slots = (doc.slots || []).length;
  const workspace = slots && doc.slots.every((s) => s.bytes !== null) ? " (" + amount(doc.slots.reduce((sum, s) => sum + s.bytes, 0), "B") + ")" : "";
  const reuse = !slots ? "" : inSlots > slots ? inSlots + " temporaries share " + slots + (slots === 1 ? " place" : " places") + " in the workspace" + workspace + ": those whose lives do not overlap use the same memory. "
    : inSlots === 1 ? "The one temporary has the workspace" + workspace + " for itself. " : "Each of the " + inSlots + " temporaries has a place of its own in the workspace" + workspace + ": their lives overlap, or their sizes differ. ";
  out.push(chart, el("p", { class: "soft" }, reuse + (donors.length ? "Results may take over donated arguments: " + donors.join(", ") + ". " : "") +
    (doc.buffers.length > shown.length ? "The largest " + shown.length + " of " + doc.buffers.length + " buffers are shown." : "")));
  return out;
}

function stages() {
  const rows = [...doc.stages.map((s) => ({ ...s, depth: 0 }))];
  const at = rows.findIndex((r) => r.name === "passes");
  rows.splice(at + 1, 0, ...doc.passes.slice(1).map((p) => ({ name: p.name, ms: p.ms, depth: 1, doc: p.doc })));
  const codes = doc.kernels.flatMap((k) => k.code.filter((c) => c.ms !== undefined).map((c) => ({ name: k.name, ms: c.ms, depth: 1, doc: "code of this kernel; kernels are generated side by side" })));
  const code = rows.findIndex((r) => r.name === "machine code");
  if (code >= 0) rows.splice(code + 1, 0, ...codes.sort((a, b) => b.ms - a.ms).slice(0, 8));
  const most = Math.max(0.001, ...rows.map((r) => r.ms));
  return [el("h2", {}, "Time of the stages"), el("div", { class: "scroll" }, el("table", {}, el("tbody", {}, rows.map((r) => el("tr", { title: r.doc },
    el("td", { style: r.depth ? "padding-left:18px" : "" }, r.name), el("td", { class: "n" }, milliseconds(r.ms)),
    el("td", {}, el("span", { class: "bar", style: "width:" + (r.ms / most * 120).toFixed(1) + "px" })))))))];
}

function guards() {
  return [el("h2", {}, "Checks of each call (guards)"),
    doc.guards.length ? el("ul", { class: "remarks" }, doc.guards.map((g) => el("li", {}, el("code", {}, g)))) : el("p", { class: "soft" }, "None beyond the element types and ranks: every size is fixed, or any will do.")];
}

function traces() {
  const h = doc.history, out = [];
  const counters = Object.entries(h.counters);
  if (!counters.length && !h.traces.length && !h.misses.length) return [];
  out.push(el("h2", {}, "Calls and traces"));
  if (counters.length) out.push(el("p", {}, counters.map(([k, v]) => k + " " + v).join(", ")));
  for (const t of h.traces) out.push(el("h3", {}, "Trace " + t.number), el("pre", { class: "scroll mono" }, t.signature), t.why.length ? el("ul", { class: "remarks" }, t.why.map((w) => el("li", {}, w))) : "");
  if (h.misses.length) out.push(el("h3", {}, "Why it was traced again"), el("ul", { class: "remarks", id: "misses" }, h.misses.map((m) => el("li", {}, m))));
  return out;
}
