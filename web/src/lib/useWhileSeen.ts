import { useEffect, useRef } from "react";

/**
 * Does something now and then while the page is looked at, and at once when
 * somebody comes back to it. Not while a menu or a dialog is open: what it
 * belongs to must not move under a finger.
 */
export function useWhileSeen(work: () => void, everyMs: number): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const look = () => {
      if (!document.hidden && !document.querySelector("dialog[open], :popover-open")) latest.current();
    };
    const timer = setInterval(look, everyMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [everyMs]);
}
