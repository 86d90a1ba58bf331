"use strict";
// Shows the sources of the triple or the details of the entity under the pointer in the panel; a click pins it.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const panel = document.getElementById("panel");
  const canvas = document.querySelector(".canvas");
  const picture = canvas.querySelector("svg");
  const intro = [...panel.childNodes];
  let pinned = null;

  function make(tag, text, className) {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function cited({ text, link }) {
    if (!link) return make("span", text);
    const made = make("a", text);
    made.href = link;
    made.rel = "noopener noreferrer";
    made.target = "_blank";
    return made;
  }

  function listed(items) {
    const list = make("ul");
    for (const item of items) {
      const entry = make("li");
      entry.append(item);
      list.append(entry);
    }
    return list;
  }

  function renderStatement(statement) {
    const made = make("div", "", "statement");
    made.append(make("p", statement.source));
    if (statement.evidence.length) made.append(listed(statement.evidence.map(cited)));
    const details = make("dl");
    for (const [name, value] of statement.details) details.append(make("dt", name), make("dd", value));
    if (statement.details.length) made.append(details);
    return made;
  }

  function tripleParts(at) {
    const triple = data.triples[at];
    const count = triple.statements.length;
    return [
      make("h2", data.entities[triple.subject].name),
      make("p", `${triple.relation} →`, "quiet"),
      make("h2", data.entities[triple.object].name),
      make("h3", count === 1 ? "1 assertion" : `${count} assertions`),
      ...triple.statements.map(renderStatement),
    ];
  }

  function entityParts(at) {
    const entity = data.entities[at];
    const where = make("p", `${entity.type} · `, "quiet");
    where.append(cited({ text: entity.id, link: entity.link }));
    const triples = data.triples.flatMap((triple, number) => {
      if (triple.subject !== at && triple.object !== at) return [];
      const button = make("button", triple.subject === at
        ? `${triple.relation} → ${data.entities[triple.object].name}`
        : `${triple.relation} ← ${data.entities[triple.subject].name}`);
      button.addEventListener("click", () => pin(["triple", number]));
      return [button];
    });
    return [make("h2", entity.name), where, make("h3", "In this drawing"), listed(triples)];
  }

  function show(selection) {
    for (const old of picture.querySelectorAll(".chosen")) old.classList.remove("chosen");
    if (!selection) return panel.replaceChildren(...intro);
    const [kind, at] = selection;
    for (const part of picture.querySelectorAll(`[data-${kind}="${at}"]`)) part.classList.add("chosen");
    panel.replaceChildren(...(kind === "triple" ? tripleParts(at) : entityParts(at)));
  }

  function pin(selection) {
    pinned = selection;
    show(pinned);
    history.replaceState(null, "", pinned ? `#${pinned.join("-")}` : location.pathname + location.search);
  }

  function pinFromAddress() {
    const [, kind, at] = location.hash.match(/^#(triple|entity)-(\d+)$/) || [];
    const known = kind === "triple" ? data.triples : data.entities;
    if (kind && Number(at) < known.length) pin([kind, Number(at)]);
  }

  for (const part of picture.querySelectorAll(".triple, .entity")) {
    const kind = part.classList.contains("triple") ? "triple" : "entity";
    const selection = [kind, Number(part.dataset[kind])];
    part.addEventListener("pointerenter", () => show(selection));
    part.addEventListener("pointerleave", () => show(pinned));
    part.addEventListener("focus", () => pin(selection));
    part.addEventListener("click", (event) => { event.stopPropagation(); pin(selection); });
  }
  picture.addEventListener("click", () => pin(null));
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") pin(null); });

  // zoom and drag
  const natural = picture.viewBox.baseVal.width;
  let zoom = 1;
  function scale(to) {
    zoom = Math.min(4, Math.max(0.2, to));
    picture.style.width = `${natural * zoom}px`;
    picture.style.maxWidth = "none";
  }
  function fit() {
    scale(Math.max(0.5, Math.min(1, canvas.clientWidth / natural)));
  }
  document.getElementById("larger").addEventListener("click", () => scale(zoom * 1.25));
  document.getElementById("smaller").addEventListener("click", () => scale(zoom / 1.25));
  document.getElementById("fit").addEventListener("click", fit);
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    scale(zoom * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.target.closest(".triple, .entity")) return;
    const start = { x: event.clientX + canvas.scrollLeft, y: event.clientY + canvas.scrollTop };
    const move = (moved) => canvas.scrollTo(start.x - moved.clientX, start.y - moved.clientY);
    canvas.classList.add("dragging");
    addEventListener("pointermove", move);
    addEventListener("pointerup", () => {
      canvas.classList.remove("dragging");
      removeEventListener("pointermove", move);
    }, { once: true });
  });
  fit();
  pinFromAddress();
})();
