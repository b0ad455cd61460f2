import type { Session } from "@clew-run/client";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import type { Output } from "./output";
import { OutputView } from "./OutputView";

const blockSize = 5;
const margin = "400px 0px";

/** The outputs of a cell. Of many, those far from view are an empty place as high as they were. */
export function OutputList({ session, list, n }: { session: Session; list: readonly Output[]; n: number }) {
  const blocks = useMemo(() => Array.from({ length: Math.ceil(list.length / blockSize) }, (_, i) => list.slice(i * blockSize, (i + 1) * blockSize)), [list]);
  if (blocks.length <= 1) return list.map((o) => <OutputView key={o.key} session={session} output={o} n={n} />);
  return blocks.map((outputs, i) => <Block key={i} session={session} outputs={outputs} n={n} />);
}

const Block = memo(function Block({ session, outputs, n }: { session: Session; outputs: readonly Output[]; n: number }) {
  const host = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  const [near, setNear] = useState(false);
  useEffect(() => {
    const el = host.current!;
    const observer = new IntersectionObserver((entries) => {
      const e = entries.at(-1)!;
      if (!e.isIntersecting && el.childElementCount > 0) height.current = e.boundingClientRect.height;
      setNear(e.isIntersecting);
    }, { root: el.closest("[data-cells]"), rootMargin: margin });
    observer.observe(el);
    return () => observer.disconnect();
  }, []);
  const away = { height: height.current || outputs.reduce((sum, o) => sum + 8 + guess(o), -8) };
  return (
    <div ref={host} className="flex min-w-0 flex-col gap-2" style={near ? undefined : away}>
      {near && outputs.map((o) => <OutputView key={o.key} session={session} output={o} n={n} />)}
    </div>
  );
});

/** About how high an output is before it was seen. */
function guess(o: Output): number {
  if (o.kind === "stream") return 18 * o.text.slice(0, 2_000).split("\n", 20).length;
  if (o.kind === "error") return 120;
  return Object.keys(o.data).every((type) => type === "text/plain") ? 18 : 240;
}
