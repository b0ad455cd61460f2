import type { Session } from "@clew-run/client";
import { X } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { useRoomy } from "@/lib/useNarrow";
import { Drawer, IconButton, Tabs } from "@/ui";
import { Divider } from "./Divider";
import { PlanTab } from "./PlanTab";
import { useSide, type SidePart } from "./side";
import { Terminal } from "./Terminal";
import { sessionWords } from "../words";

export const Plan = lazyPart(() => import("../plan/PlanPanel").then((m) => m.PlanPanel));
export const Changes = lazyPart(() => import("@/features/time/ChangesPanel").then((m) => m.ChangesPanel));

/** What stands beside the transcript: the plan, the files, the terminal. Without room for it, it comes over the page when asked for. */
export function SidePanel({ session }: { session: Session }) {
  const t = useWords(sessionWords);
  const { width, open, over, setOver } = useSide();
  const roomy = useRoomy();
  useEffect(() => () => setOver(false), [roomy, session, setOver]);
  if (!roomy)
    return over ? (
      <Drawer
        side="right"
        label={t.side}
        onClose={() => setOver(false)}
        className="top-13 h-[calc(100%-3.25rem)] w-95 backdrop:bg-transparent backdrop:[background:linear-gradient(rgb(30_26_18/0.28),rgb(30_26_18/0.28))_56px_52px/100%_100%_no-repeat]"
      >
        <Parts
          session={session}
          close={
            <IconButton label={t.closeSide} icon={<X size={16} />} className="mr-2" onClick={() => setOver(false)} />
          }
        />
      </Drawer>
    ) : null;
  if (!open) return null;
  return (
    <>
      <Divider />
      <aside aria-label={t.side} style={{ width }} className="flex max-w-[75%] min-w-0 shrink-0 flex-col">
        <Parts session={session} />
      </aside>
    </>
  );
}

function Parts({ session, close }: { session: Session; close?: ReactNode }) {
  const t = useWords(sessionWords);
  const { part, show } = useSide();
  return (
    <Tabs
      label={t.side}
      value={part}
      onChange={(id) => show(id as SidePart)}
      aside={close}
      tabs={[
        { id: "plan", label: <PlanTab session={session} />, content: <Plan session={session} /> },
        { id: "changes", label: t.changes, content: <Changes session={session} /> },
        { id: "terminal", label: t.terminal, content: <Terminal session={session} /> },
      ]}
    />
  );
}
