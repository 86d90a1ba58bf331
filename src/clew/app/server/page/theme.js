// Before the first paint: the colours that the reader chose, else those of the system, also when these change.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    let chosen = null;
    try { chosen = localStorage.getItem("clew.theme"); } catch { /* storage is off: follow the system */ }
    const fallback = system.matches ? "dark" : "light";
    document.documentElement.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : fallback;
    dispatchEvent(new Event("clew-theme"));
  };
  apply();
  system.addEventListener("change", apply);
})();
