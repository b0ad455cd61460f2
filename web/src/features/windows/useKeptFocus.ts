import { useEffect, type RefObject } from "react";

const writingMs = 1_000;
const thefts = 3;
const theftsMs = 5_000;

/**
 * Gives the focus back to the field in which a person writes when the page in a frame takes
 * it: browsers let it, and the next letters would be the page's. One that does so again and
 * again is reported.
 */
export function useKeptFocus(frame: RefObject<HTMLIFrameElement | null>, onThief: () => void): void {
  useEffect(() => {
    let writing: { in: HTMLElement; at: number } | null = null;
    let times: number[] = [];
    const onField = (e: Event) => {
      const field =
        e.target instanceof HTMLElement && e.target.matches("input, textarea, select, [contenteditable]")
          ? e.target
          : null;
      const leaves = e instanceof KeyboardEvent && (e.key === "Tab" || e.key === "F6");
      writing = field && !leaves ? { in: field, at: e.timeStamp } : null;
    };
    const onMove = (e: Event) => {
      if (e.target !== writing?.in) writing = null; // they may be on the way into the frame
    };
    const onBlur = (e: FocusEvent) => {
      if (
        !writing ||
        e.target !== window ||
        document.activeElement !== frame.current ||
        e.timeStamp - writing.at > writingMs
      )
        return;
      times = [...times.filter((t) => t > e.timeStamp - theftsMs), e.timeStamp];
      const { in: field } = writing;
      setTimeout(() => field.focus({ preventScroll: true })); // at once, the browser would still give the frame the keys
      if (times.length >= thefts) onThief();
    };
    const fields = ["keydown", "focusin", "pointerdown"];
    for (const type of fields) addEventListener(type, onField, true);
    addEventListener("pointermove", onMove, true);
    addEventListener("blur", onBlur);
    return () => {
      for (const type of fields) removeEventListener(type, onField, true);
      removeEventListener("pointermove", onMove, true);
      removeEventListener("blur", onBlur);
    };
  }, [frame, onThief]);
}
