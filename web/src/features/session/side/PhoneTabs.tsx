import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { AppWindow, CircleHelp, FileDiff, ListChecks, MessageSquare, SquareTerminal, type LucideIcon } from "lucide-react";
import { useWords } from "@/i18n";
import { Badge, cx } from "@/ui";
import { sessionWords } from "../words";
import { useSide, type PhonePart } from "./side";
import { useWriting } from "./useWriting";

/** On phones the parts of a session are tabs at the lower edge, within reach of a thumb. */
export function PhoneTabs({ session }: { session: Session }) {
  const t = useWords(sessionWords);
  const { phone, setPhone } = useSide();
  const writing = useWriting();
  const open = useSnapshot(session, (s) => s.questions.length);
  const windows = useSnapshot(session, (s) => s.windows.length > 0) || phone === "windows";
  const parts: { id: PhonePart; name: string; icon: LucideIcon }[] = [
    { id: "chat", name: t.chat, icon: MessageSquare },
    { id: "plan", name: t.plan, icon: ListChecks },
    { id: "changes", name: t.changes, icon: FileDiff },
    { id: "terminal", name: t.terminal, icon: SquareTerminal },
    ...(windows ? [{ id: "windows" as const, name: t.windows, icon: AppWindow }] : []),
    { id: "questions", name: t.questions, icon: CircleHelp },
  ];
  return (
    <nav aria-label={t.parts} className={cx("flex shrink-0 border-t border-line bg-paper pb-[env(safe-area-inset-bottom)] desk:hidden", writing && "[@media(height<600px)]:hidden")}>
      {parts.map((p) => (
        <button
          key={p.id}
          type="button"
          aria-current={phone === p.id ? "page" : undefined}
          onClick={() => setPhone(p.id)}
          className={cx("relative flex min-h-12 flex-1 flex-col items-center justify-center gap-0.5 text-xs font-medium", phone === p.id ? "text-run" : "text-soft")}
        >
          <p.icon size={19} aria-hidden />
          {p.name}
          {p.id === "questions" && open > 0 && <span className="absolute top-0.5 left-1/2 ml-2"><Badge tone="ask">{open}</Badge></span>}
        </button>
      ))}
    </nav>
  );
}
