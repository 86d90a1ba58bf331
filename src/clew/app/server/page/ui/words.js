// Numbers and counts in words.

const NUMBER = new Intl.NumberFormat("en");

export function number(value) {
  return typeof value === "string" ? BigInt(value).toLocaleString("en") : NUMBER.format(value);
}

// count(1, "gene", "genes") is "1 gene"
export function count(value, one, many = `${one}s`) {
  return `${number(value)} ${Number(value) === 1 ? one : many}`;
}

export function seconds(value) {
  if (value < 0.0995) return `${Math.max(1, Math.round(value * 1000))} ms`;
  return value < 10 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`;
}

export function relationWords(relation) {
  return relation.replaceAll("_", " ");
}

const STRATEGIES = { readers: "Two readers", cypher: "First reader", rag: "KG-RAG", adaptive: "Adaptive KG-RAG", local: "Local search", "super-relations": "Super-relations", tog: "Think-on-Graph", "two-rounds": "Two rounds (diagnosis)" };

export function strategyName(strategy) {
  return STRATEGIES[strategy] ?? strategy.replaceAll("_", " ");
}

export const CERTAINTY = {
  sure: { word: "Sure", means: "High confidence in this interpretation of the question." },
  likely: { word: "Likely", means: "The most likely interpretation: compare it with the question." },
  doubtful: { word: "Doubtful", means: "Low confidence: check the interpretation below, or choose another." },
};

export const ORIGIN = {
  curated: "curated",
  extracted: "extracted from text",
  other: "not marked as curated",
};
