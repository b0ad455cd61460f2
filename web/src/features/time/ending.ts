import type { FilesReturned, Receipt, ServerEnvelope, Session } from "@clew-run/client";

/** How a trip ended. Unknown: it did so while the line was down, and the server told no more of it. */
export type Ended = { how: "done"; files?: FilesReturned } | { how: "failed"; reason: string } | { how: "unknown" };

const endTypes = new Set(["history_rewound", "rewind_undone", "checkpoint_restored"]);

/**
 * Sends a command that takes the session elsewhere, and waits for the record
 * that says how that ended. With files there are two records, the beginning and
 * the end, and a server that was killed in between tells the end after its
 * restart. Should a client get the state in place of the records then, the state
 * says that nothing is under way any more.
 */
export async function ending(session: Session, send: () => Promise<Receipt>): Promise<Ended> {
  const heard: ServerEnvelope[] = [];
  let broke = false;
  let wake = () => {};
  const stops = [
    session.on("*", (e) => {
      if (e.type !== "rewind_started" && e.type !== "rewind_failed" && !endTypes.has(e.type)) return;
      heard.push(e);
      wake();
    }),
    session.store.subscribe(() => {
      broke ||= !session.store.getSnapshot().synced;
      wake();
    }),
  ];
  try {
    const receipt = await send();
    for (;;) {
      const ended = endOf(heard, receipt) ?? (broke ? overUnheard(session, receipt) : undefined);
      if (ended) return ended;
      await new Promise<void>((go) => (wake = go));
    }
  } finally {
    for (const stop of stops) stop();
  }
}

/** The end of what the receipt is for, among all that was heard: others travel, too. */
export function endOf(heard: readonly ServerEnvelope[], receipt: Receipt): Ended | undefined {
  const all = [...receipt.records, ...heard];
  const mine = (e: ServerEnvelope) => e.client_message_id === receipt.clientMessageId;
  const trip = all.find((e) => e.type === "rewind_started" && mine(e));
  const id = trip?.type === "rewind_started" ? trip.data.rewind_id : undefined;
  for (const e of all) {
    const data = e.data as { rewind_id?: string; files?: FilesReturned; reason?: string };
    if (!mine(e) && (id === undefined || data.rewind_id !== id)) continue;
    if (e.type === "rewind_failed") return { how: "failed", reason: data.reason ?? "" };
    if (endTypes.has(e.type)) return { how: "done", files: data.files };
  }
  return undefined;
}

function overUnheard(session: Session, receipt: Receipt): Ended | undefined {
  const { synced, session: info, lastMessageId } = session.store.getSnapshot();
  const from = receipt.records.at(-1)?.message_id ?? "";
  if (!synced || !info || info.returning || (lastMessageId ?? "") <= from) return undefined;
  return { how: "unknown" };
}
