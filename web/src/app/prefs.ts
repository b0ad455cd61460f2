import { create } from "zustand";
import type { Language } from "@/i18n";

/** What a person chose for this browser. It is theirs, not the session's, so it stays here. */
export interface Prefs {
  theme: "system" | "light" | "dark";
  language: Language;
  density: "comfortable" | "compact";
  /** Single letters as shortcuts; some people and some tools need them off. */
  letterKeys: boolean;
  /** Notifications of this page when it is not in view. */
  notify: boolean;
  /** Show model calls, reasoning and other inner workings open. */
  verbose: boolean;
  /** The rail is icons only, also where there is room for more. */
  slimRail: boolean;
}

const key = "clew.prefs";

function fromBrowser(): Prefs {
  const base: Prefs = {
    theme: "system",
    language: navigator.language?.toLowerCase().startsWith("ko") ? "ko" : "en",
    density: "comfortable",
    letterKeys: true,
    notify: false,
    verbose: false,
    slimRail: false,
  };
  try {
    return { ...base, ...(JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Prefs>) };
  } catch {
    return base; // unreadable or forbidden storage is no reason to fail
  }
}

export const usePrefs = create<Prefs>(fromBrowser);

export function setPrefs(change: Partial<Prefs>): void {
  usePrefs.setState(change);
  try {
    localStorage.setItem(key, JSON.stringify(usePrefs.getState()));
  } catch {
    // kept for this page then
  }
}

/** Puts theme, language and density on the document, now and whenever they change. */
export function applyPrefs(): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const p = usePrefs.getState();
    const root = document.documentElement;
    root.dataset.theme = p.theme === "system" ? (dark.matches ? "dark" : "light") : p.theme;
    root.dataset.density = p.density;
    root.lang = p.language;
    const paper = getComputedStyle(root).getPropertyValue("--c-paper");
    if (paper) for (const m of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")) m.content = paper; // a phone's status bar
  };
  apply();
  dark.addEventListener("change", apply);
  const stop = usePrefs.subscribe(apply);
  return () => {
    dark.removeEventListener("change", apply);
    stop();
  };
}
