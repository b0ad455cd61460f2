import type { Session, TranscriptMessage } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { Copy, GitFork, Link2, MoreHorizontal, Pencil, Undo2 } from "lucide-react";
import { useLocation } from "wouter";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { copyText } from "@/lib/copy";
import { IconButton, Menu, type MenuItem } from "@/ui";
import { useDialogs } from "../header/dialogs";
import { transcriptWords } from "./words";

/** What one can do with a message. */
export function MessageActions({ session, message: m }: { session: Session; message: TranscriptMessage }) {
  const t = useWords(transcriptWords);
  const [, navigate] = useLocation();
  const owner = useSnapshot(session, (s) => s.session?.role === "owner" || s.session?.role === undefined);
  const open = useDialogs((s) => s.open);
  const copy = (text: string) => void copyText(text).then((done) => done && announce(t.copied));
  const items: (MenuItem | "line")[] = [
    { id: "copy", label: t.copy, icon: <Copy size={14} />, run: () => copy(m.text ?? m.reasoning ?? "") },
    {
      id: "link",
      label: t.link,
      icon: <Link2 size={14} />,
      run: () => copy(`${location.origin}/s/${session.id}?message=${m.message_id}`),
    },
  ];
  if (owner) {
    items.push("line");
    if (m.say === "user_feedback")
      items.push({
        id: "edit",
        label: t.edit,
        icon: <Pencil size={14} />,
        run: () => open({ kind: "edit", message: m }),
      });
    items.push(
      {
        id: "rewind",
        label: t.rewind,
        icon: <Undo2 size={14} />,
        run: () => navigate(`/s/${session.id}/time?at=${m.message_id}`),
      },
      {
        id: "fork",
        label: t.forkHere,
        icon: <GitFork size={14} />,
        run: () => open({ kind: "fork", messageId: m.message_id }),
      },
    );
  }
  return (
    <div className="pointer-events-none absolute top-1 right-2 rounded bg-paper opacity-0 transition-opacity duration-(--motion) group-focus-within/row:pointer-events-auto group-focus-within/row:opacity-100 group-hover/row:pointer-events-auto group-hover/row:opacity-100 has-[[aria-expanded=true]]:pointer-events-auto has-[[aria-expanded=true]]:opacity-100">
      <Menu
        label={t.actions}
        trigger={
          <IconButton label={t.actions} icon={<MoreHorizontal size={15} />} className="h-6 pointer-coarse:h-(--row)" />
        }
        items={items}
      />
    </div>
  );
}
