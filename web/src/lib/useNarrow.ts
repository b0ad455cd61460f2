import { useSyncExternalStore } from "react";

/** As the variant `phone` of tokens.css: a phone, upright or lying. */
const phone = "(width < 640px), (width < 900px) and (height < 480px)";
const roomy = "(width >= 1200px)"; // the token --breakpoint-lg

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (fn) => {
      const m = matchMedia(query);
      m.addEventListener("change", fn);
      return () => m.removeEventListener("change", fn);
    },
    () => matchMedia(query).matches,
  );
}

/** Whether the page is a phone's, for what is laid out otherwise there. */
export function useNarrow(): boolean {
  return useMedia(phone);
}

/** Whether there is room for the rail and a panel beside the page; else the rail is icons, and both come over the page when asked for. */
export function useRoomy(): boolean {
  return useMedia(roomy);
}
