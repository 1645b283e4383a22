// Graph: fused groups as boxes; the ops inside of a box are drawn when they are large enough to be read.
const view = { x: 0, y: 0, scale: 1, svg: null, scene: null, details: null, chosen: null, found: new Set(), drawn: false };
const params = doc.parameters.length;
const kReadable = 0.42;  // scale from which ops are drawn

panels.graph = function (section) {
  const search = el("input", { type: "search", placeholder: "op, type or line", "aria-label": "Search the graph", oninput: () => find(search.value) });
  const count = el("span", { class: "soft", id: "found", "aria-live": "polite" });
  view.svg = el("svg", { tabindex: 0, role: "application", "aria-label": "Graph. Arrow keys move, plus and minus zoom, 0 shows all." });
  view.scene = el("g", {});
  view.svg.append(view.scene);
  view.details = el("div", { class: "details", id: "details", "aria-live": "polite" }, el("p", { class: "soft" },
    "Click an op, a box or an edge between boxes. A box is a fused group: one kernel, or one call of a library routine. Drag to move, turn the wheel to zoom, or use the arrow keys, + and -."));
  section.append(
    el("div", { class: "graphtools" }, search, el("button", { onclick: () => nextFound() }, "Next"), count,
      el("button", { onclick: () => zoom(1.4), "aria-label": "Zoom in" }, "+"), el("button", { onclick: () => zoom(1 / 1.4), "aria-label": "Zoom out" }, "−"),
      el("button", { onclick: fit }, "Show all"), el("button", { onclick: readable }, "Show ops")),
    el("div", { class: "graphview" }, el("div", { class: "canvas" }, view.svg), view.details));
  section.querySelector("input").addEventListener("keydown", (e) => { if (e.key === "Enter") nextFound(); });
  moveByPointer();
  view.svg.addEventListener("keydown", (e) => {
    const step = 60 / view.scale, moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (moves[e.key]) { view.x += moves[e.key][0]; view.y += moves[e.key][1]; draw(); }
    else if (e.key === "+" || e.key === "=") zoom(1.3);
    else if (e.key === "-") zoom(1 / 1.3);
    else if (e.key === "0") fit();
    else return;
    e.preventDefault();
  });
  new ResizeObserver(() => { if (view.svg.clientWidth) view.drawn ? draw() : first(); }).observe(view.svg);
};

