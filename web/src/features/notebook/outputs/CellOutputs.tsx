import type { CellInfo, Session } from "@clew-run/client";
import { AlertTriangle } from "lucide-react";
import { memo } from "react";
import { useWords } from "@/i18n";
import { Badge, Button } from "@/ui";
import { notebookWords } from "../words";
import { OutputList } from "./OutputList";
import { useOutputs } from "./useOutputs";

/** All that a cell shows below its source. */
export const CellOutputs = memo(function CellOutputs({
  session,
  cell,
  n,
}: {
  session: Session;
  cell: CellInfo;
  n: number;
}) {
  const t = useWords(notebookWords);
  const { list, loading, error, retry, saved } = useOutputs(session, cell);
  const address = cell.output_blob;
  const leftOut = cell.left_out ?? 0;
  if (list.length === 0 && !loading && error === undefined && !cell.outputs_lost && leftOut === 0) return null;
  return (
    <div role="group" aria-label={t.output(n)} className="flex min-w-0 flex-col gap-2" data-outputs={list.length}>
      {saved && list.length > 0 && (
        <span>
          <Badge>{t.fromFile}</Badge>
        </span>
      )}
      {loading && list.length === 0 && (
        <p className="text-sm text-soft" data-loading>
          {t.loadingOutput}
        </p>
      )}
      {error !== undefined && (
        <p className="flex items-center gap-2 text-sm text-soft">
          {t.loadFailed}
          <Button look="quiet" onClick={retry}>
            {t.tryAgain}
          </Button>
        </p>
      )}
      <OutputList session={session} list={list} n={n} />
      {leftOut > 0 && (
        <p className="text-sm text-soft">
          {t.leftOut(leftOut)}
          {address && (
            <>
              {" "}
              <a
                className="rounded text-run underline underline-offset-2"
                href={`/api/v1/sessions/${encodeURIComponent(session.id)}/blobs/${encodeURIComponent(address)}`}
                target="_blank"
                rel="noopener noreferrer"
              >
                {t.whole}
              </a>
            </>
          )}
        </p>
      )}
      {cell.outputs_lost && (
        <p className="flex items-center gap-1.5 text-sm text-ask">
          <AlertTriangle size={13} aria-hidden className="shrink-0" />
          {t.outputsLost}
        </p>
      )}
    </div>
  );
});
