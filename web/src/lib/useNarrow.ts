import { useSyncExternalStore } from "react";

const query = "(max-width: 899.98px)"; // below the token --breakpoint-md

function subscribe(fn: () => void): () => void {
  const m = matchMedia(query);
  m.addEventListener("change", fn);
  return () => m.removeEventListener("change", fn);
}

/** Whether the page is as narrow as a phone's, for what is laid out otherwise there. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
