// The statements behind a triple: source, documents, the sentence of an extracted one, qualifiers.
import { post, graphPath } from "../server/api.js";
import { h } from "../ui/dom.js";
import { cited } from "../ui/links.js";
import { ORIGIN, count, relationWords } from "../ui/words.js";

const MOST_SHOWN = 12;

// Triples with their assertions; those that came without are fetched once and kept on the triple itself.
export async function withAssertions(graph, snapshot, triples, { signal } = {}) {
  const missing = triples.filter((each) => !each.assertions).map((each) => each.triple);
  if (missing.length) {
    const listed = await post(graphPath(graph, "/triples"), { snapshot, numbers: missing }, { signal });
    const byNumber = new Map(listed.triples.map((each) => [each.triple, each]));
    for (const each of triples) Object.assign(each, byNumber.get(each.triple));
  }
  return triples;
}

export function tripleParts(triple) {
  return h(
    "article", { class: "triple" },
    h("p", { class: "statement-line" }, h("b", {}, triple.subject_name), " ", h("span", { class: "relation" }, `${triple.negated ? "not " : ""}${relationWords(triple.relation)}`), " ", h("b", {}, triple.object_name)),
    h("p", {}, h("span", { class: `origin ${triple.origin}` }, ORIGIN[triple.origin] ?? triple.origin)),
    (triple.assertions ?? []).map(assertionParts),
  );
}

function assertionParts(assertion) {
  const { sentence, ...qualifiers } = assertion.qualifiers ?? {};
  const documents = [...new Set([assertion.document, ...(assertion.evidence ?? [])].filter(Boolean))];
  const details = [
    ...Object.entries(qualifiers).map(([name, value]) => [relationWords(name), value]),
    ["confidence", assertion.confidence?.toFixed(2)],
    ["knowledge level", words(assertion.knowledge_level)],
    ["stated by", words(assertion.agent_type)],
    ["valid from", assertion.valid_from], ["valid to", assertion.valid_to],
    ["licence", assertion.license],
  ].filter(([, value]) => value);
  return h(
    "div", { class: "assertion" },
    h("p", { class: "strong" }, [assertion.source, assertion.source_version].filter(Boolean).join(" "), assertion.negated ? h("span", { class: "origin negated" }, "negated") : null),
    sentence ? h("blockquote", {}, sentence) : null,
    documents.length ? h("p", { class: "documents" }, documents.slice(0, MOST_SHOWN).map((each) => [cited(each), " "]), documents.length > MOST_SHOWN ? `and ${documents.length - MOST_SHOWN} more` : null) : null,
    details.length ? h("dl", {}, details.map(([name, value]) => [h("dt", {}, name), h("dd", {}, cited(String(value)))])) : null,
  );
}

function words(value) {
  return value?.replaceAll("_", " ");
}

export function assertionCount(triples) {
  return count(triples.reduce((sum, each) => sum + (each.assertions?.length ?? 0), 0), "statement");
}
