import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useEffect, useState } from "react";
import { lazyPart } from "@/lib/lazyPart";

const LazyToasts = lazyPart(() => import("./Toasts").then((m) => m.Toasts), true);

/** What agents want noticed, over a page of the session. Its code is fetched with the first notice; those that were there before are no news. */
export function Notices({ session, className }: { session: Session; className: string }) {
  const notices = useSnapshot(session, (s) => s.notices);
  const synced = useSnapshot(session, (s) => s.synced);
  const [known, setKnown] = useState<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (synced) setKnown((k) => k ?? new Set(notices.map((n) => n.notice_id)));
  }, [synced, notices]);
  return known && notices.length > 0 ? <LazyToasts session={session} known={known} className={className} /> : null;
}
