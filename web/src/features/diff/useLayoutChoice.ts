import { useCallback, useState } from "react";
import { create } from "zustand";

type Layout = "split" | "stacked";
const place = "clew.diff";

function stored(): Layout | null {
  try {
    const kept = localStorage.getItem(place);
    return kept === "split" || kept === "stacked" ? kept : null;
  } catch {
    return null;
  }
}

const useChoice = create<{ chosen: Layout | null }>(() => ({ chosen: stored() }));

/** How somebody wants differences laid out, on this device; null until they say. */
export function useLayoutChoice(): [Layout | null, (layout: Layout) => void] {
  const chosen = useChoice((s) => s.chosen);
  return [
    chosen,
    (layout) => {
      useChoice.setState({ chosen: layout });
      try {
        localStorage.setItem(place, layout);
      } catch {
        // for this page then
      }
    },
  ];
}

/** How wide an element is, in pixels, as it changes. */
export function useWidth(): [(element: HTMLElement | null) => void, number] {
  const [width, setWidth] = useState(0);
  const watch = useCallback((element: HTMLElement | null) => {
    if (!element || typeof ResizeObserver === "undefined") return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [watch, width];
}
