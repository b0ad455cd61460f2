import { useShallow } from "zustand/react/shallow";
import { useFind } from "./find";

/** Where the hits are in the whole history, beside the scrollbar. */
export function FindMarks({ sessionId }: { sessionId: string }) {
  const { session, hits, lastSeq, at } = useFind(
    useShallow(({ session, hits, lastSeq, at }) => ({ session, hits, lastSeq, at })),
  );
  if (session !== sessionId || hits.length === 0) return null;
  const places = new Map(hits.map((h) => [Math.round((1000 * (h.seq ?? 0)) / Math.max(1, lastSeq)), h]));
  const now = hits[at];
  const y = (seq: number) => `${Math.min(99.5, (100 * seq) / Math.max(1, lastSeq))}%`;
  return (
    <div
      aria-hidden
      data-find-marks
      className="pointer-events-none absolute top-2 right-2.5 bottom-2 w-2 rounded-sm bg-sunk"
    >
      {[...places].map(([place, h]) => (
        <i
          key={place}
          className="absolute inset-x-px h-[3px] rounded-[1px] bg-found-now"
          style={{ top: y(h.seq ?? 0) }}
        />
      ))}
      {now && <i className="absolute -inset-x-px h-1.5 rounded-[1px] bg-ask" style={{ top: y(now.seq ?? 0) }} />}
    </div>
  );
}
