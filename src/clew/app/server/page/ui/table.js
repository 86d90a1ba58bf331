// A table of records with copy and downloads; long ones show their first rows.
import { h } from "./dom.js";
import { copy, csv, save, tabbed } from "./download.js";
import { number } from "./words.js";


// columns: [{ name, value: (record) => text or number, cell?: (record) => element, numeric? }]
export function table(name, columns, records, { file = "clew", note = null, first = 10 } = {}) {
  const body = h("tbody");
  const heads = columns.map((each) => each.name);
  const rows = () => records.map((record) => columns.map((each) => each.value(record)));
  const more = h("button", { type: "button", class: "plain", onclick: () => fill(records.length) }, `Show all ${number(records.length)}`);

  function fill(most) {
    body.replaceChildren(...records.slice(0, most).map((record) => h("tr", {}, columns.map((each) => cell(each, record)))));
    more.hidden = most >= records.length;
  }

  fill(first);
  const objects = () => records.map((record) => Object.fromEntries(columns.map((each) => [each.name, each.value(record) ?? null])));
  return h(
    "section", { class: "table" },
    h("header", {},
      h("h3", {}, name, " ", h("span", { class: "count" }, number(records.length))),
      h("div", { class: "tools" },
        h("button", { type: "button", class: "plain", onclick: (event) => copy(event.currentTarget, tabbed(heads, rows())) }, "Copy"),
        h("button", { type: "button", class: "plain", onclick: () => save(`${file}.csv`, "text/csv", csv(heads, rows())) }, "CSV"),
        h("button", { type: "button", class: "plain", onclick: () => save(`${file}.json`, "application/json", JSON.stringify(objects(), null, 2)) }, "JSON"))),
    note ? h("p", { class: "quiet" }, note) : null,
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
      h("table", {}, h("thead", {}, h("tr", {}, columns.map((each) => h("th", { scope: "col", class: each.numeric ? "numeric" : null }, each.name)))), body)),
    more,
  );
}

function cell(column, record) {
  const value = column.cell ? column.cell(record) : column.value(record);
  const shown = typeof value === "number" ? number(value) : value;
  return h("td", { class: column.numeric ? "numeric" : null }, shown ?? "");
}
