import type { Session } from "@clew-run/client";
import { memo, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { blocksOf, gap, guessHeight, type OutputBlock } from "./blocks";
import { inTurn } from "./inTurn";
import type { Output } from "./output";
import { OutputView } from "./OutputView";

const sectionSize = 16;
const column = "flex min-w-0 flex-col gap-2"; // the gap of blocks.ts

/**
 * The outputs of a cell. Of many, those far from view are an empty place as high as they
 * were; those that come near are drawn block by block. Sections keep the number of places small.
 */
export function OutputList({ session, list, n }: { session: Session; list: readonly Output[]; n: number }) {
  const held = useRef<readonly OutputBlock[]>([]);
  const heights = useRef(new Map<string, number>()).current;
  const blocks = useMemo(() => (held.current = blocksOf(list, held.current)), [list]);
  if (blocks.length <= 1) return list.map((o) => <OutputView key={o.key} session={session} output={o} n={n} />);
  const sections = Array.from({ length: Math.ceil(blocks.length / sectionSize) }, (_, i) =>
    blocks.slice(i * sectionSize, (i + 1) * sectionSize),
  );
  return sections.map((each, i) => <Section key={i} id={i} session={session} blocks={each} heights={heights} n={n} />);
}

type Heights = Map<string, number>;

function Section({
  id,
  session,
  blocks,
  heights,
  n,
}: {
  id: number;
  session: Session;
  blocks: readonly OutputBlock[];
  heights: Heights;
  n: number;
}) {
  const key = `section ${id}`;
  const [host, near] = useNear(key, heights, "1200px 0px");
  const height = () =>
    heights.get(key) ?? blocks.reduce((sum, b) => sum + gap + (heights.get(b.key) ?? guessHeight(b)), -gap);
  return (
    <div ref={host} className={column} style={near ? undefined : { height: height() }}>
      {near && blocks.map((b) => <Block key={b.key} session={session} block={b} heights={heights} n={n} />)}
    </div>
  );
}

const Block = memo(function Block({
  session,
  block,
  heights,
  n,
}: {
  session: Session;
  block: OutputBlock;
  heights: Heights;
  n: number;
}) {
  const [host, near] = useNear(block.key, heights, "400px 0px", block.cost);
  return (
    <div
      ref={host}
      className={column}
      style={near ? undefined : { height: heights.get(block.key) ?? guessHeight(block) }}
    >
      {near && block.outputs.map((o) => <OutputView key={o.key} session={session} output={o} n={n} />)}
    </div>
  );
});

/** Whether a place is near the view of the cells. What costs something waits for its turn; how high it was is kept when it goes. */
function useNear(key: string, heights: Heights, margin: string, cost = 0): [RefObject<HTMLDivElement | null>, boolean] {
  const host = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  const costs = useRef(cost);
  costs.current = cost;
  useEffect(() => {
    const el = host.current!;
    let cancel = () => {};
    const observer = new IntersectionObserver(
      (entries) => {
        const e = entries.at(-1)!;
        cancel();
        if (!e.isIntersecting) {
          if (el.childElementCount > 0) heights.set(key, e.boundingClientRect.height);
          setNear(false);
        } else if (costs.current > 0) {
          cancel = inTurn(() => setNear(true), costs.current);
        } else {
          setNear(true);
        }
      },
      { root: el.closest("[data-cells]"), rootMargin: margin },
    );
    observer.observe(el);
    return () => {
      cancel();
      observer.disconnect();
    };
  }, [key, heights, margin]);
  return [host, near];
}
