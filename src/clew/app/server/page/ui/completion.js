// A text field that completes entity names: arrow keys choose, Enter takes, Escape closes.
import { get, graphPath } from "../server/api.js";
import { typeDot } from "../graph/palette.js";
import { debounced, h, latest, uniqueId } from "./dom.js";

const PAUSE = 140; // milliseconds after the last key
const LEAST = 2; // characters
const WORDS = 4; // the longest name that is looked for at the end of a question

// Completes the whole value of `field`; `onChoose(entity)` runs when one is taken.
export function completeEntity(field, { graph, onChoose = () => {} }) {
  attach(field, {
    async find(signal) {
      const text = field.value.trim();
      return text.length < LEAST ? [] : found(graph(), text, 8, signal);
    },
    take(entity) {
      field.value = entity.name;
      field.dataset.id = entity.id;
      onChoose(entity);
    },
  });
  field.addEventListener("input", () => delete field.dataset.id);
}

// Completes the name at the end of a question, left of the cursor.
export function completeQuestion(field, { graph }) {
  let start = 0; // where the name that is being typed begins
  attach(field, {
    async find(signal) {
      const before = field.value.slice(0, field.selectionStart ?? field.value.length);
      const words = before.split(/\s+/);
      const endings = [];
      for (let size = Math.min(WORDS, words.length - 1); size >= 1; size--) endings.push(words.slice(-size).join(" "));
      const long = endings.filter((each) => each.length >= 3);
      const lists = await Promise.all(long.map((each) => found(graph(), each, 5, signal)));
      const begun = (each, text) => [each.name, each.matched].some((name) => name.toLowerCase().startsWith(text.toLowerCase()));
      const at = lists.findIndex((list, number) => list.some((each) => begun(each, long[number])));
      if (at < 0) return [];
      const fragment = long[at];
      start = before.length - fragment.length;
      return lists[at].filter((each) => begun(each, fragment) && each.name.toLowerCase() !== fragment.toLowerCase());
    },
    take(entity) {
      field.setRangeText(entity.name, start, field.selectionStart ?? field.value.length, "end");
    },
  });
}

async function found(graph, text, limit, signal) {
  return (await get(graphPath(graph, "/entities"), { text, limit }, { signal })).found;
}

function attach(field, { find, take }) {
  const list = h("ul", { class: "completion", role: "listbox", id: uniqueId("names"), hidden: true, "aria-label": "Matching entities" });
  const search = latest();
  let options = [];
  let active = -1;
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-expanded", "false");
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("autocomplete", "off");
  field.after(list);

  function close() {
    search.stop();
    list.hidden = true;
    active = -1;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  }

  function choose(at) {
    take(options[at]);
    close();
    field.focus();
  }

  function point(at) {
    active = (at + options.length) % options.length;
    [...list.children].forEach((each, number) => each.setAttribute("aria-selected", String(number === active)));
    list.children[active].scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", list.children[active].id);
  }

  const look = debounced(async () => {
    try {
      options = await find(search.start());
    } catch {
      options = []; // completion is a help: without it the field still works
    }
    if (!options.length || document.activeElement !== field) return close();
    list.replaceChildren(...options.map((each, at) => option(each, () => choose(at))));
    list.hidden = false;
    active = -1;
    field.setAttribute("aria-expanded", "true");
    field.removeAttribute("aria-activedescendant");
  }, PAUSE);

  field.addEventListener("input", look);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown") point(active + 1);
    else if (event.key === "ArrowUp") point(active < 0 ? options.length - 1 : active - 1);
    else if ((event.key === "Enter" || event.key === "Tab") && active >= 0) choose(active);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

function option(entity, choose) {
  const also = entity.matched && entity.matched.toLowerCase() !== entity.name.toLowerCase() ? h("span", { class: "quiet" }, ` ${entity.matched}`) : null;
  return h(
    "li",
    { role: "option", id: uniqueId("name"), "aria-selected": "false", onpointerdown: (event) => { event.preventDefault(); choose(); } },
    typeDot(entity.type), h("span", { class: "grow" }, h("b", {}, entity.name), also), h("span", { class: "quiet" }, `${entity.type} · ${entity.id}`),
  );
}
