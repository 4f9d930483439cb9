// Editors of hierarchies: values dragged into groups, and cut points on a histogram, by mouse and by keys.
// Each writes the text beside it, and that text is what is sent; so both show the same, whichever was changed.

const editors = new WeakMap(); // by the box that an editor is drawn in

const put = (field, text) => {
  had = field.value;
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
};
const made = (tag, attributes = {}, ...content) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  element.append(...content);
  return element;
};

// --- groups ---

const ROOM = 2; // spaces of a level

class Tree {
  constructor(box) {
    this.box = box;
    this.field = document.getElementById(box.dataset.tree);
    this.chosen = new Set();
    this.at = null;
    box.addEventListener("focusin", (event) => (this.at = this.node(event.target) ?? this.at));
    box.addEventListener("click", (event) => this.clicked(event));
    box.addEventListener("dblclick", (event) => this.rename(this.node(event.target)));
    box.addEventListener("keydown", (event) => this.pressed(event));
    box.addEventListener("dragstart", (event) => this.lifted(event));
    box.addEventListener("dragover", (event) => this.over(event));
    box.addEventListener("drop", (event) => this.dropped(event));
  }

  read(text) {
    this.text = text;
    this.root = { name: "", below: [], above: null };
    this.chosen.clear();
    const open = [{ room: -1, node: this.root }];
    const lines = text.split("\n").filter((line) => line.trim());
    lines.forEach((line, place) => {
      const room = line.length - line.trimStart().length;
      const next = lines[place + 1] ?? "";
      const group = next && next.length - next.trimStart().length > room;
      while (open.at(-1).room >= room) open.pop();
      const above = open.at(-1).node;
      const node = { name: line.trim(), below: group ? [] : null, above };
      above.below.push(node);
      if (group) open.push({ room, node });
    });
    this.draw();
  }

  write() {
    const lines = [];
    const walk = (node, depth) => {
      lines.push(" ".repeat(ROOM * depth) + node.name);
      node.below?.forEach((one) => walk(one, depth + 1));
    };
    this.root.below.forEach((one) => walk(one, 0));
    this.text = lines.join("\n");
    put(this.field, this.text);
    this.draw();
  }

  rows() {
    const found = [];
    const walk = (node, depth) => {
      found.push({ node, depth });
      node.below?.forEach((one) => walk(one, depth + 1));
    };
    this.root.below.forEach((one) => walk(one, 0));
    return found;
  }

  draw() {
    const focused = this.box.contains(document.activeElement);
    this.shown = this.rows();
    if (!this.shown.some(({ node }) => node === this.at)) this.at = this.shown[0]?.node ?? null;
    this.box.replaceChildren(
      ...this.shown.map(({ node, depth }) => {
        const count = node.below ? [made("span", { class: "n" }, String(leaves(node)))] : [];
        const attributes = {
          role: "treeitem",
          class: node.below ? "group" : "value",
          draggable: "true",
          tabindex: node === this.at ? "0" : "-1",
          style: `--depth: ${depth}`,
          "aria-level": depth + 1,
          "aria-selected": String(this.chosen.has(node)),
        };
        return made("div", attributes, made("span", { class: "label" }, node.name), ...count);
      }),
    );
    if (focused) this.focus(this.at);
  }

  node(target) {
    const row = target.closest?.("[role=treeitem]");
    return row ? this.shown[[...this.box.children].indexOf(row)].node : null;
  }

  focus(node) {
    const place = this.shown.findIndex((one) => one.node === node);
    if (place < 0) return;
    for (const row of this.box.children) row.tabIndex = -1;
    this.at = node;
    this.box.children[place].tabIndex = 0;
    this.box.children[place].focus();
  }

  toggle(node) {
    this.chosen[this.chosen.has(node) ? "delete" : "add"](node);
    this.at = node;
    this.draw();
    this.focus(node);
  }

  clicked(event) {
    const node = event.target.tagName !== "INPUT" && this.node(event.target);
    if (node) this.toggle(node);
  }

  // What is moved: all that is selected, or else one; nothing goes into itself.
  move(group, one = this.at) {
    const all = this.shown.map(({ node }) => node).filter((node) => this.chosen.has(node));
    const moved = (all.length ? all : [one]).filter((node) => node && node !== group && !within(group, node));
    const tops = moved.filter((node) => !moved.some((other) => other !== node && within(node, other)));
    for (const node of tops) {
      node.above.below.splice(node.above.below.indexOf(node), 1);
      node.above = group;
      group.below.push(node);
    }
    emptied(this.root);
    this.chosen.clear();
    this.at = tops[0] ?? this.at;
    this.write();
  }

