const patienceMs = 1_000;
const lookMs = 20;
const most = 30;

/**
 * Waits a moment for something to become so, and tells in the order of the calls whether
 * it did. A frame is a process of its own: what a click in it causes may be heard here
 * before the page around it knows that the focus went there.
 */
export function soon(so: () => boolean): () => Promise<boolean> {
  const waiting: { until: number; tell: (was: boolean) => void }[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    const is = so(), now = Date.now();
    while (waiting.length > 0 && (is || waiting[0]!.until <= now)) waiting.shift()!.tell(is);
    if (waiting.length > 0) timer = setTimeout(look, lookMs);
  };
  return () =>
    new Promise((tell) => {
      if (waiting.length >= most) return tell(false); // a page may say things without end
      waiting.push({ until: Date.now() + patienceMs, tell });
      look();
    });
}
