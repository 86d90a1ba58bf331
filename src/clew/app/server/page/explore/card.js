// An entity's card: names, cross-references, properties, and its relations as filters of the neighbourhood.
import { h } from "../ui/dom.js";
import { cited } from "../ui/links.js";
import { typeClass } from "../graph/palette.js";
import { count, number, relationWords } from "../ui/words.js";

const MOST = 24;

// onRelation({ relation, direction }) narrows the neighbourhood to one relation.
export function card(entity, { relation, direction, onRelation }) {
  const { definition, ...properties } = entity.properties;
  return h("article", { class: "card" },
    h("header", {}, h("span", { class: `badge ${typeClass(entity.type)}` }, entity.type), h("h2", {}, entity.name), h("p", { class: "quiet" }, cited(entity.id), ` · ${count(entity.degree, "triple")}`)),
    definition ? h("p", {}, String(definition)) : null,
    entity.synonyms.length ? [h("h3", {}, "Synonyms"), h("p", {}, listed(entity.synonyms))] : null,
    entity.xrefs.length ? [h("h3", {}, "Cross-references"), h("p", { class: "documents" }, entity.xrefs.slice(0, MOST).map((each) => [cited(each), " "]), rest(entity.xrefs))] : null,
    Object.keys(properties).length ? [h("h3", {}, "Properties"), h("dl", {}, Object.entries(properties).map(([name, value]) => [h("dt", {}, relationWords(name)), h("dd", {}, cited([value].flat().join(", ")))]))] : null,
    entity.relations.length ? [h("h3", {}, "Relations"), h("div", { class: "chips" }, entity.relations.map((each) => {
      const on = each.relation === relation && each.direction === direction;
      return h("button", { type: "button", class: "chip", "aria-pressed": String(on), onclick: () => onRelation(on ? {} : each) }, `${each.direction === "out" ? "→" : "←"} ${relationWords(each.relation)} `, h("span", { class: "count" }, number(each.triples)));
    }))] : null);
}

function listed(texts) {
  return [texts.slice(0, MOST).join(" · "), rest(texts)];
}

function rest(list) {
  return list.length > MOST ? ` and ${number(list.length - MOST)} more` : "";
}
