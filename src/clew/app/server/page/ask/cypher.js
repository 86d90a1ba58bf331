// The query that ran, editable: Ctrl+Enter or the button runs what is written.
import { h } from "../ui/dom.js";
import { copy } from "../ui/download.js";

export function cypherEditor(query, run, { opened = false } = {}) {
  const field = h("textarea", { class: "code", spellcheck: "false", autocapitalize: "off", "aria-label": "Cypher query", rows: String(Math.min(12, Math.max(3, query.split("\n").length + 1))), value: query });
  const start = () => field.value.trim() && run(field.value.trim());
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    start();
  });
  return h("details", { class: "cypher", open: opened }, h("summary", {}, "Cypher"),
    field,
    h("p", { class: "row" },
      h("button", { type: "button", onclick: start }, "Run"),
      h("button", { type: "button", class: "plain", onclick: (event) => copy(event.currentTarget, field.value) }, "Copy"),
      h("span", { class: "quiet" }, "Edit and run it again (Ctrl+Enter). Queries only read.")));
}
