import { useCallback, useRef, useState } from "react";

/** How long a second click may still belong to a double click. */
const doubleClickMs = 500;

/**
 * Runs one piece of work at a time, and drops what is asked for meanwhile: a
 * double click does a thing once, however fast it was done. The work says by
 * `done` when it has its result, which is then held until a second click is past.
 */
export function useOneAtATime(): {
  busy: boolean;
  run(work: (done: <T>(result: Promise<T>) => Promise<T>) => Promise<void>): Promise<void>;
} {
  const [busy, setBusy] = useState(false);
  const going = useRef(false); // at once: the button is drawn as busy only later
  const run = useCallback(async (work: (done: <T>(result: Promise<T>) => Promise<T>) => Promise<void>) => {
    if (going.current) return;
    going.current = true;
    setBusy(true);
    const past = new Promise<void>((go) => setTimeout(go, doubleClickMs));
    try {
      await work(async (result) => {
        const [r] = await Promise.all([result, past]);
        return r;
      });
    } finally {
      going.current = false;
      setBusy(false);
    }
  }, []);
  return { busy, run };
}
