import { useEffect } from "react";
import { useInboxState } from "@/app/inbox";
import { useWhileSeen } from "@/lib/useWhileSeen";
import { followMs, useConfirmed } from "./confirmed";

/** Keeps a list of sessions true while it is looked at: now and then, and at once when a question comes or goes. */
export function useFreshList(refresh: () => void, everyMs = 10_000): void {
  const { counts } = useInboxState();
  useEffect(() => refresh(), [refresh, counts]);
  useWhileSeen(refresh, everyMs);
  // A change that was made here: the lists have it a little later.
  const changes = useConfirmed();
  useEffect(() => {
    if (Object.keys(changes).length === 0) return;
    const timer = setTimeout(refresh, followMs);
    return () => clearTimeout(timer);
  }, [refresh, changes]);
}
