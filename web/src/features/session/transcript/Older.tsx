import type { Session } from "@clew-run/client";
import { useEffect, useState, type RefObject } from "react";
import { useWords } from "@/i18n";
import { Button } from "@/ui";
import { transcriptWords } from "./words";

const pageSize = 200;
const nearTop = 900; // px: a page is fetched before one arrives at the top

/** What is above the first row: older messages on their way, or the beginning. */
export function Older({
  session,
  box,
  ready,
  hasOlder,
}: {
  session: Session;
  box: RefObject<HTMLElement | null>;
  ready: boolean;
  hasOlder: boolean;
}) {
  const t = useWords(transcriptWords);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const el = box.current;
    if (!el || !ready || !hasOlder || failed) return;
    let over = false;
    let loading = false;
    const look = () => {
      if (over || loading || el.scrollTop > nearTop) return;
      loading = true;
      session.loadOlder(pageSize).then(
        () => {
          loading = false;
          requestAnimationFrame(look); // still at the top: the next page
        },
        () => !over && setFailed(true),
      );
    };
    const first = requestAnimationFrame(look);
    el.addEventListener("scroll", look, { passive: true });
    return () => {
      over = true;
      cancelAnimationFrame(first);
      el.removeEventListener("scroll", look);
    };
  }, [session, box, ready, hasOlder, failed]);
  return (
    <div className="absolute inset-x-0 top-0 flex h-9 items-center justify-center gap-2 text-sm text-soft">
      {failed ? (
        <>
          <span>{t.olderFailed}</span>
          <Button look="quiet" onClick={() => setFailed(false)}>
            {t.tryAgain}
          </Button>
        </>
      ) : hasOlder ? (
        t.older
      ) : (
        t.begin
      )}
    </div>
  );
}
