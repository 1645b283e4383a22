// Pass by pass: two texts side by side, changed lines marked, with a slider over the passes.
function textOf(pass) { return pass.text.flatMap(([first, count]) => doc.lines.slice(first, first + count)); }

// Values have numbers, which a pass that takes one line away shifts behind it. Lines are therefore compared by what they
// define: each number is replaced by the definition that it stands for, in terms of other definitions.
const numbered = /%\d+\b/g;
const opens = (line) => line.endsWith("{"), closes = (line) => /^\s*\}/.test(line);
// Names in the innermost function or kernel around a line; its closing brace ends them.
class Scopes {
  constructor() { this.stack = [new Map()]; }
  enter(line) { if (closes(line) && this.stack.length > 1) this.stack.pop(); }
  leave(line) { if (opens(line)) this.stack.push(new Map()); }
  set(name, value) { this.stack[this.stack.length - 1].set(name, value); }
  get(name) { for (let i = this.stack.length - 1; i >= 0; i--) { const v = this.stack[i].get(name); if (v !== undefined) return v; } return undefined; }
}
// A line that defines values as [what stands before " = ", what stands behind]; others as ["", line].
function sides(line) {
  const at = line.indexOf(" = ");
  return at > 0 && /^\s*%/.test(line) ? [line.slice(0, at), line.slice(at)] : ["", line];
}
function definitions(lines, known) {
  const scopes = new Scopes();
  return lines.map((line) => {
    scopes.enter(line);
    const [left, right] = sides(line);
    // The head of a loop names what its body defines.
    const made = left.match(numbered) || [];
    const said = left.replace(numbered, "%") + right.replace(numbered, (name) => { const of = scopes.get(name); if (of === undefined) made.push(name); return of === undefined ? "%" : of; });
    if (!known.has(said)) known.set(said, known.size);
    made.forEach((name, i) => scopes.set(name, "#" + known.get(said) + "." + i));
    scopes.leave(line);
    return said;
  });
}

// Rows of two texts: [line or null, line or null, whether both say the same].
function difference(a, b) {
  const known = new Map();
  let pairs = align(definitions(a, known), definitions(b, known));
  // What is left between lines of one definition is paired by what it says but for numbers, then by its operation alone:
  // an operand or an attribute may have changed.
  pairs = pairRest(pairs, a, b, (line) => line.replace(numbered, "%"));
  pairs = pairRest(pairs, a, b, (line) => (/ = [\w.]+/.exec(sides(line)[1]) || /^\s*(parallel for|\S+)( [^\s%]+)?/.exec(line) || [line])[0].trim());
  return beside(sameOrNot(a, b, pairs));
}
function pairRest(pairs, a, b, key) {
  const out = [], left = [], right = [];
  const flush = () => {
    out.push(...align(left.map((i) => key(a[i])), right.map((j) => key(b[j]))).map(([i, j]) => [i === null ? null : left[i], j === null ? null : right[j]]));
    left.length = right.length = 0;
  };
  for (const [i, j] of pairs) {
    if (i !== null && j !== null) { flush(); out.push([i, j]); }
    else if (i !== null) left.push(i);
    else right.push(j);
  }
  flush();
  return out;
}
// Of paired lines those are the same whose operands are paired, whatever their numbers.
function sameOrNot(a, b, pairs) {
  const scopes = new Scopes();
  return pairs.map(([i, j]) => {
    const before = i === null ? null : a[i], after = j === null ? null : b[j];
    if (before === null) return [before, after, false];
    scopes.enter(before);
    if (after === null) {
      for (const name of sides(before)[0].match(numbered) || []) scopes.set(name, "gone");
      scopes.leave(before);
      return [before, after, false];
    }
    const [left] = sides(before), names = before.match(numbered) || [], now = after.match(numbered) || [];
    const made = (left.match(numbered) || []).length;
    let same = before.replace(numbered, "%") === after.replace(numbered, "%");
    names.forEach((name, k) => {
      if (k < made || scopes.get(name) === undefined) { if (now[k]) scopes.set(name, now[k]); }
      else if (scopes.get(name) !== now[k]) same = false;
    });
    scopes.leave(before);
    return [before, after, same];
  });
}

