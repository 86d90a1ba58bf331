// The ask tab: a question in, its steps as they happen, the answer; the address holds all that it depends on.
import { get, graphPath } from "../server/api.js";
import { ask } from "../server/stream.js";
import { go, write } from "../state/address.js";
import { remember } from "../state/history.js";
import { completeQuestion } from "../ui/completion.js";
import { h, icon, latest } from "../ui/dom.js";
import { announce, failed } from "../ui/notice.js";
import { showAnswer } from "./answer.js";
import { strategyName } from "../ui/words.js";
import { compare } from "./compare.js";
import { cypherEditor } from "./cypher.js";
import { makeSteps } from "./steps.js";

const ALL = "all"; // the strategy that compares them

// context: { graph(), server() }
export function makeAsk(context) {
  const field = h("input", { id: "question", type: "text", maxlength: "5000", placeholder: "Ask in plain English", "aria-label": "Question", enterkeyhint: "search" });
  const layer = select("Statements", { "": "all statements", curated: "curated only", "no-extracted": "none extracted" });
  const subclasses = select("Subclasses", { "": "subclasses if needed", yes: "with subclasses", no: "without subclasses" });
  const strategy = select("Strategy", {});
  const examples = h("div", { class: "examples" });
  const result = h("div", { class: "result", "aria-live": "off" });
  const working = latest();
  const form = h("form", { class: "ask", onsubmit: submit, role: "search" },
    h("div", { class: "question" }, h("div", { class: "complete" }, field), h("button", { class: "primary", "aria-label": "Ask" }, icon("ask"))),
    h("div", { class: "options" }, layer, subclasses, strategy, h("span", { class: "grow" }), h("button", { type: "button", class: "plain", onclick: writeCypher }, "Write Cypher")));
  const greeting = h("div", { class: "greeting" }, h("h1", {}, "Ask the graph"), h("p", { class: "quiet" }));
  const element = h("section", { class: "tab" }, greeting, form, result, examples);
  completeQuestion(field, { graph: context.graph });
  let shownExamples = null;

  function submit(event) {
    event.preventDefault();
    const question = field.value.trim();
    if (!question) return field.focus();
    go("ask", { graph: context.graph(), question, ...options() });
  }

  function options() {
    return { layer: layer.value, subclasses: subclasses.value, strategy: strategy.value };
  }

  function writeCypher() {
    working.stop();
    greeting.hidden = true;
    examples.hidden = true;
    const editor = cypherEditor("", (cypher) => go("ask", { graph: context.graph(), cypher, ...options() }), { opened: true });
    result.replaceChildren(editor);
    editor.querySelector("textarea").focus();
  }

  async function show(values) {
    const signal = working.start();
    const { question = "", cypher = "" } = values;
    const strategies = context.server().strategies;
    fillStrategies(strategy, strategies);
    for (const [control, name] of [[layer, "layer"], [subclasses, "subclasses"], [strategy, "strategy"]]) control.value = values[name] ?? "";
    field.value = question;
    const asked = Boolean(question || cypher);
    greeting.hidden = asked;
    examples.hidden = asked;
    element.classList.toggle("asked", asked);
    describe();
    if (!asked) {
      result.replaceChildren();
      return showExamples();
    }
    const body = bodyOf(values);
    if (values.strategy === ALL) {
      remember({ address: write("ask", values), title: question || cypher, note: "compared", graph: context.graph() });
      return result.replaceChildren(compare(context.graph(), body, strategies, { signal, onOpen: (each) => go("ask", { ...values, strategy: each }) }));
    }
    await answered(values, body, signal);
  }

  async function answered(values, body, signal) {
    const meaning = body.meaning ?? {};
    const again = (change) => go("ask", next(values, change));
    const steps = makeSteps(() => { working.stop(); stopped(values); });
    result.replaceChildren(steps.element);
    try {
      const answer = await ask(context.graph(), body, { signal, report: steps.report });
      result.replaceChildren(showAnswer(answer, { question: body.question, meaning, again, steps: steps.finished(), signal }));
      if (answer.abstained) offerExamples();
      announce(answer.text);
      remember({ address: write("ask", values), title: values.question || values.cypher, note: answer.abstained ? "no answer" : outcome(answer), graph: context.graph() });
    } catch (error) {
      if (error.name === "AbortError") return;
      const parts = [failed(error, { again: () => show(values), choose: (name) => again({ question: name }) })];
      if (values.cypher) parts.push(cypherEditor(values.cypher, (cypher) => again({ cypher }), { opened: true }));
      result.replaceChildren(...parts);
    }
  }

  function stopped(values) {
    result.replaceChildren(h("div", { class: "notice empty" }, h("p", { class: "strong" }, "Stopped."), h("p", {}, h("button", { type: "button", onclick: () => show(values) }, "Ask again"))));
  }

  function describe() {
    const { entities, triples, title } = context.server().graphs.find((each) => each.name === context.graph()) ?? {};
    if (entities !== undefined) greeting.querySelector("p").textContent = `${title || context.graph()}: ${entities.toLocaleString("en")} entities, ${triples.toLocaleString("en")} triples. Every answer shows the triples and sources behind it.`;
  }

  function offerExamples() {
    examples.hidden = false;
    showExamples();
  }

  async function showExamples() {
    if (shownExamples === context.graph()) return;
    shownExamples = context.graph();
    examples.replaceChildren(h("p", { class: "quiet" }, "Preparing examples"));
    try {
      const made = await get(graphPath(shownExamples, "/examples"));
      if (made.graph !== context.graph()) return;
      examples.replaceChildren(h("h2", {}, "Try"), h("ul", {}, made.examples.map(({ question }) => h("li", {}, h("a", { href: write("ask", { graph: made.graph, question }) }, question)))));
    } catch {
      shownExamples = null;
      examples.replaceChildren(); // a help only: the box above works without
    }
  }

  return { element, show, focus: () => field.focus(), leave: () => working.stop() };
}

