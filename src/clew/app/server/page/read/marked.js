// A text with its mentions marked by type; negated ones are struck through, uncertain ones dotted.
import { write } from "../state/address.js";
import { typeClass } from "../graph/palette.js";
import { h } from "../ui/dom.js";

export const MARKS = ["negated", "uncertain", "family", "historical"];

// Offsets of the server count characters (code points), those of JavaScript UTF-16 units.
export function marked(text, mentions, graph) {
  const characters = Array.from(text);
  const parts = [];
  let end = 0;
  for (const mention of [...mentions].sort((one, other) => one.start - other.start)) {
    if (mention.start < end) continue;
    parts.push(characters.slice(end, mention.start).join(""), mark(mention, graph));
    end = mention.end;
  }
  parts.push(characters.slice(end).join(""));
  return h("div", { class: "marked", role: "region", "aria-label": "The text with its mentions" }, parts);
}

function mark(mention, graph) {
  const marks = marksOf(mention);
  const { id, name, type } = mention.best ?? {};
  const content = mention.marks.negated ? h("s", {}, mention.text) : mention.text;
  return h("a", { class: ["mention", typeClass(type), ...marks].join(" "), href: id ? write("explore", { graph, entity: id }) : null, title: [name, type, id, ...marks].filter(Boolean).join(" · ") }, content);
}

export function marksOf(mention) {
  return MARKS.filter((each) => mention.marks[each]);
}
