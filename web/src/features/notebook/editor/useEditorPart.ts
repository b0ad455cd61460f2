import { useEffect, useState } from "react";

const againMs = 3_000;
type Part = typeof import("./mount");
let known: Part | undefined;

/** The editor, once its code is here: it is asked for when a notebook is shown, and the source stands there meanwhile. */
export function useEditorPart(): Part | undefined {
  const [part, setPart] = useState(known);
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (part) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over = false;
    import("./mount").then(
      (m) => {
        known = m;
        if (!over) setPart(m);
      },
      () => {
        if (!over) timer = setTimeout(() => setRound((r) => r + 1), againMs);
      },
    );
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [part, round]);
  return part;
}
