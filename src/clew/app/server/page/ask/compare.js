// The same question by every strategy, side by side.
import { ask } from "../server/stream.js";
import { h } from "../ui/dom.js";
import { failed, loading } from "../ui/notice.js";
import { CERTAINTY, count, seconds, strategyName } from "../ui/words.js";

const NAMES = 8;

export function compare(graph, body, strategies, { signal, onOpen }) {
  const columns = strategies.map((strategy) => {
    const place = h("div", {}, loading("Waiting"));
    run(place, strategy);
    return h("section", { class: "strategy", "aria-label": strategy }, h("h3", {}, strategyName(strategy)), place);
  });

  async function run(place, strategy) {
    try {
      const answer = await ask(graph, { ...body, strategy }, { signal, report: (event) => event.event === "step" && place.replaceChildren(loading(event.text)) });
      place.replaceChildren(...summary(answer, () => onOpen(strategy)));
    } catch (error) {
      if (error.name !== "AbortError") place.replaceChildren(failed(error, { again: () => run(place, strategy) }));
    }
  }

  return h("div", { class: "strategies" }, columns);
}

function summary(answer, open) {
  const { understanding, execution, text } = answer.usage;
  return [
    h("p", { class: "strong" }, answer.abstained ?? answer.text),
    h("p", { class: "facts" }, h("span", { class: `certainty ${answer.certainty}` }, CERTAINTY[answer.certainty]?.word ?? answer.certainty),
      h("span", {}, count(answer.total, "item")), h("span", {}, count(answer.evidence.triples.length, "triple")),
      h("span", {}, count(answer.usage.calls, "model call")), h("span", {}, seconds(understanding + execution + text))),
    h("ol", {}, answer.items.slice(0, NAMES).map((each) => h("li", {}, each.name))),
    h("p", {}, h("button", { type: "button", class: "small", onclick: open }, "Open this answer")),
  ];
}