  group(name) {
    const first = this.shown.find(({ node }) => this.chosen.has(node))?.node ?? this.at;
    if (!first || !name.trim()) return false;
    if (!this.chosen.size) this.chosen.add(first);
    const made = { name: name.trim(), below: [], above: first.above };
    first.above.below.splice(first.above.below.indexOf(first), 0, made);
    this.move(made);
    this.at = made;
    this.draw();
    return true;
  }

  out() {
    const first = this.shown.find(({ node }) => this.chosen.has(node))?.node ?? this.at;
    if (first?.above?.above) this.move(first.above.above, first);
  }

  dissolve(node) {
    if (!node?.below) return;
    const { above } = node;
    for (const one of node.below) one.above = above;
    above.below.splice(above.below.indexOf(node), 1, ...node.below);
    this.at = node.below[0] ?? above;
    this.chosen.delete(node);
    this.write();
  }

  rename(node) {
    if (!node?.below) return;
    const row = this.box.children[this.shown.findIndex((one) => one.node === node)];
    const input = made("input", { type: "text", "aria-label": this.box.dataset.rename });
    input.value = node.name;
    row.draggable = false;
    row.querySelector(".label").replaceChildren(input);
    input.focus();
    const done = (kept) => {
      if (kept && input.value.trim()) node.name = input.value.trim();
      row.draggable = true;
      kept ? this.write() : this.draw();
      this.focus(node);
    };
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter" || event.key === "Escape") done(event.key === "Enter");
    });
  }

  pressed(event) {
    const place = this.shown.findIndex(({ node }) => node === this.at);
    const groups = this.shown.filter(({ node }) => node.below).map(({ node }) => node);
    const outside = (group) => group !== this.at?.above && group !== this.at && !within(group, this.at);
    const before = groups.filter((group) => outside(group) && this.place(group) < place).at(-1);
    const after = groups.find((group) => outside(group) && this.place(group) > place);
    const last = this.shown.length - 1;
    const steps = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: last };
    const moves = { ArrowUp: before, ArrowDown: after };
    if (event.altKey && moves[event.key]) this.move(moves[event.key]);
    else if (event.altKey && event.key === "ArrowLeft") this.out();
    else if (!event.altKey && event.key in steps) this.focus(this.shown[Math.min(Math.max(steps[event.key], 0), last)].node);
    else if (event.key === " ") this.toggle(this.at);
    else if (event.key === "Enter" && this.at?.below && this.chosen.size) this.move(this.at);
    else if (event.key === "F2") this.rename(this.at);
    else if (event.key === "Delete") this.dissolve(this.at);
    else return;
    event.preventDefault();
  }

  place(node) {
    return this.shown.findIndex((one) => one.node === node);
  }

  lifted(event) {
    const node = this.node(event.target);
    if (!node) return;
    if (!this.chosen.has(node)) this.chosen = new Set([node]);
    this.at = node;
    event.dataTransfer.setData("text/plain", node.name);
    event.dataTransfer.effectAllowed = "move";
  }

  target(event) {
    const node = this.node(event.target);
    return node ? (node.below ? node : node.above) : this.root;
  }

  over(event) {
    if (!this.chosen.size) return;
    event.preventDefault();
    const group = this.target(event);
    [...this.box.children].forEach((row, place) => row.classList.toggle("over", this.shown[place].node === group));
  }

  dropped(event) {
    event.preventDefault();
    if (this.chosen.size) this.move(this.target(event));
  }
}

const emptied = (node) => {
  // a group that nothing is in any more goes
  node.below = node.below?.filter((one) => (emptied(one), holds(one))) ?? null;
};
const holds = (node) => (node.below ? node.below.some(holds) : true);
const leaves = (node) => (node.below ? node.below.reduce((sum, one) => sum + leaves(one), 0) : 1);
const within = (node, group) => {
  for (let at = node; at; at = at.above) if (at === group) return true;
  return false;
};

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-tree-does]");
  const tree = button && editors.get(document.querySelector("[data-tree]"));
  if (!tree) return;
  const name = document.getElementById("group-name");
  if (button.dataset.treeDoes === "out") tree.out();
  else if (tree.group(name.value)) put(name, "");
  else name.focus();
});

// --- cut points ---

class Cuts {
  constructor(box) {
    this.box = box;
    this.field = document.getElementById(box.dataset.cuts);
    this.low = Number(box.dataset.low);
    this.high = Number(box.dataset.high);
    this.heights = box.dataset.heights.split(" ").map(Number);
    this.step = 10 ** Math.floor(Math.log10((this.high - this.low || 1) / 40));
    box.addEventListener("pointerdown", (event) => this.down(event));
    box.addEventListener("pointermove", (event) => this.held !== undefined && this.drag(event));
    box.addEventListener("pointerup", () => this.rest());
    box.addEventListener("keydown", (event) => this.pressed(event));
  }

