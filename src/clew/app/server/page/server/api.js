// Calls to the server: JSON in and out, the token as a header, every failure one `ServerError` with a sentence.

export class ServerError extends Error {
  constructor({ kind, message, close = [] }, status = 0, retryAfter = null) {
    super(message);
    this.kind = kind;
    this.close = close;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const TOKEN = "clew.token";
let askForToken = null; // () => Promise of a token, or null if the reader closes the dialog

export function onTokenNeeded(ask) {
  askForToken = ask;
}

export function graphPath(graph, rest = "") {
  return `/api/graphs/${encodeURIComponent(graph)}${rest}`;
}

export async function get(path, parameters = {}, { signal } = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of [value].flat()) if (each !== null && each !== undefined && each !== "") query.append(name, each);
  }
  const whole = query.size ? `${path}?${query}` : path;
  return (await send(whole, { signal })).json();
}

export async function post(path, body, { signal } = {}) {
  return (await open(path, body, { signal })).json();
}

// The response itself: for streams and for files.
export async function open(path, body, { signal, accept = "application/json" } = {}) {
  return send(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", Accept: accept },
    signal,
  });
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { ...options.headers, ...credentials() } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError({
      kind: "Offline",
      message: "The server does not answer. Check that clew serve is still running, then try again.",
    });
  }
  if (response.status === 401 && askForToken) {
    const token = await askForToken(sessionStorage.getItem(TOKEN) !== null);
    if (token) {
      sessionStorage.setItem(TOKEN, token);
      return send(path, options);
    }
  }
  if (!response.ok) throw await failure(response);
  return response;
}

function credentials() {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

async function failure(response) {
  const wait = Number(response.headers.get("Retry-After")) || null;
  let error = null;
  try {
    ({ error } = await response.json());
  } catch { /* not JSON: a proxy in between */ }
  error ??= { kind: "Unexpected", message: `The server answered ${response.status} without a reason. Try again.` };
  return new ServerError(error, response.status, wait);
}
