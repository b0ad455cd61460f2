const patienceMs = 1_000;
const lookMs = 20;
const most = 3;

export interface Soon {
  /** Whether it is so, now or in a moment. */
  ask(): Promise<boolean>;
  /** Whoever waits is told that it is not so. */
  close(): void;
}

/**
 * Waits a moment for something to become so. A frame is a process of its own: what a
 * click in it causes may be heard here before the page around it knows that the focus
 * went there. The newest wait, and are told in their order; a page may say things
 * without end.
 */
export function soon(so: () => boolean): Soon {
  const waiting: { until: number; tell: (is: boolean) => void }[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    const now = Date.now();
    while (waiting.length > most || (waiting[0]?.until ?? Infinity) <= now) waiting.shift()!.tell(false);
    if (waiting.length === 0) return;
    if (so()) for (const w of waiting.splice(0)) w.tell(true);
    else timer = setTimeout(look, lookMs);
  };
  return {
    ask: () =>
      new Promise((tell) => {
        waiting.push({ until: Date.now() + patienceMs, tell });
        look();
      }),
    close() {
      clearTimeout(timer);
      for (const w of waiting.splice(0)) w.tell(false);
    },
  };
}
