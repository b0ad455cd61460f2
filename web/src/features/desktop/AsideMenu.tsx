import type { Session, WindowState } from "@clew-run/client";
import { AppWindow, MessagesSquare } from "lucide-react";
import { bringToFront, useDesk } from "@/features/windows/desk";
import { focusOn } from "@/features/windows/Desk";
import { KindIcon } from "@/features/windows/KindIcon";
import { windowWords } from "@/features/windows/words";
import { useWords } from "@/i18n";
import { IconButton, Menu } from "@/ui";
import { transcriptId } from "./layout";
import { desktopWords } from "./words";

/** What this person put aside, to bring back. */
export function AsideMenu({
  session,
  windows,
  transcript,
}: {
  session: Session;
  windows: readonly WindowState[];
  transcript: boolean;
}) {
  const t = useWords(desktopWords);
  const w = useWords(windowWords);
  const { aside } = useDesk(session);
  const back = (id: string) => () => {
    bringToFront(session, id);
    focusOn(id);
  };
  const items = windows
    .filter((x) => aside.has(x.window_id))
    .map((x) => ({
      id: x.window_id,
      label: x.title || w.untitled,
      icon: <KindIcon kind={x.content?.kind} size={14} />,
      run: back(x.window_id),
    }));
  if (!transcript)
    items.push({ id: transcriptId, label: t.transcript, icon: <MessagesSquare size={14} />, run: back(transcriptId) });
  if (items.length === 0) return null;
  return (
    <div
      data-desk-bar
      className="flex h-11.5 shrink-0 items-center rounded-xl bg-sheet px-1.5 shadow-card ring-1 ring-line2"
    >
      <Menu
        label={t.aside(items.length)}
        items={items}
        trigger={
          <IconButton
            label={t.aside(items.length)}
            icon={
              <span className="flex items-center gap-1">
                <AppWindow size={15} />
                {items.length}
              </span>
            }
            className="w-11!"
          />
        }
      />
    </div>
  );
}
