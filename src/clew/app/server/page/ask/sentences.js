// The sentences of an answer as the page shows them.

const BREAK = /(?<=\.)\s+(?=[A-Z])/; // between two sentences

// Splits the text of an answer into its headline and the rest; names that a table lists below are cut from the headline.
export function headed(answer) {
  const colon = answer.text.indexOf(": ");
  if (!answer.abstained && answer.items.length > 3 && colon > 0 && answer.kind !== "exists") return { lead: answer.text.slice(0, colon), rest: "" };
  const [lead, ...rest] = (answer.abstained ?? answer.text).split(BREAK);
  return { lead: rest.length ? lead : lead.replace(/\.$/, ""), rest: rest.join(" ") };
}
