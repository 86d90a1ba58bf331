// The sentences of an answer as the page shows them.

const START = /(?<=\.)\s+(?=[A-Z])/; // of a further sentence

// What heads the answer, without the list of names where a table of them follows; and what is said after it.
export function headed(answer) {
  const colon = answer.text.indexOf(": ");
  if (!answer.abstained && answer.items.length > 3 && colon > 0 && answer.kind !== "exists") return { lead: answer.text.slice(0, colon), rest: "" };
  const [lead, ...rest] = (answer.abstained ?? answer.text).split(START);
  return { lead: rest.length ? lead : lead.replace(/\.$/, ""), rest: rest.join(" ") };
}
