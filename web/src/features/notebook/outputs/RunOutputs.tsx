import type { Session } from "@clew-run/client";
import { useReducer, type ReactNode } from "react";
import { merged, outputOf } from "./output";
import { OutputView } from "./OutputView";
import { useGrowth } from "./useOutputs";
import "../notebook.css";

const atStart = 4;

interface Props {
  session: Session;
  ids: readonly string[];
  /** The place of the cell, 0 if it is gone. */
  n: number;
  /** Says how many are left out here. */
  more(left: number): ReactNode;
}

/** What a run put out, in the transcript: the beginning and the end of it. The notebook has all. */
export function RunOutputs({ session, ids, n, more }: Props) {
  const [, again] = useReducer((round: number) => round + 1, 0);
  useGrowth(session, ids, again);
  const list = merged(ids.flatMap((id) => outputOf(session.store.message(id)) ?? []));
  if (list.length === 0) return null;
  const left = list.length - atStart - 1;
  const shown = left > 0 ? [...list.slice(0, atStart), null, list.at(-1)!] : list;
  return (
    <div className="nb-run flex min-w-0 flex-col gap-2 pb-1" data-outputs={list.length}>
      {shown.map((o) =>
        o ? <OutputView key={o.key} session={session} output={o} n={n} /> : <div key="left">{more(left)}</div>,
      )}
    </div>
  );
}
