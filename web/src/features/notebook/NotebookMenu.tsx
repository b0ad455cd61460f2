import type { NotebookInfo, Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import {
  Eraser,
  FileOutput,
  FolderOpen,
  MoreHorizontal,
  NotebookPen,
  Power,
  RotateCw,
  Save,
  Square,
  X,
} from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useDialogs } from "@/features/session/header/dialogs";
import { useWords } from "@/i18n";
import { IconButton, Menu, type MenuEntry } from "@/ui";
import type { Book } from "./book";
import { CloseDialog, RestartDialog, SaveAsDialog } from "./dialogs";
import { nameOf, notebookPath } from "./path";
import { notebookWords } from "./words";

const alive = new Set(["starting", "idle", "busy", "restarting"]);

/** What else one can do with a notebook, and the other ones that are open. */
export function NotebookMenu({
  session,
  book,
  notebook,
  mayChange,
}: {
  session: Session;
  book: Book;
  notebook: NotebookInfo;
  mayChange: boolean;
}) {
  const t = useWords(notebookWords);
  const [, navigate] = useLocation();
  const open = useDialogs((s) => s.open);
  const all = useSnapshot(session, (s) => s.notebooks);
  const [asking, setAsking] = useState<"restart" | "save" | "close" | null>(null);
  const done = () => setAsking(null);
  const busy = notebook.run !== undefined || notebook.queue.length > 0;
  const others: MenuEntry[] =
    all.length > 1
      ? [
          { heading: t.others },
          ...all.map((n) => ({
            id: n.notebook_id,
            label: nameOf(n, t.untitled),
            icon: <NotebookPen size={14} />,
            checked: n === notebook,
            run: () => navigate(notebookPath(session, n.notebook_id)),
          })),
          "line",
        ]
      : [];
  const items: MenuEntry[] = [
    ...others,
    ...(mayChange
      ? [
          {
            id: "save",
            label: t.save,
            keys: "Ctrl S",
            icon: <Save size={14} />,
            note: notebook.path,
            run: () => (notebook.path ? void book.save() : setAsking("save")),
          },
          { id: "save-as", label: t.saveAs, icon: <FileOutput size={14} />, run: () => setAsking("save") },
          { id: "open", label: t.open, icon: <FolderOpen size={14} />, run: () => open({ kind: "notebook" }) },
          "line" as const,
          { id: "stop", label: t.stop, icon: <Square size={12} />, disabled: !busy, run: () => void book.interrupt() },
          { id: "restart", label: t.restart, icon: <RotateCw size={14} />, run: () => setAsking("restart") },
          {
            id: "shutdown",
            label: t.shutdown,
            icon: <Power size={14} />,
            disabled: !alive.has(notebook.kernel.state),
            run: () => void book.shutdown(),
          },
          { id: "clear", label: t.clearAll, icon: <Eraser size={14} />, run: () => void book.clear() },
          "line" as const,
          { id: "close", label: t.close, icon: <X size={14} />, run: () => setAsking("close") },
        ]
      : []),
  ];
  if (items.length === 0) return null;
  return (
    <>
      <Menu label={t.more} trigger={<IconButton label={t.more} icon={<MoreHorizontal size={16} />} />} items={items} />
      {asking === "restart" && <RestartDialog book={book} onClose={done} />}
      {asking === "save" && <SaveAsDialog book={book} notebook={notebook} onClose={done} />}
      {asking === "close" && <CloseDialog book={book} onClose={done} onClosed={() => navigate(`/s/${session.id}`)} />}
    </>
  );
}
