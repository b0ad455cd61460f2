import type { NotebookInfo } from "@clew-run/client";
import { FolderOpen, Play, RotateCw, Save, Square } from "lucide-react";
import { useMemo } from "react";
import { useCommands, type Command } from "@/app/commands";
import { useDialogs } from "@/features/session/header/dialogs";
import { useWords } from "@/i18n";
import type { Book } from "./book";
import { notebookWords } from "./words";

/** What the palette offers of a notebook, and the keys that hold for all of it. */
export function useNotebookCommands(book: Book, notebook: NotebookInfo, mayChange: boolean): void {
  const t = useWords(notebookWords);
  const open = useDialogs((s) => s.open);
  const busy = notebook.run !== undefined || notebook.queue.length > 0;
  useCommands(
    useMemo<Command[]>(() => {
      if (!mayChange) return [];
      const row = (id: string, title: string, icon: Command["icon"], run: () => void, keys?: string): Command => ({
        id: `notebook:${id}`,
        title,
        icon,
        keys,
        group: t.notebook,
        here: true,
        rank: 5,
        run,
      });
      return [
        row("run-all", t.runAll, <Play size={16} />, () => void book.runAll()),
        ...(busy ? [row("stop", t.stop, <Square size={14} />, () => void book.interrupt())] : []),
        row("restart", t.restartRun, <RotateCw size={16} />, () => void book.restart(true)),
        row(
          "save",
          t.save,
          <Save size={16} />,
          () => void book.save(book.info?.path ? {} : { path: t.untitledName }),
          "Mod+s",
        ),
        row("open", t.open, <FolderOpen size={16} />, () => open({ kind: "notebook" })),
      ];
    }, [book, busy, mayChange, t, open]),
  );
}
