// What a language model would read about the question: fetched when it is opened.
import { graphPath, post } from "../server/api.js";
import { h } from "../ui/dom.js";
import { copy } from "../ui/download.js";
import { empty, failed, loading } from "../ui/notice.js";
import { count, number } from "../ui/words.js";

export function contextOf(graph, question, { signal }) {
  const place = h("div");
  const element = h("details", { class: "context" }, h("summary", {}, "Context for a language model"), place);
  element.addEventListener("toggle", () => { if (element.open && !place.children.length) fetchContext(); });

  async function fetchContext() {
    place.replaceChildren(loading("Fetching the context"));
    try {
      const found = await post(graphPath(graph, "/context"), { question }, { signal });
      place.replaceChildren(...(found.lines.length ? shown(found) : [nothing(found)]));
    } catch (error) {
      if (error.name !== "AbortError") place.replaceChildren(failed(error, { again: fetchContext }));
    }
  }

  return element;
}

function nothing({ entities }) {
  return entities.length
    ? empty("No statement about the question is short enough.", "The command line takes a larger budget: clew context --budget.")
    : empty("No entity of this graph is named in the question.", "Name one: the question field completes names.");
}

function shown(found) {
  return [
    h("pre", { class: "code", tabindex: "0", role: "region", "aria-label": "Context" }, found.text),
    h("p", { class: "row" },
      h("button", { type: "button", class: "plain", onclick: (event) => copy(event.currentTarget, found.text) }, "Copy"),
      h("span", { class: "quiet" }, `${count(found.lines.length, "line")}, about ${count(found.tokens, "token")}${found.left_out ? `; ${number(found.left_out)} more did not fit` : ""}. Ranked by ${found.ranking}.`)),
  ];
}
