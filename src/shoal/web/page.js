// What the page does in the browser itself: clicks told, files dropped, focus and typed text kept, sliders that speak.

const keyed = (key) => document.querySelector(`[data-key="${CSS.escape(key)}"]`);
const ear = () => document.getElementById("ear");

// What is pressed and chosen is told to the page's ear by key, with a number: see events.py.
let number = 0;
const tell = (key, value) => {
  number += 1;
  ear()?.dispatchEvent(new CustomEvent("told", { detail: [key, value, number] }));
  return number;
};

// A field stays as the person left it until the page shows what came of it; what was opened stays open.
const UNTOLD = Infinity;
const left = new Map(); // by key: the value, where the caret stood, what the server had, and the number it was told by
const taken = new Map(); // by the name of a row of choices: the key of the one that was taken, and its number
const opened = new Map();
let had = "";
const types = (target) => target.dataset?.key && target.matches("textarea, input[type=text]");
const slides = (target) => target.dataset?.key && target.matches("input[type=range]");
document.addEventListener("beforeinput", (event) => (had = event.target.value));
document.addEventListener("input", ({ target }) => {
  const { key } = target.dataset ?? {};
  if (slides(target)) left.set(key, { value: target.value, number: UNTOLD });
  if (!types(target)) return;
  const served = left.get(key)?.served ?? had;
  if (target.value === served) left.delete(key);
  else left.set(key, { value: target.value, at: target.selectionEnd, served, number: UNTOLD });
});
document.addEventListener("click", (event) => {
  const summary = event.target.closest?.("summary[data-key]");
  if (summary) setTimeout(() => opened.set(summary.dataset.key, summary.parentElement.open));
});
const restore = () => {
  const heard = Number(ear()?.dataset.heard ?? 0);
  for (const [key, kept] of left) {
    if (kept.number <= heard) left.delete(key);
    const field = keyed(key);
    if (kept.number <= heard || !field || field.value === kept.value) continue;
    kept.served = field.value;
    field.value = kept.value;
    if (types(field)) field.setSelectionRange(kept.at, kept.at);
    say(field);
  }
  for (const [name, { key, number }] of taken) {
    if (number <= heard) taken.delete(name);
    else if (keyed(key)) keyed(key).checked = true;
  }
  for (const key of ticked) if (keyed(key) && !keyed(key).checked) keyed(key).checked = true;
  const field = document.querySelector("[data-filters]");
  if (field?.value) find(field);
  for (const [key, open] of opened) {
    const details = keyed(key)?.closest("details");
    if (details && details.open !== open) details.open = open;
  }
};

// Focus survives a redrawing: the control that had it is looked for by its key.
let focused = null;
document.addEventListener("focusin", (event) => (focused = event.target.dataset?.key ?? null));
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest("a, button, input, select, textarea, summary, label")) focused = null;
});
const follow = () => {
  const address = ear()?.dataset.address; // what is looked at stands in the address
  if (address && address !== location.pathname + location.search) history.replaceState(history.state, "", address);
};
new MutationObserver(() => {
  restore();
  follow();
  if (!focused || document.activeElement !== document.body) return;
  keyed(focused)?.focus({ preventScroll: true });
}).observe(document.documentElement, { childList: true, characterData: true, attributes: true, subtree: true });

// A slider says its value while it moves; the server hears of it when it rests.
const say = (field) => {
  const { says, pattern, stops } = field.dataset ?? {};
  if (!says) return;
  const value = pattern.replace("%", stops ? stops.split(" ")[field.value] : field.value);
  const output = document.getElementById(says);
  if (output.textContent !== value) output.textContent = value;
  if (field.getAttribute("aria-valuetext") !== value) field.setAttribute("aria-valuetext", value);
};
document.addEventListener("input", (event) => say(event.target));

const told = (field) => {
  const { key } = field.dataset;
  const number = tell(key, field.value);
  if (field.type === "radio") taken.set(field.name, { key, number });
  else left.set(key, { ...left.get(key), value: field.value, at: field.selectionEnd, number });
};
const press = (control) => {
  const from = control.dataset.from && document.getElementById(control.dataset.from);
  if (control.disabled) return;
  const picked = control.dataset.selected && selected(control.dataset.selected);
  const number = tell(control.dataset.key, from ? from.value : picked || null);
  if (from && left.has(from.dataset.key)) left.get(from.dataset.key).number = number;
};
const pressable = (target) => target.closest?.('[data-tells="press"]');
document.addEventListener("click", (event) => pressable(event.target) && press(pressable(event.target)));
document.addEventListener("change", (event) => {
  const { tells, key } = event.target.dataset ?? {};
  if (tells === "value") told(event.target);
  if (tells === "file" && event.target.files[0]) {
    send(event.target.closest(".drop"), event.target.files[0], (refused) => tell(key, refused));
    event.target.value = "";
  }
});