// Small graphs are shown with their ops, large ones as a whole.
function first() {
  view.drawn = true;
  fit();
  if (view.scale < kReadable && doc.ops.length <= 60) readable();
}
function fit() {
  const w = view.svg.clientWidth || 800, h = view.svg.clientHeight || 500;
  view.scale = Math.min(w / (doc.layout.width + 40), h / (doc.layout.height + 40), 1.4);
  view.x = doc.layout.width / 2 - w / view.scale / 2;
  view.y = doc.layout.height / 2 - h / view.scale / 2;
  draw();
}
function readable() {
  const w = view.svg.clientWidth || 800;
  view.scale = 0.8;
  view.x = doc.layout.width / 2 - w / view.scale / 2;
  view.y = -20;
  draw();
}
function zoom(by, px, py) {
  px = px === undefined ? view.svg.clientWidth / 2 : px;
  py = py === undefined ? view.svg.clientHeight / 2 : py;
  const next = Math.min(3, Math.max(0.01, view.scale * by));
  view.x += px / view.scale - px / next;
  view.y += py / view.scale - py / next;
  view.scale = next;
  draw();
}
function centre(x, y) {
  view.scale = Math.max(view.scale, 0.8);
  view.x = x - view.svg.clientWidth / view.scale / 2;
  view.y = y - view.svg.clientHeight / view.scale / 2;
  draw();
}
function moveByPointer() {
  let from = null;
  view.svg.addEventListener("pointerdown", (e) => { from = { x: e.clientX, y: e.clientY, moved: false }; });
  view.svg.addEventListener("pointermove", (e) => {
    if (!from || !(e.buttons & 1)) return;
    const dx = e.clientX - from.x, dy = e.clientY - from.y;
    if (!from.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
    view.x -= dx / view.scale; view.y -= dy / view.scale;
    from = { x: e.clientX, y: e.clientY, moved: true };
    draw();
  });
  // A drag that ends on a box chooses nothing.
  view.svg.addEventListener("click", (e) => { if (from && from.moved) e.stopPropagation(); from = null; }, true);
  view.svg.addEventListener("wheel", (e) => {
    e.preventDefault();
    const r = view.svg.getBoundingClientRect();
    zoom(Math.exp(-e.deltaY * 0.0015), e.clientX - r.left, e.clientY - r.top);
  }, { passive: false });
}

let pending = false;
function draw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => { pending = false; drawNow(); });
}
const clip = (text, n) => text.length > n ? text.slice(0, n - 1) + "…" : text;
const boxName = (b) => b.kind === "parameter" ? doc.parameters[b.number].name : b.kind === "result" ? "result " + (doc.results[b.number].name || b.number) : groupName(b);
function groupName(b) {
  // Steps of control flow have no name of their own: a box of an op that runs functions has the op's.
  if (b.form === undefined || doc.ops[b.ops[0]].regions) return doc.ops[b.ops[0]].name;
  const step = doc.steps.find((s) => (s.boxes || []).includes(b.number));
  return step ? step.kernel || step.routine + (step.epilogue ? " + epilogue" : "") : b.form + " group " + b.number;
}
// Draws what is in sight, and ops only where they can be read.
function drawNow() {
  const { svg, scene, scale } = view, w = svg.clientWidth / scale, h = svg.clientHeight / scale;
  const seen = (x, y, bw, bh) => x < view.x + w && x + bw > view.x && y < view.y + h && y + bh > view.y;
  scene.setAttribute("transform", `scale(${scale}) translate(${-view.x} ${-view.y})`);
  scene.replaceChildren();
  const ops = scale >= kReadable, labels = Math.max(9, 12 / scale);
  doc.edges.forEach((e, i) => {
    const a = doc.boxes[e.from].at, b = doc.boxes[e.to].at;
    const x1 = a[0] + a[2] / 2, y1 = a[1] + a[3], x2 = b[0] + b[2] / 2, y2 = b[1];
    if (!seen(Math.min(x1, x2), Math.min(y1, y2), Math.abs(x1 - x2) + 1, Math.abs(y2 - y1) + 1)) return;
    const mid = (y1 + y2) / 2;
    const path = el("path", { class: "edge outer" + (view.chosen === "edge" + i ? " chosen" : ""), "stroke-width": Math.max(1.5, 1.2 / scale),
      d: `M${x1} ${y1}C${x1} ${mid} ${x2} ${mid} ${x2} ${y2}`, onclick: () => chooseEdge(i) }, el("title", {}, e.why || e.values.join("\n")));
    scene.append(path);
  });
  doc.boxes.forEach((b, i) => {
    const [x, y, bw, bh] = b.at;
    if (!seen(x, y, bw, bh)) return;
    const found = view.found.has("box" + i) || (!ops && b.ops && withInner(b.ops).some((o) => view.found.has(o)));
    const g = el("g", { class: ["box", b.kind, b.form || "", view.chosen === "box" + i ? "chosen" : "", found ? "found" : ""].join(" "),
      transform: `translate(${x} ${y})`, tabindex: bw * scale > 30 ? 0 : null, role: "button", "aria-label": boxName(b), onclick: (e) => { e.stopPropagation(); chooseBox(i); },
      onkeydown: (e) => { if (e.key === "Enter") { e.stopPropagation(); chooseBox(i); } } }, el("rect", { class: "frame", width: bw, height: bh, rx: 6 }));
    if (!b.ops || !ops) {
      const size = b.ops ? Math.min(labels, bw / 8, bh / 2) : 12;
      if (size * scale >= 6) {
        const room = Math.max(3, Math.floor(bw / (size * 0.62)) - 1);
        g.append(el("text", { x: 8, y: b.ops ? size * 1.3 : 20, style: `font-size:${size}px` }, clip(boxName(b), room)));
        if (b.ops && b.ops.length > 1 && bh > size * 3) g.append(el("text", { class: "soft", x: 8, y: size * 2.6, style: `font-size:${size}px` }, clip(b.ops.length + " ops", room)));
      }
    } else {
      g.append(el("text", { x: 10, y: 16 }, clip(boxName(b), Math.max(4, Math.floor(bw / 7) - 2))));
      drawOps(g, b, seen, x, y);
    }
    scene.append(g);
  });
}
// Ops that run functions stand before the ops in their regions, which are drawn over them.
const innerOps = new Map();
doc.ops.forEach((op, i) => { if (op.around !== undefined) innerOps.set(op.around, [...(innerOps.get(op.around) || []), i]); });
const withInner = (ops) => ops.flatMap((o) => [o, ...withInner(innerOps.get(o) || [])]);
const opSize = (op) => op.size || doc.layout.op;
function drawOps(g, box, seen, x, y) {
  const all = withInner(box.ops), here = new Set(all);
  const edge = (a, b) => {
    const from = a.x + opSize(a)[0] / 2, below = a.y + opSize(a)[1], to = b.x + opSize(b)[0] / 2, mid = (below + b.y) / 2;
    g.append(el("path", { class: "edge", d: `M${from} ${below}C${from} ${mid} ${to} ${mid} ${to} ${b.y}` }));
  };
  for (const o of all) {
    const op = doc.ops[o], [width, height] = opSize(op);
    for (const f of op.from) if (here.has(f)) edge(doc.ops[f], op);
    if (!seen(x + op.x, y + op.y, width, height)) continue;
    g.append(el("g", { class: "op" + (view.chosen === "op" + o ? " chosen" : "") + (view.found.has(o) ? " found" : ""), transform: `translate(${op.x} ${op.y})`, tabindex: 0, role: "button",
      "aria-label": op.text, onclick: (e) => { e.stopPropagation(); chooseOp(o); }, onkeydown: (e) => { if (e.key === "Enter") { e.stopPropagation(); chooseOp(o); } } },
      el("rect", { width, height, rx: 5 }), el("text", { x: 6, y: 13 }, clip(op.name, 19)), el("text", { class: "soft", x: 6, y: 25, style: "font-size:10px" }, clip(op.type, 24)), el("title", {}, op.text),
      (op.regions || []).map((r) => el("text", { class: "soft", x: r.x, y: r.y, style: "font-size:10px" }, r.name))));
  }
}

