import type { Virtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState } from "react";

const enough = 120; // frames; then it is where it is

/**
 * Brings a transcript to its end when it opens. Rows are guessed until they are
 * measured, so it aims until it is there; nothing else may move the view before.
 */
export function useOpening(virtual: Virtualizer<HTMLDivElement, Element>, filled: boolean): boolean {
  const [open, setOpen] = useState(false);
  const latest = useRef(virtual);
  latest.current = virtual;
  useLayoutEffect(() => {
    if (!filled || open) return;
    let frame = 0;
    let tries = 0;
    let still = 0;
    const aim = () => {
      still = tries > 0 && latest.current.isAtEnd(1) ? still + 1 : 0;
      if (still >= 2 || tries++ > enough) return setOpen(true);
      if (still === 0) latest.current.scrollToEnd();
      frame = requestAnimationFrame(aim);
    };
    aim();
    return () => cancelAnimationFrame(frame);
  }, [filled, open]);
  return open;
}
