// Starts the page: which graphs there are, which tab the address names, colours, history.
import { makeAsk } from "./ask/ask.js";
import { makeExplore } from "./explore/explore.js";
import { isDark, setTypes } from "./graph/palette.js";
import { makeRead } from "./read/read.js";
import { get, graphPath, onTokenNeeded } from "./server/api.js";
import { TABS, go, read, write } from "./state/address.js";
import { historyList } from "./state/history-list.js";
import { h, icon } from "./ui/dom.js";
import { failed } from "./ui/notice.js";
import { askToken } from "./ui/token.js";

const TITLES = { ask: "Ask", explore: "Explore", read: "Read" };
const PATIENCE = 400; // milliseconds that a tab waits for the colours
const main = document.querySelector("main");
const picker = document.getElementById("graph");
const context = { graph: () => picker.value, server: () => server };
let server = null;
let tabs = null;
let current = null;
let coloured = null;
let askingForToken = null; // one dialog for all calls that wait

onTokenNeeded((refused) => {
  askingForToken ??= askToken(refused).finally(() => { askingForToken = null; });
  return askingForToken;
});

async function start() {
  try {
    server = await get("/api/server");
  } catch (error) {
    return main.replaceChildren(failed(error, { again: start }));
  }
  picker.replaceChildren(...server.graphs.map(({ name }) => h("option", { value: name }, name)));
  picker.closest("label").hidden = false;
  tabs = { ask: makeAsk(context), explore: makeExplore(context), read: makeRead(context) };
  addEventListener("hashchange", route);
  await route();
}

async function route() {
  const { tab, values } = read();
  if (values.graph && !server.graphs.some((each) => each.name === values.graph)) {
    const names = server.graphs.map((each) => each.name);
    return main.replaceChildren(failed({ kind: "UnknownName", message: `This server has no graph “${values.graph}”`, close: names }, { choose: (name) => go(tab, { ...values, graph: name }) }));
  }
  if (values.graph) picker.value = values.graph;
  await Promise.race([colour(), new Promise((done) => setTimeout(done, PATIENCE))]);
  for (const link of document.querySelectorAll("nav a")) {
    link.href = write(link.dataset.tab, { graph: context.graph() });
    if (link.dataset.tab === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = [values.question || values.entity || TITLES[tab], context.graph(), "Clew"].filter(Boolean).join(" · ");
  if (current !== tabs[tab]) {
    current?.leave();
    current = tabs[tab];
  }
  main.replaceChildren(current.element);
  document.body.classList.remove("history-open");
  await current.show(values);
}

// The colours of types follow the graph; if they come late, what is drawn is coloured again.
async function colour() {
  const graph = context.graph();
  if (coloured === graph) return;
  try {
    setTypes((await get(graphPath(graph))).types);
    coloured = graph;
    dispatchEvent(new Event("clew-theme"));
  } catch { /* the tab itself says what is wrong */ }
}

picker.addEventListener("change", () => go(read().tab, { graph: picker.value }));
document.getElementById("theme").append(icon("theme"));
document.getElementById("theme").addEventListener("click", () => {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  try { localStorage.setItem("clew.theme", next); } catch { /* not kept */ }
  dispatchEvent(new Event("clew-theme"));
});
document.getElementById("past").addEventListener("click", (event) => {
  const open = document.body.classList.toggle("history-open");
  event.currentTarget.setAttribute("aria-expanded", String(open));
});
addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    current?.focus();
  } else if (TABS[Number(event.key) - 1] && !document.activeElement?.closest(".drawing")) go(TABS[Number(event.key) - 1], { graph: context.graph() });
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the fragment is the state of the page
  main.focus();
});
document.querySelector(".layout").prepend(historyList());
start();
