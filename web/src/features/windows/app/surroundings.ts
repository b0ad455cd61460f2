import { useSyncExternalStore } from "react";
import { usePrefs } from "@/app/prefs";

/** What a page may take from the page around it. */
export interface Surroundings {
  theme: "light" | "dark";
  locale: string;
}

function themeNow(): "light" | "dark" {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

function watch(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

export function useSurroundings(): Surroundings {
  const theme = useSyncExternalStore(watch, themeNow);
  const locale = usePrefs((p) => p.language);
  return { theme, locale };
}