  read(text) {
    this.text = text;
    const levels = text.split("/").map((level) => level.split(",").map((one) => one.trim()).filter(Boolean).map(Number));
    const all = [...new Set(levels.flat())].filter(Number.isFinite).sort((a, b) => a - b);
    this.cuts = all.map((at) => ({ at, levels: levels.filter((level) => level.includes(at)).length }));
    this.draw();
  }

  write() {
    this.cuts.sort((a, b) => a.at - b.at);
    const most = Math.max(0, ...this.cuts.map((cut) => cut.levels));
    const level = (number) => this.cuts.filter((cut) => cut.levels >= number).map((cut) => cut.at);
    this.text = Array.from({ length: most }, (_, place) => level(place + 1).join(", ")).join(" / ");
    put(this.field, this.text);
    this.draw();
  }

  share(at) {
    return Math.min(Math.max((at - this.low) / (this.high - this.low || 1), 0), 1);
  }

  round(at) {
    return Number((Math.round(at / this.step) * this.step).toPrecision(10));
  }

  draw() {
    const focused = this.box.contains(document.activeElement) ? document.activeElement.dataset.cut : null;
    const most = Math.max(1, ...this.cuts.map((cut) => cut.levels));
    const bars = this.heights.map((height) => made("i", { style: `height: ${100 * height}%` }));
    const handles = this.cuts.map((cut, place) =>
      made("button", {
        type: "button",
        role: "slider",
        class: "cut",
        "data-cut": place,
        style: `left: ${100 * this.share(cut.at)}%; height: ${30 + (70 * cut.levels) / most}%`,
        "aria-label": this.box.dataset.label,
        "aria-valuemin": this.low,
        "aria-valuemax": this.high,
        "aria-valuenow": cut.at,
        "aria-valuetext": this.box.dataset.says.replace("%a", cut.at).replace("%l", cut.levels),
      }, made("span", {}, String(cut.at))),
    );
    this.box.replaceChildren(made("div", { class: "bars", "aria-hidden": "true" }, ...bars), ...handles);
    if (focused !== null) this.box.querySelector(`[data-cut="${focused}"]`)?.focus();
  }

  value(event) {
    const box = this.box.getBoundingClientRect();
    return this.round(this.low + (this.high - this.low) * Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1));
  }

  down(event) {
    const handle = event.target.closest("[data-cut]");
    if (handle) this.held = Number(handle.dataset.cut);
    else {
      const at = this.value(event);
      if (this.cuts.some((cut) => cut.at === at)) return;
      this.cuts.push({ at, levels: 1 });
      this.write();
      this.held = this.cuts.findIndex((cut) => cut.at === at);
    }
    this.box.setPointerCapture(event.pointerId);
    this.box.querySelector(`[data-cut="${this.held}"]`)?.focus();
    event.preventDefault();
  }

  drag(event) {
    const at = this.value(event);
    if (this.cuts.some((cut, place) => place !== this.held && cut.at === at)) return;
    this.cuts[this.held].at = at;
    this.draw();
  }

  rest() {
    if (this.held === undefined) return;
    this.held = undefined;
    this.write();
  }

  pressed(event) {
    const place = Number(event.target.dataset?.cut ?? NaN);
    const cut = this.cuts[place];
    if (!cut) return;
    const by = { ArrowLeft: -this.step, ArrowRight: this.step }[event.key];
    const higher = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (by) {
      const at = this.round(cut.at + by);
      if (at > this.low && at <= this.high && !this.cuts.some((one) => one.at === at)) cut.at = at;
    } else if (higher) cut.levels = Math.min(Math.max(cut.levels + higher, 1), 6);
    else if (event.key === "Delete" || event.key === "Backspace") this.cuts.splice(place, 1);
    else return;
    event.preventDefault();
    const { at } = cut;
    this.write();
    const now = this.cuts.findIndex((one) => one.at === at);
    this.box.querySelector(`[data-cut="${Math.max(now, 0)}"]`)?.focus();
  }
}

// --- both ---

const KINDS = [["[data-tree]", Tree], ["[data-cuts]", Cuts]];
const attendEditors = () => {
  for (const [selector, Kind] of KINDS) {
    for (const box of document.querySelectorAll(selector)) {
      if (!editors.has(box)) editors.set(box, new Kind(box));
      const editor = editors.get(box);
      editor.field = document.getElementById(box.dataset.tree ?? box.dataset.cuts);
      if (editor.held === undefined && editor.field && editor.field.value !== editor.text) editor.read(editor.field.value);
    }
  }
};
new MutationObserver(attendEditors).observe(document.documentElement, { childList: true, attributes: true, subtree: true });
document.addEventListener("input", attendEditors);
attendEditors();