function show(what, ...content) { view.chosen = what; view.details.replaceChildren(...content.flat().filter(Boolean)); draw(); }
const opButton = (o) => el("button", { onclick: () => goToOp(o) }, doc.ops[o].name);
function kernelButtons(number) {
  return doc.steps.map((s, i) => ({ s, i })).filter(({ s }) => (s.boxes || []).includes(number)).map(({ s, i }) => el("p", {}, "Step " + i + ": ",
    s.kernel ? el("button", { onclick: () => open("kernels", () => showKernel(s.kernel)) }, s.kernel) : el("span", {}, "library routine ", el("code", {}, s.routine)),
    s.epilogue ? el("span", {}, " with epilogue ", el("button", { onclick: () => open("kernels", () => showKernel(s.epilogue)) }, s.epilogue)) : "", s.ms !== undefined ? ", " + milliseconds(s.ms) : ""));
}
function remarksAt(at) {
  const said = at ? doc.remarks.filter((r) => r.at && (r.at === at || r.at.startsWith(at + ":"))) : [];
  return said.length ? [el("h3", {}, "Remarks"), el("ul", { class: "remarks" }, said.map((r) => el("li", {}, el("b", {}, r.pass), ": " + r.text)))] : [];
}
function edgeList(box) {
  const list = doc.edges.map((e, i) => ({ e, i })).filter(({ e }) => (e.from === box || e.to === box) && e.why !== undefined);
  return list.length ? [el("h3", {}, "Not fused with its neighbours, because"), el("ul", { class: "remarks" }, list.map(({ e, i }) => el("li", {},
    el("button", { onclick: () => chooseEdge(i) }, (e.from === box ? "to " : "from ") + clip(boxName(doc.boxes[e.from === box ? e.to : e.from]), 40)), " ", e.why || "no rule of fuse joins them")))] : [];
}
function chooseOp(o) {
  const op = doc.ops[o], box = doc.boxes[op.box];
  const users = doc.ops.map((u, i) => i).filter((i) => doc.ops[i].from.includes(o));
  show("op" + o, el("h2", {}, op.name), el("p", {}, el("code", {}, op.text)), el("p", { class: "soft" }, doc.docs[op.name] || ""),
    op.at ? el("p", {}, "From ", sourceLink(op.at)) : el("p", { class: "soft" }, "No source line: a pass made it, or the graph has none."),
    box.form !== undefined ? kernelButtons(box.number) : null,
    el("p", {}, op.from.length ? "Operands: " : "No operands. ", op.from.map((f) => f < 0 ? el("code", {}, "%" + doc.parameters[-1 - f].name + " ") : opButton(f))),
    op.around !== undefined ? el("p", {}, "In a region of ", opButton(op.around)) : null,
    users.length ? el("p", {}, "Read by: ", users.slice(0, 20).map(opButton)) : null, remarksAt(op.at), edgeList(op.box));
}
function chooseBox(i) {
  const b = doc.boxes[i];
  if (b.kind === "parameter") { const p = doc.parameters[b.number]; show("box" + i, el("h2", {}, "Parameter " + p.name), el("p", {}, el("code", {}, p.type)), p.weight ? el("p", {}, "bound to the weight " + p.weight) : null); return; }
  if (b.kind === "result") { const r = doc.results[b.number]; show("box" + i, el("h2", {}, "Result " + (r.name || b.number)), el("p", {}, el("code", {}, r.value + ": " + r.type))); return; }
  show("box" + i, el("h2", {}, groupName(b)), el("p", { class: "soft" }, b.form === undefined ? "an op without a group" : ({ loop: "One loop nest over one shape.", reduce: "Reductions with what stands before and behind them, row by row.", library: "A call of a library routine, with its epilogue.", view: "No code: its results share memory with an operand.", scatter: "Updates at positions from data." })[b.form] || ""),
    kernelButtons(b.number), el("h3", {}, b.ops.length + " ops"), el("p", {}, b.ops.slice(0, 60).map(opButton), b.ops.length > 60 ? " …" : ""), edgeList(i));
}
function chooseEdge(i) {
  const e = doc.edges[i];
  show("edge" + i, el("h2", {}, "Between two boxes"), el("p", {}, clip(boxName(doc.boxes[e.from]), 80) + " → " + clip(boxName(doc.boxes[e.to]), 80)),
    e.why !== undefined ? el("p", { id: "why" }, el("b", {}, "Not fused: "), e.why || "no rule of fuse joins them") : null,
    el("h3", {}, "Passed through memory"), el("ul", { class: "remarks" }, e.values.map((v) => el("li", {}, el("code", {}, v)))));
}
function goToOp(o) { const op = doc.ops[o], at = doc.boxes[op.box].at; centre(at[0] + op.x + opSize(op)[0] / 2, at[1] + op.y + Math.min(opSize(op)[1], 300) / 2); chooseOp(o); }
function chooseGroup(number) { const at = doc.boxes[params + number].at; chooseBox(params + number); requestAnimationFrame(() => centre(at[0] + at[2] / 2, at[1] + Math.min(at[3], 300) / 2)); }

let hits = [], hit = -1;
function find(text) {
  text = text.trim().toLowerCase();
  hits = []; hit = -1;
  if (text) doc.ops.forEach((op, i) => { if ((op.text + " " + (op.at || "") + " " + sourceText(op.at)).toLowerCase().includes(text)) hits.push(i); });
  view.found = new Set(hits);
  byId("found").textContent = text ? hits.length + " found" : "";
  draw();
}
function nextFound() { if (hits.length) { hit = (hit + 1) % hits.length; goToOp(hits[hit]); } }
