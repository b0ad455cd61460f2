import type { NotebookInfo, Session } from "@clew-run/client";
import { Play, Square } from "lucide-react";
import { Composer } from "@/features/session/composer/Composer";
import { mainMonitor } from "@/features/session/transcript/scope";
import { useWords } from "@/i18n";
import { Button } from "@/ui";
import type { Book } from "./book";
import { notebookWords } from "./words";

/** Within reach of a thumb: a message to the agent, and run all or stop. */
export function PhoneFoot({
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
  const busy = notebook.run !== undefined || notebook.queue.length > 0;
  return (
    <div className="flex shrink-0 items-end gap-2 border-t border-line bg-paper p-2">
      <div className="min-w-0 flex-1">
        <Composer session={session} choices={undefined} monitor={mainMonitor} />
      </div>
      {mayChange &&
        (busy ? (
          <Button
            className="mb-1.5"
            icon={<Square size={12} fill="currentColor" />}
            busy={notebook.kernel.wanted === "interrupt"}
            onClick={() => void book.interrupt()}
          >
            {t.stop}
          </Button>
        ) : (
          <Button className="mb-1.5" icon={<Play size={14} />} onClick={() => void book.runAll()}>
            {t.runAll}
          </Button>
        ))}
    </div>
  );
}
