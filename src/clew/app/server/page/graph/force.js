// Places by forces, computed in a worker so that the page stays responsive.

// counts and pairs in, Promise of Float64Array [x, y, x, y, ...] out.
export function force(count, pairs, { signal } = {}) {
  return new Promise((resolve, reject) => {
    const worker = new Worker("/page/graph/force-worker.js", { type: "module" });
    const end = (settle, value) => {
      worker.terminate();
      settle(value);
    };
    signal?.addEventListener("abort", () => end(reject, new DOMException("stopped", "AbortError")), { once: true });
    worker.onmessage = ({ data }) => end(resolve, data);
    worker.onerror = () => end(reject, new Error("The layout worker could not start. Reload the page."));
    worker.postMessage({ count, pairs });
  });
}