// Places of equal texts beside each other, [i, null] and [null, j] elsewhere. Texts that occur once on each side cut long
// lists; between them Myers' greedy algorithm works, bounded. Beyond the bound texts are compared as sets.
function align(a, b) {
  let start = 0, enda = a.length, endb = b.length;
  while (start < enda && start < endb && a[start] === b[start]) start++;
  while (enda > start && endb > start && a[enda - 1] === b[endb - 1]) { enda--; endb--; }
  const rows = [];
  for (let i = 0; i < start; i++) rows.push([i, i]);
  for (const [i, j] of middle(a.slice(start, enda), b.slice(start, endb))) rows.push([i === null ? null : i + start, j === null ? null : j + start]);
  for (let i = enda; i < a.length; i++) rows.push([i, i - enda + endb]);
  return rows;
}
// Of a run of changed lines, those of the one side stand beside those of the other.
function beside(rows) {
  const out = [];
  let left = [], right = [];
  const flush = () => {
    for (let i = 0; i < Math.max(left.length, right.length); i++) out.push([i < left.length ? left[i] : null, i < right.length ? right[i] : null, false]);
    left = []; right = [];
  };
  for (const row of rows) {
    const [a, b, same] = row;
    if (same || (a !== null && b !== null)) { flush(); out.push(row); continue; }
    if (a !== null && a !== "") left.push(a);
    if (b !== null && b !== "") right.push(b);
  }
  flush();
  return out;
}
const kShort = 150;  // lines
function middle(a, b) {
  const anchors = Math.min(a.length, b.length) > kShort ? uniquePairs(a, b) : [];
  if (!anchors.length) return greedy(a, b);
  const rows = [];
  let i = 0, j = 0;
  for (const [x, y] of [...anchors, [a.length, b.length]]) {
    for (const [p, q] of greedy(a.slice(i, x), b.slice(j, y))) rows.push([p === null ? null : p + i, q === null ? null : q + j]);
    if (x < a.length) rows.push([x, y]);
    i = x + 1; j = y + 1;
  }
  return rows;
}
// Pairs of texts that occur once in each list, as many as ascend in both: the longest ascending subsequence.
function uniquePairs(a, b) {
  const places = (list) => { const at = new Map(); list.forEach((t, i) => at.set(t, at.has(t) ? -1 : i)); return at; };
  const ina = places(a), inb = places(b), pairs = [];
  a.forEach((t, i) => { if (ina.get(t) === i && (inb.get(t) ?? -1) >= 0) pairs.push([i, inb.get(t)]); });
  const tails = [], before = new Array(pairs.length);
  pairs.forEach(([, y], k) => {
    let low = 0, high = tails.length;
    while (low < high) { const mid = (low + high) >> 1; if (pairs[tails[mid]][1] < y) low = mid + 1; else high = mid; }
    before[k] = low ? tails[low - 1] : -1;
    tails[low] = k;
  });
  const chain = [];
  for (let k = tails.length ? tails[tails.length - 1] : -1; k >= 0; k = before[k]) chain.push(pairs[k]);
  return chain.reverse();
}
function greedy(a, b) {
  const n = a.length, m = b.length, rows = [], ina = new Map(), inb = new Set(b);
  // Texts of two kinds, such as a graph and its kernels, have next to no line in common.
  const most = a.filter((t) => inb.has(t)).length * 10 < Math.min(n, m) ? -1 : 250;
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
  a.forEach((t, i) => { if (inb.has(t)) ina.set(t, [...(ina.get(t) || []), i]); });
  a.forEach((t, i) => { if (!inb.has(t)) rows.push([i, null]); });
  b.forEach((t, j) => { const at = (ina.get(t) || []).shift(); rows.push([at === undefined ? null : at, j]); });
  for (const rest of ina.values()) for (const i of rest) rows.push([i, null]);
  return rows;
}
function walkBack(a, b, trail, d) {
  const rows = [];
  let x = a.length, y = b.length;
  for (; d >= 0; d--) {
    const v = trail[d], k = x - y;
    const pk = k === -d || (k !== d && (v.get(k - 1) ?? -1) < (v.get(k + 1) ?? -1)) ? k + 1 : k - 1;
    const px = d === 0 ? 0 : v.get(pk) ?? 0, py = d === 0 ? 0 : px - pk;
    while (x > px && y > py) { rows.push([x - 1, y - 1]); x--; y--; }
    if (d === 0) break;
    if (x === px) { rows.push([null, y - 1]); y--; } else { rows.push([x - 1, null]); x--; }
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
    rows.forEach((r, k) => { if (!r[2]) for (let d = -3; d <= 3; d++) near.add(k + d); });
    const left = el("div", { class: "rows" }), right = el("div", { class: "rows" });
    let skipped = false, shown = 0, more = 0;
    const add = (side, text, kind) => side.append(el("span", { class: "line mono " + kind }, text === null ? "" : text));
    rows.forEach((r, k) => {
      if (only.checked && near.size && !near.has(k)) { if (!skipped) { add(left, "   ⋯", "soft"); add(right, "   ⋯", "soft"); } skipped = true; return; }
      skipped = false;
      if (!all && ++shown > kMostRows) { more++; return; }
      add(left, r[0], r[2] || r[0] === null ? "" : "drop");
      add(right, r[1], r[2] || r[1] === null ? "" : "add");
    });
    out.replaceChildren(el("p", { class: "soft" }, p.doc), remarks.length ? el("ul", { class: "remarks" }, remarks.slice(0, 200).map((r) => el("li", {}, r.text, r.at ? [" ", sourceLink(r.at)] : ""))) : "",
      el("div", { class: "sides" }, el("div", { class: "side" }, el("h3", { class: "soft", style: "padding:0 8px" }, "before"), left), el("div", { class: "side" }, el("h3", { class: "soft", style: "padding:0 8px" }, "after"), right)),
      more ? el("p", {}, el("button", { onclick: () => showPass(i, true) }, "Show " + more + " more lines")) : "");
  }
  const changed = passes.findIndex((p, i) => i && p.changed);
  showPass(changed > 0 ? changed : 1);
};
