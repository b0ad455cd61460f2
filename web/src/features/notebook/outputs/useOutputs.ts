import type { CellInfo, Session, TranscriptMessage } from "@clew-run/client";
import { useEffect, useMemo, useReducer } from "react";
import { client } from "@/app/client";
import { useLoaded } from "@/lib/useLoaded";
import { merged, outputOf, outputsOfFile, type Output } from "./output";

const smallest = 20; // messages of a page: each may have 64 KiB
const largest = 100;
const smallText = 200_000;
const mostPages = 60;
const flushMs = 60;

export interface Outputs {
  list: readonly Output[];
  loading: boolean;
  error: unknown;
  retry(): void;
  /** They are what the file has, and not of a run here. */
  saved: boolean;
}

const none: readonly TranscriptMessage[] = [];

/** What a cell shows. Messages that the page does not hold are fetched; those that it holds grow. */
export function useOutputs(session: Session, cell: CellInfo): Outputs {
  const ids = cell.outputs;
  const [round, again] = useReducer((n: number) => n + 1, 0);
  useGrowth(session, ids, again);
  // oxlint-disable-next-line react/exhaustive-deps -- round: the store has another message
  const missing = useMemo(() => ids.filter((id) => !session.store.message(id)), [session, ids, round]);
  const fetched = useLoaded(
    missing.length === 0 ? "" : `${session.id} ${cell.run_id} ${cell.status} ${missing.join(" ")}`,
    (signal) => (missing.length === 0 ? Promise.resolve(none) : messagesOf(session.id, missing, signal)),
    `${session.id} ${cell.notebook_id} ${cell.cell_id}`,
  );
  const address = ids.length === 0 ? (cell.saved_outputs ?? "") : "";
  const file = useLoaded(address, async () =>
    address === "" ? [] : merged(outputsOfFile(await (await client.rest.sessions.blob(session.id, address)).json())),
  );
  const list = useMemo(() => {
    const other = new Map((fetched.value ?? none).map((m) => [m.message_id, m]));
    return merged(ids.flatMap((id) => outputOf(session.store.message(id) ?? other.get(id)) ?? []));
    // oxlint-disable-next-line react/exhaustive-deps -- round, as above
  }, [session, ids, fetched.value, round]);
  if (address !== "")
    return {
      list: file.value ?? [],
      loading: file.loading && !file.value,
      error: file.error,
      retry: file.reload,
      saved: true,
    };
  return {
    list,
    loading: missing.length > 0 && fetched.loading,
    error: fetched.error,
    retry: fetched.reload,
    saved: false,
  };
}

/** Says when one of the messages has grown or changed, not more often than one can see. */
export function useGrowth(session: Session, ids: readonly string[], changed: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        changed();
      }, flushMs);
    };
    const stops = ids.map((id) => session.store.subscribeMessage(id, soon));
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, [session, ids, changed]);
}

/** Messages from anywhere in the transcript, by pages around those that are wanted. */
async function messagesOf(
  sessionId: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<TranscriptMessage[]> {
  const found = new Map<string, TranscriptMessage>();
  let size = smallest;
  for (let page = 0; page < mostPages && !signal.aborted; page++) {
    const next = ids.find((id) => !found.has(id));
    if (next === undefined) break;
    const { messages } = await client.rest.sessions.messages(sessionId, { around: next, limit: size });
    const length = messages.reduce((sum, m) => sum + (m.text?.length ?? 0), 0);
    size = length < smallText ? Math.min(largest, size * 2) : smallest;
    if (!messages.some((m) => m.message_id === next)) break; // it is not there any more
    for (const m of messages) found.set(m.message_id, m);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}
