// SPDX-License-Identifier: Apache-2.0
// Light, dark, or as the system has it.

const themes = ["system", "light", "dark"];
const themeKey = "storescope-theme";

/** Storage is not everywhere allowed for a file. */
function storedTheme() {
  try { return localStorage.getItem(themeKey); } catch { return null; }
}

function setTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = byId("theme");
  button.textContent = { system: "◐ System", light: "☀ Light", dark: "☾ Dark" }[theme];
  button.setAttribute("aria-label", `Colours: ${theme}. Change.`);
  button.dataset.theme = theme;
}

function startTheme() {
  const stored = storedTheme();
  setTheme(themes.includes(stored) ? stored : "system");
  byId("theme").hidden = false;
  byId("theme").addEventListener("click", () => {
    const next = themes[(themes.indexOf(byId("theme").dataset.theme) + 1) % themes.length];
    setTheme(next);
    try { localStorage.setItem(themeKey, next); } catch { /* it holds for this page then */ }
  });
}
