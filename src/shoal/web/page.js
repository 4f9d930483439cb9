// What the page does in the browser itself: files dropped, focus and typed text kept, values of sliders said while they move.

const keyed = (key) => document.querySelector(`[data-key="${CSS.escape(key)}"]`);

// What is typed survives a redrawing until it is told, and what was opened stays open: both are looked for by key.
const typed = new Map(); // by key: what was typed, where the caret stood, and what the server has
const opened = new Map();
let had = "";
const types = (target) => target.dataset?.key && target.matches("textarea, input[type=text]");
document.addEventListener("beforeinput", (event) => (had = event.target.value));
document.addEventListener("input", ({ target }) => {
  if (!types(target)) return;
  const { key } = target.dataset;
  const served = typed.get(key)?.served ?? had;
  if (target.value === served) typed.delete(key);
  else typed.set(key, { value: target.value, at: target.selectionEnd, served });
});
document.addEventListener("click", (event) => {
  const summary = event.target.closest?.("summary[data-key]");
  if (summary) setTimeout(() => opened.set(summary.dataset.key, summary.parentElement.open));
});
const restore = () => {
  for (const [key, kept] of typed) {
    const field = keyed(key);
    if (!field || field.value === kept.value) continue;
    kept.served = field.value;
    field.value = kept.value;
    field.setSelectionRange(kept.at, kept.at);
  }
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
new MutationObserver(() => {
  restore();
  if (!focused || document.activeElement !== document.body) return;
  keyed(focused)?.focus({ preventScroll: true });
}).observe(document.documentElement, { childList: true, characterData: true, attributes: true, subtree: true });

// A slider says its value while it moves; the server hears of it when it rests.
document.addEventListener("input", (event) => {
  const { says, pattern, stops } = event.target.dataset ?? {};
  if (!says) return;
  const value = stops ? stops.split(" ")[event.target.value] : event.target.value;
  document.getElementById(says).textContent = pattern.replace("%", value);
  event.target.setAttribute("aria-valuetext", pattern.replace("%", value));
});

// What is pressed and chosen is told to the page's ear, by key: see hearing.py.
const tell = (key, value) =>
  document.getElementById("ear")?.dispatchEvent(new CustomEvent("told", { detail: [key, value] }));
const press = (control) => {
  const from = control.dataset.from && document.getElementById(control.dataset.from);
  if (control.disabled) return;
  if (from) typed.delete(from.dataset.key);
  tell(control.dataset.key, from ? from.value : null);
};
const told = ({ dataset, value }) => typed.delete(dataset.key) && tell(dataset.key, value);
const pressable = (target) => target.closest?.('[data-tells="press"]');
document.addEventListener("click", (event) => pressable(event.target) && press(pressable(event.target)));
document.addEventListener("change", (event) => {
  const { tells, key } = event.target.dataset ?? {};
  if (tells === "value") typed.delete(key), tell(key, event.target.value);
  if (tells === "file" && event.target.files[0]) {
    send(event.target.closest(".drop"), event.target.files[0], (refused) => tell(key, refused));
    event.target.value = "";
  }
});

// The browser knows of no change in a field that was drawn anew with what had been typed: it is told all the same.
const untold = (target) => target.dataset?.tells === "value" && typed.has(target.dataset.key);
document.addEventListener("focusout", ({ target }) =>
  setTimeout(() => target.isConnected && document.activeElement !== target && untold(target) && told(target)),
);
document.addEventListener("keyup", ({ key, target }) => key === "Enter" && untold(target) && told(target));

// A button that was drawn anew between press and release was pressed all the same.
let down = null;
document.addEventListener("pointerdown", (event) => (down = pressable(event.target)));
document.addEventListener("pointerup", (event) => {
  const up = pressable(event.target);
  if (down && up && !down.isConnected && up.dataset.key === down.dataset.key) press(up);
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
    answered(request.status === 200 ? "" : request.responseText || "The file did not arrive.");
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

window.shoalCopy = (button, id) => {
  navigator.clipboard.writeText(document.getElementById(id).textContent);
  const said = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = said), 1500);
};
