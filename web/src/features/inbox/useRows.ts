import { useEffect, useState } from "react";
import { useInboxState } from "@/app/inbox";
import { pruneRows, updateRows, type InboxRow } from "./rows";

const keepMs = 12_000;

/** The open questions, with those that were just settled still in their places. */
export function useRows() {
  const inbox = useInboxState();
  const { items } = inbox;
  const [rows, setRows] = useState<readonly InboxRow[]>(() => items.map((item) => ({ item })));
  useEffect(() => setRows((before) => updateRows(before, items, Date.now())), [items]);
  const fading = rows.some((r) => r.goneAt !== undefined);
  useEffect(() => {
    if (!fading) return;
    const timer = setInterval(() => {
      const focused = document.activeElement?.closest<HTMLElement>("[data-question]")?.dataset.question;
      setRows((r) => pruneRows(r, Date.now(), keepMs, focused));
    }, 1000);
    return () => clearInterval(timer);
  }, [fading]);
  return { ...inbox, rows };
}
