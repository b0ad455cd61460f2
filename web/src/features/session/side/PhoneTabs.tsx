import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import {
  AppWindow,
  CircleHelp,
  FileDiff,
  ListChecks,
  MessageSquare,
  NotebookPen,
  SquareTerminal,
  type LucideIcon,
} from "lucide-react";
import { useLocation } from "wouter";
import { useWords } from "@/i18n";
import { Badge, cx } from "@/ui";
import { sessionWords } from "../words";
import { useSide, type PhonePart } from "./side";
import { useWriting } from "./useWriting";

/** On phones the parts of a session are tabs at the lower edge, within reach of a thumb. */
export function PhoneTabs({
  session,
  at,
}: {
  session: Session;
  /** It stands on the notebook's page. */ at?: "notebook";
}) {
  const t = useWords(sessionWords);
  const { phone: part, setPhone } = useSide();
  const phone = at ?? part;
  const [, navigate] = useLocation();
  const notebook = useSnapshot(session, (s) => s.notebooks.length > 0) || at !== undefined;
  const writing = useWriting();
  const open = useSnapshot(session, (s) => s.questions.length);
  const windows = useSnapshot(session, (s) => s.windows.length > 0) || phone === "windows";
  const parts: { id: PhonePart | "notebook"; name: string; icon: LucideIcon }[] = [
    { id: "chat", name: t.chat, icon: MessageSquare },
    { id: "plan", name: t.plan, icon: ListChecks },
    { id: "changes", name: t.changes, icon: FileDiff },
    { id: "terminal", name: t.terminal, icon: SquareTerminal },
    ...(windows ? [{ id: "windows" as const, name: t.windows, icon: AppWindow }] : []),
    ...(notebook ? [{ id: "notebook" as const, name: t.notebook, icon: NotebookPen }] : []),
    { id: "questions", name: t.questions, icon: CircleHelp },
  ];
  const go = (id: PhonePart | "notebook") => {
    if (id === "notebook") return navigate(`/s/${session.id}/notebook`);
    setPhone(id, at && session.id);
    if (at) navigate(`/s/${session.id}`);
  };
  return (
    <nav
      aria-label={t.parts}
      className={cx(
        "flex shrink-0 border-t border-line bg-paper pb-[env(safe-area-inset-bottom)] desk:hidden",
        writing && "[@media(height<600px)]:hidden",
      )}
    >
      {parts.map((p) => (
        <button
          key={p.id}
          type="button"
          aria-current={phone === p.id ? "page" : undefined}
          onClick={() => go(p.id)}
          className={cx(
            "relative flex min-h-12 flex-1 flex-col items-center justify-center gap-0.5 text-xs font-medium",
            phone === p.id ? "text-run" : "text-soft",
          )}
        >
          <p.icon size={19} aria-hidden />
          {p.name}
          {p.id === "questions" && open > 0 && (
            <span className="absolute top-0.5 left-1/2 ml-2">
              <Badge tone="ask">{open}</Badge>
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}
