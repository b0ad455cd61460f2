import { useCallback, useEffect, useMemo, useState } from "react";
import { client } from "@/app/client";
import { DraftKeeper, nothing, type Written } from "./draft";

/** A store that never throws: private windows may have none. */
function storageOf(): Storage {
  try {
    return window.localStorage;
  } catch {
    return { length: 0, clear() {}, getItem: () => null, key: () => null, removeItem() {}, setItem() {} };
  }
}

/** What is written in a session's composer, kept while it is not sent. */
export function useDraft(sessionId: string) {
  const [written, setWritten] = useState<Written>(nothing);
  const keeper = useMemo(() => {
    const at = client.rest.sessions.draft;
    return new DraftKeeper({
      key: `clew.draft.${sessionId}`,
      server: { get: () => at.get(sessionId), put: (c) => at.put(sessionId, c), delete: (r) => at.delete(sessionId, r) },
      storage: storageOf(),
      onFound: setWritten,
    });
  }, [sessionId]);
  useEffect(() => {
    setWritten(keeper.load());
    const hidden = () => void (document.hidden ? keeper.flush() : keeper.refresh());
    document.addEventListener("visibilitychange", hidden);
    return () => {
      document.removeEventListener("visibilitychange", hidden);
      void keeper.flush();
    };
  }, [keeper]);
  const write = useCallback((w: Written) => {
    setWritten(w);
    keeper.change(w);
  }, [keeper]);
  return { written, write, keeper };
}