// The browser knows of no change in a field that was drawn anew with what had been typed: it is told all the same.
const untold = (target) => target.dataset?.tells === "value" && left.get(target.dataset.key)?.number === UNTOLD;
document.addEventListener("focusout", ({ target }) =>
  setTimeout(() => target.isConnected && document.activeElement !== target && untold(target) && told(target)),
);
document.addEventListener("keyup", ({ key, target }) => key === "Enter" && untold(target) && told(target));

// What was pressed and released at one place was clicked, wherever the control has gone meanwhile.
const NEAR = 12; // pixels
let down = null; // the key of what was pressed, and where
const control = (target) => pressable(target) ?? target.closest?.("label")?.querySelector("[type=radio]") ?? null;
document.addEventListener("pointerdown", (event) => {
  const key = event.button === 0 && control(event.target)?.dataset.key;
  down = key ? { key, x: event.clientX, y: event.clientY } : null;
});
document.addEventListener("click", (event) => down && control(event.target)?.dataset.key === down.key && (down = null), true);
document.addEventListener("pointerup", (event) =>
  setTimeout(() => {
    const lost = down && Math.hypot(event.clientX - down.x, event.clientY - down.y) < NEAR && keyed(down.key);
    down = null;
    if (lost) lost.click();
  }),
);

// Many lines of a table: those that are selected, those that are found, and a role by its key.
const ticked = new Set(); // by key: boxes that were pressed stay so when their line is drawn anew
const selected = (table) => {
  const boxes = document.querySelectorAll(`input[data-select="${table}"]:checked`);
  return [...boxes].filter((box) => !box.closest("tr").hidden).map((box) => box.value);
};
document.addEventListener("change", ({ target }) => {
  if (target.dataset?.select) ticked[target.checked ? "add" : "delete"](target.dataset.key);
});
const find = (field) => {
  const word = field.value.trim().toLowerCase();
  for (const row of document.querySelectorAll(`#${field.dataset.filters} tr:not(.head)`)) {
    const hidden = !row.querySelector("th").textContent.toLowerCase().includes(word);
    if (row.hidden !== hidden) row.hidden = hidden; // what is the same is no change, and is looked at no more
  }
};
document.addEventListener("input", ({ target }) => target.dataset?.filters && find(target));
document.addEventListener("keydown", (event) => {
  const row = event.target.closest?.("tr");
  const place = "12345".indexOf(event.key);
  if (!row || place < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
  const radio = row.querySelectorAll("[type=radio]")[place];
  const give = selected("columns").length && keyed(`give-${radio?.value}`);
  if (radio) event.preventDefault(), (give || radio).click();
});

// A file is sent as it is, in one stream, to where the drop zone says; the answer is shown by the server.
const send = (zone, file, answered) => {
  if (file.size > Number(zone.dataset.limit)) return answered(zone.dataset.large);
  const bar = zone.querySelector("progress");
  const request = new XMLHttpRequest();
  request.upload.onprogress = (event) => {
    bar.hidden = false;
    bar.value = event.total ? event.loaded / event.total : 0;
  };
  request.onloadend = () => {
    bar.hidden = true;
    answered(request.status === 200 ? "" : request.responseText || zone.dataset.lost);
  };
  const more = encodeURIComponent(zone.dataset.more ?? "");
  request.open("POST", `${zone.dataset.url}?name=${encodeURIComponent(file.name)}&more=${more}`);
  request.send(file);
};
for (const kind of ["dragover", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (event.target.type !== "file") event.preventDefault(); // a file beside the zone is not opened
    event.target.closest?.(".drop")?.classList.toggle("over", kind === "dragover");
  });
}
document.addEventListener("dragleave", (event) => event.target.closest?.(".drop")?.classList.remove("over"));

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-copies]");
  if (!button) return;
  navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
  const label = button.textContent;
  if (label === button.dataset.copied) return;
  button.textContent = button.dataset.copied;
  setTimeout(() => (button.textContent = label), 1500);
});

// Another language: the page is asked for anew, and says all of it in that.
document.addEventListener("change", ({ target }) => {
  if (!target.dataset?.cookie) return;
  document.cookie = `${target.dataset.cookie}=${target.value}; path=/; samesite=strict; max-age=31536000`;
  location.reload();
});

// A tab whose server is gone says so, and cannot be used.
const stands = (how) => {
  const box = document.getElementById("ended");
  if (!box) return;
  box.hidden = how === "well";
  for (const said of box.querySelectorAll("[data-when]")) said.hidden = said.dataset.when !== how;
  for (const one of document.querySelectorAll(".top, .frame")) one.inert = how !== "well";
};
let lost = false;
const ask = async () => {
  if (!lost) return;
  try {
    const answer = await fetch("/alive", { cache: "no-store" });
    const same = answer.ok && (await answer.text()) === ear()?.dataset.session;
    if (lost) stands(same ? "lost" : "ended");
  } catch {
    if (lost) stands("ended");
  }
  setTimeout(ask, 1000);
};
const attend = () => {
  if (!window.socket) return setTimeout(attend, 50);
  window.socket.on("disconnect", () => {
    lost = true;
    stands("lost");
    ask();
  });
  window.socket.on("connect", () => {
    lost = false;
    stands("well");
  });
};
attend();
