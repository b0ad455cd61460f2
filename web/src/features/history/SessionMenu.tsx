import type { SessionSummary } from "@clew-run/client";
import { Archive, ArchiveRestore, Download, History, MoreHorizontal, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useMe } from "@/app/account";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { IconButton, Menu, type MenuItem } from "@/ui";
import { bringBack } from "./archive";
import { ArchiveDialog } from "./ArchiveDialog";
import { undelete } from "./delete";
import { DeleteDialog } from "./DeleteDialog";
import { RenameDialog } from "./RenameDialog";
import { saveSession } from "./save";
import { historyWords } from "./words";

/** What can be done with a session in a list. `onChange`: it is another one now, or gone. */
export function SessionMenu({
  session: s,
  onChange,
  className,
}: {
  session: SessionSummary;
  onChange(): void;
  className?: string;
}) {
  const t = useWords(historyWords);
  const me = useMe();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<"rename" | "archive" | "delete">();
  const close = () => setOpen(undefined);
  const title = s.title || s.session_id;
  // Only its owner changes a session, and only with a key that may.
  const mine = (s.owner === undefined || s.owner === me?.user_id) && (me?.role === "owner" || me?.role === "admin");
  const away: MenuItem = {
    id: "archive",
    label: t.archive,
    icon: <Archive size={14} />,
    run: () => setOpen("archive"),
  };
  const back: MenuItem = {
    id: "archive",
    label: t.bringBack,
    icon: <ArchiveRestore size={14} />,
    run: () => bringBack(s.session_id, title, onChange),
  };
  const mayDelete = mine || me?.role === "admin";
  const remove: MenuItem = { id: "delete", label: t.delete, icon: <Trash2 size={14} />, run: () => setOpen("delete") };
  const items: MenuItem[] = s.erase_ms
    ? [
        {
          id: "delete",
          label: t.bringBack,
          icon: <ArchiveRestore size={14} />,
          run: () => undelete(s.session_id, title, onChange),
        },
      ]
    : [
        {
          id: "time",
          label: t.timeTravel,
          icon: <History size={14} />,
          run: () => navigate(`/s/${s.session_id}/time`),
        },
        {
          id: "export",
          label: t.export,
          icon: <Download size={14} />,
          run: () => void saveSession(s.session_id).catch(notifyError),
        },
        ...(mine
          ? [
              { id: "rename", label: t.rename, icon: <Pencil size={14} />, run: () => setOpen("rename") },
              s.archived ? back : away,
            ]
          : []),
        ...(mayDelete ? [remove] : []),
      ];
  return (
    <>
      <Menu
        label={t.actions(title)}
        trigger={<IconButton label={t.actions(title)} className={className} icon={<MoreHorizontal size={15} />} />}
        items={items}
      />
      {open === "rename" && <RenameDialog session={s} onClose={close} onDone={onChange} />}
      {open === "archive" && (
        <ArchiveDialog
          sessionId={s.session_id}
          title={title}
          questions={s.questions ?? 0}
          onClose={close}
          onChange={onChange}
        />
      )}
      {open === "delete" && <DeleteDialog sessionId={s.session_id} title={title} onClose={close} onChange={onChange} />}
    </>
  );
}
