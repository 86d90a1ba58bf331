// The steps of an answer as they happen, the place in the queue, and a way to stop.
import { h, icon } from "../ui/dom.js";
import { seconds } from "../ui/words.js";

const TITLES = { names: "Names", plans: "Interpretations", query: "Query", evidence: "Evidence", second: "Second reader", model: "Language model", text: "Wording" };

export function stepTitle(step) {
  return TITLES[step] ?? step;
}

export function makeSteps(stop) {
  const list = h("ol", { class: "steps", "aria-label": "Steps" });
  const now = h("span", {}, "Reading the question");
  const line = h("p", { class: "notice loading", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), now,
    h("button", { type: "button", class: "plain", onclick: stop }, icon("stop"), "Stop"));
  const element = h("div", { class: "progress" }, line, list);

  function report(event) {
    if (event.event === "queued") now.textContent = event.position === 1 ? "Next in the queue" : `Number ${event.position} in the queue`;
    else if (event.event === "waiting") now.textContent = `Still working after ${seconds(event.seconds)}`;
    else if (event.event === "step") {
      now.textContent = "Working";
      list.append(h("li", {}, h("b", {}, stepTitle(event.step)), " ", h("span", { class: event.step === "query" ? "code" : null }, event.text), " ", h("span", { class: "quiet" }, seconds(event.seconds))));
    }
  }

  // What stays on the page beside the answer.
  function finished() {
    if (!list.children.length) return null;
    return h("details", { class: "how" }, h("summary", {}, "Steps"), list);
  }

  return { element, report, finished };
}
