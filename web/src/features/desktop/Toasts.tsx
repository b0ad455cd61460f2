import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { X } from "lucide-react";
import { useEffect, useRef } from "react";
import { announce, notifyError } from "@/app/notices";
import { useMayChange } from "@/features/windows/desk";
import { useWords } from "@/i18n";
import { IconButton, Mark } from "@/ui";
import { desktopWords } from "./words";

/** What agents want a person to notice, until somebody dismisses it: for all who look. */
export function Toasts({ session }: { session: Session }) {
  const t = useWords(desktopWords);
  const notices = useSnapshot(session, (s) => s.notices);
  const mayChange = useMayChange(session);
  useSpoken(notices);
  if (notices.length === 0) return null;
  const dismiss = (id: string) => void session.send("toast_action", { toast_id: id, action: "dismiss" }).catch(notifyError);
  return (
    <ul aria-label={t.notices} className="pointer-events-none absolute right-5 bottom-20 z-30 flex w-90 max-w-[calc(100%-2rem)] flex-col gap-2">
      {notices.map((n) => (
        <li key={n.notice_id} data-notice={n.notice_id} className="pointer-events-auto flex items-start gap-2.5 rounded-xl border border-line2 bg-sheet py-2 pr-1.5 pl-3 shadow-window">
          <Mark tone="run" className="mt-1" />
          <div className="min-w-0 flex-1" dir="auto">
            {n.title && <p className="font-semibold">{n.title}</p>}
            <p className="whitespace-pre-wrap text-soft">{n.text}</p>
          </div>
          {mayChange && <IconButton label={t.dismiss} icon={<X size={14} />} onClick={() => dismiss(n.notice_id)} className="[--row:26px] pointer-coarse:[--row:44px]" />}
        </li>
      ))}
    </ul>
  );
}

/** Says those aloud that come while somebody is here. */
function useSpoken(notices: readonly { notice_id: string; title?: string; text: string }[]): void {
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const before = known.current;
    known.current = new Set(notices.map((n) => n.notice_id));
    const fresh = before && notices.findLast((n) => !before.has(n.notice_id));
    if (fresh) announce([fresh.title, fresh.text].filter(Boolean).join(". "));
  }, [notices]);
}
