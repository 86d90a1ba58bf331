// Rows as files and on the clipboard.

export function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function csv(columns, rows) {
  return [columns, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

export function tabbed(columns, rows) {
  return [columns, ...rows].map((row) => row.map((each) => String(each ?? "").replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n");
}

function quoted(value) {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Copies, and says so on the button for a moment.
export async function copy(button, text) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "The browser does not allow copying";
  }
  setTimeout(() => { button.textContent = before; }, 1600);
}
