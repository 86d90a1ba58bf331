// What was asked in this browser, newest first; kept in local storage, where a reload finds it.

const KEY = "clew.history";
const MOST = 60;
const listeners = new Set();

export function entries() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((each) => typeof each?.address === "string") : [];
  } catch {
    return [];
  }
}

// entry: address, title, note (a short outcome), graph
export function remember(entry) {
  keep([{ ...entry, at: Date.now() }, ...entries().filter((each) => each.address !== entry.address)].slice(0, MOST));
}

export function forget(address) {
  keep(entries().filter((each) => each.address !== address));
}

export function clear() {
  keep([]);
}

export function onChange(listener) {
  listeners.add(listener);
}

function keep(list) {
  try {
    localStorage.setItem(KEY, JSON.stringify(list));
  } catch { /* storage is off or full: the page works without a history */ }
  for (const each of listeners) each();
}

addEventListener("storage", (event) => {
  if (event.key === KEY) for (const each of listeners) each();
});
