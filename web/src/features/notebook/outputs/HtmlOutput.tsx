import { useMemo, useState } from "react";
import { Frame } from "@/features/windows/Frame";
import { useWords } from "@/i18n";
import { notebookWords } from "../words";
import { tableOf } from "./dataTable";
import { TableOutput } from "./TableOutput";

const lowest = 40;
const highest = 560;

/** HTML of a kernel: the table of a data frame as one of ours, all else in the frame of windows, without scripts until somebody allows them. */
export function HtmlOutput({ html, n }: { html: string; n: number }) {
  const t = useWords(notebookWords);
  const table = useMemo(() => tableOf(html), [html]);
  const [height, setHeight] = useState(160);
  if (table) return <TableOutput table={table} n={n} />;
  const fitting = Math.min(highest, Math.max(lowest, height));
  return (
    <div
      style={{ height: fitting + 2 }}
      className="overflow-hidden rounded-lg border border-line bg-sheet"
      data-output="html"
    >
      <Frame html={html} title={`${t.html}, ${t.output(n)}`} onHeight={setHeight} />
    </div>
  );
}
