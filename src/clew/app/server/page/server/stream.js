// An answer as it comes about: the events of /ask, read line by line.
import { ServerError, graphPath, open } from "./api.js";

export async function* askEvents(graph, body, { signal } = {}) {
  const response = await open(graphPath(graph, "/ask"), body, { signal, accept: "application/x-ndjson" });
  for await (const line of lines(response.body)) yield JSON.parse(line);
}

// The answer of a stream; each other event goes to `report`.
export async function ask(graph, body, { signal, report = () => {} } = {}) {
  let last = {};
  for await (const event of askEvents(graph, body, { signal })) {
    if (event.event === "answer" || event.event === "error") last = event;
    else report(event);
  }
  if (last.answer) return last.answer;
  if (last.error) throw new ServerError(last.error, 400);
  throw new ServerError({ kind: "CutOff", message: "The connection was cut before the answer came. Try again." });
}

async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch((error) => {
      if (error.name === "AbortError") throw error;
      return { done: true };
    });
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    yield* parts.filter((each) => each.trim());
  }
  if (rest.trim()) yield rest;
}
