import type { TimelineMark } from "@clew-run/client";
import { useWords } from "@/i18n";
import { Button, Dialog, Time } from "@/ui";
import { MarkText } from "./MarkText";
import { timeWords } from "./words";

/** What an undo or a redo would take along, unasked. */
export interface Losses {
  /** Said since the rewind. */
  said: readonly TimelineMark[];
  /** Files changed since the last checkpoint. */
  files: number;
  /** It is the undo of a rewind, and not its redo. */
  undo: boolean;
  go(): void;
}

const shown = 6;

/** Asks before an undo hides work that went on since, or overwrites what was edited. */
export function UndoDialog({ losses, onClose }: { losses: Losses; onClose(): void }) {
  const t = useWords(timeWords);
  const { said, files, undo } = losses;
  const go = () => {
    onClose();
    losses.go();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={undo ? t.undoTitle : t.byHand(files)}
      footer={
        <>
          <Button onClick={onClose}>{t.leaveIt}</Button>
          <Button look={said.length > 0 ? "danger" : "main"} onClick={go}>
            {files > 0 ? t.goOn : t.undoAnyway}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {said.length > 0 && (
          <section className="flex flex-col gap-2">
            <p>{t.undoLoses(said.length)}</p>
            <ul className="flex flex-col gap-1 border-l-2 border-line pl-3" data-losses={said.length}>
              {said.slice(0, shown).map((m) => (
                <li key={m.message_id} className="flex gap-2">
                  <Time ms={m.ts} className="shrink-0 text-soft" />
                  <span className="min-w-0 truncate">
                    <span className="text-soft">{t.kinds[m.kind]}</span> <MarkText mark={m} />
                  </span>
                </li>
              ))}
              {said.length > shown && <li className="text-soft">{t.andMore(said.length - shown)}</li>}
            </ul>
            <p className="text-soft">{t.redoBrings}</p>
          </section>
        )}
        {files > 0 && (
          <p>
            {undo ? `${t.byHand(files)}. ` : ""}
            {t.askOverwrite}
          </p>
        )}
      </div>
    </Dialog>
  );
}
