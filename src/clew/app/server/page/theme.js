// Before the first paint: the colours that the reader chose, else those of the system.
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem("clew.theme"); } catch { /* storage is off: follow the system */ }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
