// Pass by pass: two texts side by side, changed lines marked, with a slider over the passes.
function textOf(pass) { return pass.text.flatMap(([first, count]) => doc.lines.slice(first, first + count)); }

// Pairs of lines: equal ones stand beside each other, others on the one side or the other. Myers' greedy algorithm on the
// part between equal ends, bounded; beyond the bound lines are compared as sets.
function difference(a, b) {
  let start = 0, enda = a.length, endb = b.length;
  while (start < enda && start < endb && a[start] === b[start]) start++;
  while (enda > start && endb > start && a[enda - 1] === b[endb - 1]) { enda--; endb--; }
  const rows = a.slice(0, start).map((t) => [t, t]);
  rows.push(...middle(a.slice(start, enda), b.slice(start, endb)));
  rows.push(...a.slice(enda).map((t) => [t, t]));
  return beside(rows);
}
// Of a run of changed lines, those of the one side stand beside those of the other.
function beside(rows) {
  const out = [];
  let left = [], right = [];
  const flush = () => {
    for (let i = 0; i < Math.max(left.length, right.length); i++) out.push([i < left.length ? left[i] : null, i < right.length ? right[i] : null]);
    left = []; right = [];
  };
  for (const [a, b] of rows) {
    if (a === b) { flush(); out.push([a, b]); continue; }
    if (a !== null && a !== "") left.push(a);
    if (b !== null && b !== "") right.push(b);
  }
  flush();
  return out;
}
function middle(a, b) {
  const n = a.length, m = b.length, rows = [], inb = new Set(b), ina = new Set(a);
  // Texts of two kinds, such as a graph and its kernels, have next to no line in common.
  const most = a.filter((t) => inb.has(t)).length * 10 < Math.min(n, m) ? -1 : 900;
  const trail = [];
  let v = new Map([[1, 0]]);
  for (let d = 0; d <= Math.min(n + m, most); d++) {
    trail.push(new Map(v));
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && (v.get(k - 1) ?? -1) < (v.get(k + 1) ?? -1)) ? v.get(k + 1) ?? 0 : (v.get(k - 1) ?? 0) + 1;
      let y = x - k;
      while (x < n && y < m && a[x] === b[y]) { x++; y++; }
      v.set(k, x);
      if (x >= n && y >= m) return walkBack(a, b, trail, d);
    }
  }
  for (const t of a) if (!inb.has(t)) rows.push([t, null]);
  for (const t of b) rows.push(ina.has(t) ? [t, t] : [null, t]);
  return rows;
}
function walkBack(a, b, trail, d) {
  const rows = [];
  let x = a.length, y = b.length;
  for (; d >= 0; d--) {
    const v = trail[d], k = x - y;
    const pk = k === -d || (k !== d && (v.get(k - 1) ?? -1) < (v.get(k + 1) ?? -1)) ? k + 1 : k - 1;
    const px = d === 0 ? 0 : v.get(pk) ?? 0, py = d === 0 ? 0 : px - pk;
    while (x > px && y > py) { rows.push([a[x - 1], b[y - 1]]); x--; y--; }
    if (d === 0) break;
    if (x === px) { rows.push([null, b[y - 1]]); y--; } else { rows.push([a[x - 1], null]); x--; }
  }
  return rows.reverse();
}

const kMostRows = 1200;  // of a pass, before a button asks for the others

panels.passes = function (section) {
  const passes = doc.passes;
  const slider = el("input", { type: "range", min: 1, max: Math.max(1, passes.length - 1), value: 1, "aria-label": "Pass", oninput: () => showPass(+slider.value) });
  const label = el("b", {}), out = el("div", {});
  const buttons = passes.slice(1).map((p, i) => el("button", { class: p.changed ? "" : "same", title: p.doc, onclick: () => showPass(i + 1) }, p.name));
  const only = el("input", { type: "checkbox", id: "only-changed", checked: true, onchange: () => showPass(+slider.value) });
  section.append(el("div", { class: "passlist" }, buttons), el("div", { class: "slider" }, slider, label, el("label", {}, only, " only near changes")), out);
  function showPass(i, all) {
    if (passes.length < 2) { out.replaceChildren(el("p", { class: "soft" }, "No pass has run.")); return; }
    slider.value = i;
    buttons.forEach((b, k) => b.setAttribute("aria-pressed", k === i - 1));
    const p = passes[i];
    label.textContent = p.name + ", " + milliseconds(p.ms) + (p.changed ? "" : ", no change");
    const remarks = doc.remarks.filter((r) => r.pass === p.name);
    const rows = difference(textOf(passes[i - 1]), textOf(p));
    const near = new Set();
    rows.forEach((r, k) => { if (r[0] !== r[1]) for (let d = -3; d <= 3; d++) near.add(k + d); });
    const left = el("div", { class: "rows" }), right = el("div", { class: "rows" });
    let skipped = false, shown = 0, more = 0;
    const add = (side, text, kind) => side.append(el("span", { class: "line mono " + kind }, text === null ? "" : text));
    rows.forEach((r, k) => {
      if (only.checked && near.size && !near.has(k)) { if (!skipped) { add(left, "   ⋯", "soft"); add(right, "   ⋯", "soft"); } skipped = true; return; }
      skipped = false;
      if (!all && ++shown > kMostRows) { more++; return; }
      const same = r[0] === r[1];
      add(left, r[0], same || r[0] === null ? "" : "drop");
      add(right, r[1], same || r[1] === null ? "" : "add");
    });
    out.replaceChildren(el("p", { class: "soft" }, p.doc), remarks.length ? el("ul", { class: "remarks" }, remarks.slice(0, 200).map((r) => el("li", {}, r.text, r.at ? [" ", sourceLink(r.at)] : ""))) : "",
      el("div", { class: "sides" }, el("div", { class: "side" }, el("h3", { class: "soft", style: "padding:0 8px" }, "before"), left), el("div", { class: "side" }, el("h3", { class: "soft", style: "padding:0 8px" }, "after"), right)),
      more ? el("p", {}, el("button", { onclick: () => showPass(i, true) }, "Show " + more + " more lines")) : "");
  }
  const changed = passes.findIndex((p, i) => i && p.changed);
  showPass(changed > 0 ? changed : 1);
};
