// The state of the page in the fragment, `#tab?name=value`: a link to it shows the same, and no server sees it.

export const TABS = ["ask", "explore", "read"];

export function read(hash = location.hash) {
  const [tab, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return { tab: TABS.includes(tab) ? tab : "ask", values: Object.fromEntries(new URLSearchParams(query)) };
}

export function write(tab, values = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  return query.size ? `#${tab}?${query}` : `#${tab}`;
}

// Go to a state; the same one again is shown again.
export function go(tab, values) {
  const next = write(tab, values);
  if (next === location.hash) dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = next;
}
