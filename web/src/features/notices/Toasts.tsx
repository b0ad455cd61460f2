import type { NoticeState, Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { X } from "lucide-react";
import { useEffect, useRef } from "react";
import { announce, notifyError } from "@/app/notices";
import { mayNotify, notifyOutside } from "@/app/worker";
import { useMayChange } from "@/features/windows/desk";
import { useWords } from "@/i18n";
import { cx, IconButton, Mark } from "@/ui";
import { noticeWords } from "./words";

/** What agents want a person to notice, until somebody dismisses it: for all who look. */
export function Toasts({
  session,
  known,
  className,
}: {
  session: Session;
  /** Those that are no news. */ known: ReadonlySet<string>;
  className: string;
}) {
  const t = useWords(noticeWords);
  const notices = useSnapshot(session, (s) => s.notices);
  const mayChange = useMayChange(session);
  useSpoken(session, notices, known);
  const dismiss = (id: string) =>
    void session.send("toast_action", { toast_id: id, action: "dismiss" }).catch(notifyError);
  return (
    <ul
      aria-label={t.notices}
      className={cx("pointer-events-none absolute z-30 flex w-90 max-w-[calc(100%-2rem)] flex-col gap-2", className)}
    >
      {notices.map((n) => (
        <li
          key={n.notice_id}
          data-notice={n.notice_id}
          className="pointer-events-auto flex items-start gap-2.5 rounded-xl border border-line2 bg-sheet py-2 pr-1.5 pl-3 shadow-window"
        >
          <Mark tone="run" className="mt-1" />
          <div className="min-w-0 flex-1" dir="auto">
            {n.title && <p className="font-semibold">{n.title}</p>}
            <p className="whitespace-pre-wrap text-soft">{n.text}</p>
          </div>
          {mayChange && (
            <IconButton
              label={t.dismiss}
              icon={<X size={14} />}
              onClick={() => dismiss(n.notice_id)}
              className="[--row:26px] pointer-coarse:[--row:44px]"
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** Says those aloud that are news, and by notification if that is wanted and nobody looks. */
function useSpoken(session: Session, notices: readonly NoticeState[], known: ReadonlySet<string>): void {
  const told = useRef(known);
  useEffect(() => {
    const before = told.current;
    told.current = new Set([...before, ...notices.map((n) => n.notice_id)]);
    for (const n of notices) {
      if (before.has(n.notice_id)) continue;
      const text = [n.title, n.text].filter(Boolean).join(". ");
      announce(text);
      if (mayNotify()) void notifyOutside(text, n.notice_id, `/s/${session.id}`, false).catch(() => {});
    }
  }, [notices, session]);
}
