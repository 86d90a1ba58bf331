// The same question by every strategy, side by side.
import { ask } from "../server/stream.js";
import { h } from "../ui/dom.js";
import { failed, loading } from "../ui/notice.js";
import { CERTAINTY, count, seconds, strategyName } from "../ui/words.js";
import { headed } from "./sentences.js";
import { stepTitle } from "./steps.js";

const NAMES = 8;

export function compare(graph, body, strategies, { signal, onOpen }) {
  const columns = strategies.map((strategy) => {
    const place = h("div", {}, loading("Waiting"));
    run(place, strategy);
    return h("section", { class: "strategy", "aria-label": strategy }, h("h3", {}, strategyName(strategy)), place);
  });

  async function run(place, strategy) {
    try {
      const answer = await ask(graph, { ...body, strategy }, { signal, report: (event) => event.event === "step" && place.replaceChildren(loading(stepTitle(event.step))) });
      place.replaceChildren(...summary(answer, () => onOpen(strategy)));
    } catch (error) {
      if (error.name !== "AbortError") place.replaceChildren(failed(error, { again: () => run(place, strategy) }));
    }
  }

  return h("div", { class: "strategies" }, columns);
}

function summary(answer, open) {
  const { understanding, execution, text } = answer.usage;
  const facts = [
    answer.total ? count(answer.total, "item") : null,
    count(answer.evidence.triples.length, "triple"),
    answer.usage.calls ? count(answer.usage.calls, "model call") : null,
    seconds(understanding + execution + text),
  ].filter(Boolean);
  const { lead, rest } = headed(answer);
  return [
    answer.abstained ? h("p", { class: "kicker" }, "No answer") : null,
    h("p", { class: "strong" }, lead),
    rest ? h("p", { class: "quiet" }, rest) : null,
    answer.abstained ? null : h("p", { class: "facts" }, h("span", { class: `certainty ${answer.certainty}` }, CERTAINTY[answer.certainty]?.word ?? answer.certainty), facts.map((each) => h("span", {}, each))),
    h("ol", {}, answer.items.slice(0, NAMES).map((each) => h("li", {}, each.name))),
    h("p", {}, h("button", { type: "button", class: "small", onclick: open }, "Open this answer")),
  ].filter(Boolean);
}
