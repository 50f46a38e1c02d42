/** The colours of the scene, light and dark; the panels' own stand in panels/viewer.css. */

export type ThemeName = "light" | "dark";

export interface Theme {
  /** Background at the upper and at the lower border. */
  sky: [string, string];
  edge: string;
  tangent: string;
  outline: string;
  /** CSS pixels; where it is lighter than the edges, it must reach beyond them. */
  outlineWidth: number;
  gridMinor: string;
  gridMajor: string;
  hover: string;
  selected: string;
  form: string;
  taken: string;
  failed: string;
  added: string;
  removed: string;
  unchanged: string;
  dimension: string;
  axes: [string, string, string];
}

export const THEMES: Record<ThemeName, Theme> = {
  light: {
    sky: ["#f8fafc", "#cdd7e2"], edge: "#18202a", tangent: "#5a6775", outline: "#18202a", outlineWidth: 1.1, gridMinor: "#b9c4d0", gridMajor: "#93a2b3",
    hover: "#ffb020", selected: "#ff7a00", form: "#0a84ff", taken: "#00a37a", failed: "#e5132f", added: "#1a9850", removed: "#d73027",
    unchanged: "#9aa3ad", dimension: "#0b57d0", axes: ["#d12f2f", "#1f8a3b", "#2a5bd7"],
  },
  dark: {
    sky: ["#39424e", "#14181d"], edge: "#06080a", tangent: "#222a33", outline: "#8fa1b4", outlineWidth: 1.9, gridMinor: "#353f4a", gridMajor: "#4d5a68",
    hover: "#ffc452", selected: "#ff9d3b", form: "#4aa8ff", taken: "#2fd3a6", failed: "#ff5468", added: "#3fcf7f", removed: "#ff6b5e",
    unchanged: "#7d8894", dimension: "#8ab4ff", axes: ["#ff6b6b", "#58c975", "#7aa2ff"],
  },
};

/** The theme of the page around: JupyterLab's, VS Code's, else the system's. */
export function surroundingTheme(page: Document = document): ThemeName {
  const lab = page.body.dataset["jpThemeLight"];
  if (lab !== undefined) return lab === "false" ? "dark" : "light";
  const code = page.body.dataset["vscodeThemeKind"];
  if (code !== undefined) return code.includes("dark") ? "dark" : "light";
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Calls back at each change of it. */
export function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  const query = matchMedia("(prefers-color-scheme: dark)");
  query.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    query.removeEventListener("change", changed);
  };
}
