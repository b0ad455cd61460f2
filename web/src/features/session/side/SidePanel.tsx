import type { Session } from "@clew-run/client";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { Tabs } from "@/ui";
import { PlanTab } from "./PlanTab";
import { useSide, type SidePart } from "./side";
import { Terminal } from "./Terminal";
import { sessionWords } from "../words";

export const Plan = lazyPart(() => import("../plan/PlanPanel").then((m) => m.PlanPanel));
export const Changes = lazyPart(() => import("@/features/time/ChangesPanel").then((m) => m.ChangesPanel));

/** What stands beside the transcript: the plan, the files, the terminal. */
export function SidePanel({ session }: { session: Session }) {
  const t = useWords(sessionWords);
  const { part, show, width } = useSide();
  return (
    <aside aria-label={t.side} style={{ width }} className="flex max-w-[60%] min-w-0 shrink-0 flex-col">
      <Tabs
        label={t.side}
        value={part}
        onChange={(id) => show(id as SidePart)}
        tabs={[
          { id: "plan", label: <PlanTab session={session} />, content: <Plan session={session} /> },
          { id: "changes", label: t.changes, content: <Changes session={session} /> },
          { id: "terminal", label: t.terminal, content: <Terminal session={session} /> },
        ]}
      />
    </aside>
  );
}