function bodyOf({ question, cypher, meaning, layer, subclasses, strategy, all }) {
  const body = cypher ? { cypher } : { question };
  if (meaning) body.meaning = readMeaning(meaning);
  if (layer) body.filters = { layer };
  if (all) body.all_evidence = true;
  if (subclasses) body.subclasses = subclasses === "yes";
  if (strategy && strategy !== ALL) body.strategy = strategy;
  return body;
}

function readMeaning(text) {
  try {
    const read = JSON.parse(text);
    return read && typeof read === "object" ? read : {};
  } catch {
    return {};
  }
}

// The values of the address after a change: a meaning goes with its question, a query stands alone.
function next(values, { meaning, cypher, question, all }) {
  const { graph, layer, subclasses, strategy } = values;
  if (cypher) return { graph, cypher, layer, subclasses, strategy };
  if (all) return { ...values, all };
  if (meaning) return { ...values, meaning: JSON.stringify(meaning) };
  return { graph, question, layer, subclasses, strategy };
}

function outcome(answer) {
  if (answer.kind === "exists") return answer.value ? "yes" : "no";
  if (answer.value !== null && typeof answer.value !== "boolean") return Number(answer.value).toLocaleString("en");
  if (!answer.total) return "none";
  return answer.total === 1 && answer.items.length ? answer.items[0].name : answer.total.toLocaleString("en");
}

function select(label, choices) {
  return h("select", { "aria-label": label }, Object.entries(choices).map(([value, words]) => h("option", { value }, words)));
}

function fillStrategies(control, strategies) {
  control.hidden = strategies.length < 2;
  if (control.options.length) return;
  const choices = strategies.map((each, at) => [at ? each : "", strategyName(each)]);
  control.append(...[...choices, [ALL, "Compare all"]].map(([value, words]) => h("option", { value }, words)));
}
