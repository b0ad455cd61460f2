import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { memo, useEffect, useState } from "react";
import { useWords } from "@/i18n";
import { Button, Mark } from "@/ui";
import type { Written } from "./draft";
import { drop, pendingOf, usePending, type Pending } from "./pending";
import { composerWords } from "./words";

/** Messages on their way: not sent for want of a line, without a word for a while, or refused. */
export const PendingRows = memo(function PendingRows({
  session,
  putBack,
}: {
  session: Session;
  putBack(w: Written): void;
}) {
  const t = useWords(composerWords);
  const list = usePending(pendingOf(session.id));
  const unsent = useSnapshot(session, (s) =>
    s.outgoing
      .filter((o) => o.state === "unsent")
      .map((o) => o.id)
      .join(" "),
  );
  const waits = unsent.split(" ");
  const slow = useSlow(list);
  const shown = list.filter((p) => p.error !== undefined || waits.includes(p.id) || slow.has(p.id));
  if (shown.length === 0) return null;
  return (
    <ul className="border-t border-line py-1.5">
      {shown.map((p) => {
        const failed = p.error !== undefined;
        const back = () => {
          session.withdraw(p.id);
          drop(session.id, p.id);
          putBack({ text: p.data.text, images: p.data.images ?? [] });
        };
        return (
          <li
            key={p.id}
            data-pending={failed ? "failed" : waits.includes(p.id) ? "unsent" : "sending"}
            className="flex min-h-8 flex-wrap items-center gap-x-2 gap-y-0.5"
          >
            <Mark tone={failed ? "fail" : "ask"} size={10} />
            <span className="min-w-0 flex-1 basis-40 truncate">{p.data.text}</span>
            <span className={failed ? "text-fail" : "text-ask"}>
              {failed ? `${t.failed} ${(p.error as Error).message}` : waits.includes(p.id) ? t.unsent : t.sending}
            </span>
            <Button look="quiet" onClick={back}>
              {failed ? t.putBack : t.withdraw}
            </Button>
            {failed && (
              <Button look="quiet" onClick={() => drop(session.id, p.id)}>
                {t.discard}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
});

const patience = 1_500;

/** Those that went out a while ago, with no word since: the line may be dead without having said so. */
function useSlow(list: readonly Pending[]): ReadonlySet<string> {
  const [slow, setSlow] = useState<ReadonlySet<string>>(new Set());
  const ids = list.map((p) => p.id).join(" ");
  useEffect(() => {
    if (ids === "") return setSlow(new Set());
    const timer = setTimeout(() => setSlow(new Set(ids.split(" "))), patience);
    return () => clearTimeout(timer);
  }, [ids]);
  return slow;
}
