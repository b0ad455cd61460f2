import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useEffect, useRef, useState } from "react";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { bringToFront } from "./desk";
import { windowWords } from "./words";

const LazyDesk = lazyPart(() => import("./Desk").then((m) => m.Desk));
const LazyBar = lazyPart(() => import("./DeskBar").then((m) => m.DeskBar));
export const PhoneWindows = lazyPart(() => import("./PhoneWindows").then((m) => m.PhoneWindows));

/** The windows over a session. Their code is fetched with the first one. */
export function Windows({ session, wide }: { session: Session; wide: boolean }) {
  useSpokenWindows(session);
  const any = useEver(session);
  return any && wide ? (
    <div className="pointer-events-none absolute inset-0 z-10">
      <LazyDesk session={session} />
    </div>
  ) : null;
}

/** The bar below, once there are windows. */
export function WindowBar({ session }: { session: Session }) {
  return useEver(session) ? <LazyBar session={session} /> : null;
}

/** Whether there is a window or was one: the focus has to find its way when the last one goes. */
function useEver(session: Session): boolean {
  const any = useSnapshot(session, (s) => s.windows.length > 0);
  const [ever, setEver] = useState(any);
  useEffect(() => setEver((was) => was || any), [any]);
  return any || ever;
}

/** Says that a window was opened, which is easily missed, and puts it in front. */
export function useSpokenWindows(session: Session): void {
  const t = useWords(windowWords);
  const windows = useSnapshot(session, (s) => (s.synced ? s.windows : null));
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (!windows) return;
    const before = known.current;
    known.current = new Set(windows.map((w) => w.window_id));
    if (!before) return;
    for (const w of windows) {
      if (before.has(w.window_id)) continue;
      bringToFront(session, w.window_id);
      announce(t.opened(w.title || t.untitled));
    }
  }, [windows, session, t]);
}
