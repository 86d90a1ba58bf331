// Asks a question, lists its steps as they happen, and shows the answer as text.
const at = (id) => document.getElementById(id);
const headers = () => {
  const token = at("token").value;
  return { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
};

async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) yield JSON.parse(line);
  }
}

async function listGraphs() {
  const response = await fetch("/api/server", { headers: headers() });
  if (!response.ok) return;
  const { graphs } = await response.json();
  at("graph").replaceChildren(...graphs.map(({ name }) => new Option(name, name)));
}

at("token").addEventListener("change", listGraphs);
at("ask").addEventListener("submit", async (submitted) => {
  submitted.preventDefault();
  at("steps").replaceChildren();
  at("answer").textContent = "";
  const response = await fetch(`/api/graphs/${encodeURIComponent(at("graph").value)}/ask`, {
    method: "POST",
    headers: { ...headers(), Accept: "application/x-ndjson" },
    body: JSON.stringify({ question: at("question").value }),
  });
  if (!response.ok) {
    at("answer").textContent = (await response.json()).error.message;
    return;
  }
  for await (const event of events(response)) {
    if (event.event === "step") {
      const item = document.createElement("li");
      item.textContent = `${event.step}: ${event.text}`;
      at("steps").append(item);
    } else if (event.event === "answer") {
      at("answer").textContent = `${event.answer.text}\n\n${JSON.stringify(event.answer, null, 1)}`;
    } else if (event.event === "error") {
      at("answer").textContent = event.error.message;
    }
  }
});
listGraphs();
