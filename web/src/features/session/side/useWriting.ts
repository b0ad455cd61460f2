import { useEffect, useState } from "react";

/** After a tap elsewhere things stay where they are for this long, or the tap would miss what it was for. */
const settleMs = 400;

/** Whether somebody writes in the composer: with a keyboard on the screen there is little room for all else. */
export function useWriting(): boolean {
  const [writing, setWriting] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (document.activeElement?.matches("[data-composer]")) setWriting(true);
      else timer = setTimeout(() => setWriting(false), settleMs);
    };
    document.addEventListener("focusin", look);
    document.addEventListener("focusout", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("focusin", look);
      document.removeEventListener("focusout", look);
    };
  }, []);
  return writing;
}
