// The list of what was asked before, beside the page.
import { h, icon } from "../ui/dom.js";
import { clear, entries, forget, onChange } from "./history.js";

export function historyList() {
  const list = h("ul", {});
  const element = h("aside", { class: "history", id: "history", "aria-label": "History" },
    h("header", {}, h("h2", {}, "History"), h("button", { type: "button", class: "plain", onclick: clear }, "Clear")), list);

  function fill() {
    const kept = entries();
    element.querySelector("button").hidden = !kept.length;
    list.replaceChildren(...(kept.length ? kept.map(entry) : [h("li", { class: "quiet" }, "Questions and entities that you open are listed here, in this browser only.")]));
  }

  function entry({ address, title, note, graph }) {
    return h("li", {},
      h("a", { href: address, "aria-current": address === location.hash ? "page" : null }, h("span", { class: "title" }, title), h("span", { class: "quiet" }, [graph, note].filter(Boolean).join(" · "))),
      h("button", { type: "button", class: "plain square", "aria-label": `Remove ${title}`, onclick: () => forget(address) }, icon("close")));
  }

  onChange(fill);
  addEventListener("hashchange", fill);
  fill();
  return element;
}
