import type { NotebookInfo } from "@clew-run/client";
import { FastForward } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useWords } from "@/i18n";
import { Button, cx, Mark } from "@/ui";
import type { Book } from "./book";
import { notebookWords } from "./words";

/** What one has to know of a notebook before anything else, with what can be done about it. */
export function Banner({ book, notebook, mayChange }: { book: Book; notebook: NotebookInfo; mayChange: boolean }) {
  const t = useWords(notebookWords);
  const [kept, setKept] = useState<string | undefined>();
  const [seen, setSeen] = useState<string | undefined>();
  const [left, setLeft] = useState<string | undefined>();
  if (left !== undefined && !notebook.path_taken) setLeft(undefined); // the next time it is asked again
  const { kernel, rerun } = notebook;
  const ahead = kernel.ahead && kernel.wanted !== "restart" && kept !== kernel.kernel_id;
  return (
    <>
      {notebook.conflict && (
        <Line
          tone="ask"
          title={t.changedOutside}
          actions={
            mayChange && (
              <>
                <Button onClick={() => void book.save({ conflict: "take" })}>{t.takeFile}</Button>
                <Button onClick={() => void book.save({ conflict: "overwrite" })}>{t.overwrite}</Button>
                <Button look="quiet" onClick={() => void book.save({ conflict: "beside" })}>
                  {t.beside}
                </Button>
              </>
            )
          }
        />
      )}
      {notebook.path_taken && notebook.path_taken !== left && (
        <Line
          tone="ask"
          title={t.taken(notebook.path_taken)}
          actions={
            mayChange && (
              <>
                <Button onClick={() => void book.save({ path: notebook.path_taken, conflict: "overwrite" })}>
                  {t.overwrite}
                </Button>
                <Button onClick={() => void book.save({ path: notebook.path_taken, conflict: "beside" })}>
                  {t.beside}
                </Button>
                <Button look="quiet" onClick={() => setLeft(notebook.path_taken)}>
                  {t.cancel}
                </Button>
              </>
            )
          }
        />
      )}
      {!notebook.conflict && notebook.status === "ready" && notebook.problem && (
        <Line
          tone="fail"
          title={t.notWritten}
          help={notebook.problem}
          actions={mayChange && <Button onClick={() => void book.save()}>{t.tryAgain}</Button>}
        />
      )}
      {ahead && (
        <Line
          title={t.ahead}
          help={t.aheadHelp}
          actions={
            mayChange && (
              <>
                <Button onClick={() => void book.restart(true)}>{t.restartRun}</Button>
                <Button onClick={() => void book.restart()}>{t.fresh}</Button>
                <Button look="quiet" onClick={() => setKept(kernel.kernel_id)}>
                  {t.keep}
                </Button>
              </>
            )
          }
        />
      )}
      {rerun && (rerun.status === "preparing" || rerun.status === "running") && (
        <Line
          title={t.rerunning(rerun.done, rerun.total)}
          help={t.rerunningHelp}
          actions={
            mayChange && rerun.status === "running" && <Button onClick={() => void book.interrupt()}>{t.stop}</Button>
          }
        />
      )}
      {rerun && seen !== rerun.rerun_id && (rerun.status === "differs" || rerun.status === "stopped") && (
        <Line
          title={
            rerun.status === "differs"
              ? t.rerunDiffers(
                  rerun.differences.map((d) => notebook.cells.indexOf(d.cell_id ?? "") + 1).filter((n) => n > 0),
                )
              : t.rerunStopped(rerun.done, rerun.total)
          }
          help={rerun.reason}
          actions={
            <Button look="quiet" onClick={() => setSeen(rerun.rerun_id)}>
              {t.ok}
            </Button>
          }
        />
      )}
      {(kernel.state === "dead" || kernel.state === "lost") && (
        <Line
          tone="fail"
          title={kernel.state === "dead" ? t.dead : t.lost}
          help={[kernel.reason, t.deadHelp].filter(Boolean).join(" ")}
          actions={mayChange && <Button onClick={() => void book.restart()}>{t.startNew}</Button>}
        />
      )}
      {!mayChange && <Line title={t.viewOnly} />}
    </>
  );
}

function Line({
  tone,
  title,
  help,
  actions,
}: {
  tone?: "ask" | "fail";
  title: string;
  help?: string;
  actions?: ReactNode;
}) {
  return (
    <div
      role="status"
      className="mx-auto w-full max-w-[800px] shrink-0 nb-inset pt-3 pr-4 phone:px-0 phone:pt-0"
      data-banner={tone ?? "note"}
    >
      <div
        className={cx(
          "flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border px-3 py-2 phone:rounded-none phone:border-x-0 phone:border-t-0 phone:px-4",
          tone === "ask"
            ? "border-ask-line bg-ask-wash"
            : tone === "fail"
              ? "border-fail-line bg-fail-wash"
              : "border-line2 bg-well",
        )}
      >
        {tone ? <Mark tone={tone} /> : <FastForward size={15} aria-hidden className="shrink-0 text-soft" />}
        <p className="min-w-0 flex-1 basis-52">
          <span className="font-semibold">{title}</span>
          {help && <span className="text-soft"> {help}</span>}
        </p>
        {actions && <span className="flex flex-wrap gap-2">{actions}</span>}
      </div>
    </div>
  );
}
