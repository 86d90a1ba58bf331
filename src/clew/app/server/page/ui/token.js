// Asks the reader for the server's token; it is kept for this tab of the browser, and sent as a header only.
import { h } from "./dom.js";

export function askToken(refused) {
  return new Promise((resolve) => {
    const field = h("input", { type: "password", autocomplete: "off", required: true, "aria-label": "Token" });
    const dialog = h("dialog", { class: "token", "aria-label": "Token" },
      h("form", { method: "dialog" },
        h("h2", {}, refused ? "The token was not accepted" : "This server needs a token"),
        h("p", { class: "quiet" }, "Enter the token from CLEW_TOKEN or the server's token file. It is kept until you close this tab."),
        field,
        h("p", { class: "row" }, h("button", { class: "primary", value: "ok" }, "Continue"), h("button", { type: "button", class: "plain", onclick: () => dialog.close() }, "Cancel"))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "ok" ? field.value.trim() : null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
