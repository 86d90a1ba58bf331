// Web addresses of ids and citations, as links; unknown ones are shown as text.
import { h } from "./dom.js";

const PAGES = {
  PMID: (id) => `https://pubmed.ncbi.nlm.nih.gov/${id}/`,
  PMC: (id) => `https://pmc.ncbi.nlm.nih.gov/articles/PMC${id}/`,
  DOI: (id) => `https://doi.org/${id}`,
  HP: (id) => `https://hpo.jax.org/browse/term/HP:${id}`,
  OMIM: (id) => `https://omim.org/entry/${id}`,
  ORPHA: (id) => `https://www.orpha.net/en/disease/detail/${id}`,
  NCBIGene: (id) => `https://www.ncbi.nlm.nih.gov/gene/${id}`,
};

export function address(text) {
  const [, prefix, local] = text.match(/^([A-Za-z]+):(.+)$/s) ?? [];
  if (PAGES[prefix]) return PAGES[prefix](encodeURIComponent(local.trim()).replaceAll("%2F", "/"));
  if (/^https?$/.test(prefix ?? "") && URL.canParse(text) && !/\s/.test(text)) return text;
  return null;
}

export function cited(text) {
  const href = address(text);
  if (!href) return h("span", { class: "id" }, text);
  return h("a", { class: "id", href, target: "_blank", rel: "noopener noreferrer" }, text);
}
