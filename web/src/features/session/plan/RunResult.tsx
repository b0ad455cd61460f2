import type { RunView } from "@clew-run/client";
import { FileText } from "lucide-react";
import { useWords } from "@/i18n";
import { count, duration, money } from "@/lib/format";
import { Markdown } from "@/lib/Markdown";
import { Mark } from "@/ui";
import { Revealed } from "../questions/Revealed";
import { planWords } from "./words";

/** How a run ended: its answer or why there is none, the figures, the reports. */
export function RunResult({ run }: { run: RunView }) {
  const t = useWords(planWords);
  const end = run.ended;
  const reports = (end?.type === "complete" ? end.report_paths : run.report_paths) ?? [];
  const failed = end?.type === "failed" || run.status === "failed";
  const cancelled = end?.type === "cancelled" || run.status === "cancelled";
  const s = end?.type === "complete" ? end.statistics : undefined;
  const why = end?.type === "failed" ? end.error.message : end?.type === "cancelled" ? end.reason : undefined;
  return (
    <section aria-label={t.result} className="flex flex-col gap-2 border-y border-line py-3">
      <h2 className="flex items-center gap-2 font-semibold">
        <Mark tone={failed ? "fail" : cancelled ? "past" : "done"} />
        {failed ? t.ended.failed : cancelled ? t.ended.cancelled : t.ended.complete}
      </h2>
      {why && <p><Revealed text={why} /></p>}
      {end?.type === "complete" && <Markdown text={end.response.text || end.response.summary} />}
      {s && (
        <p className="text-sm text-soft">
          {[t.doneOf(s.completed, s.total_todos), duration(s.execution_time_ms), t.tokens(count(s.tokens_used)), money(s.cost_usd)].join(" · ")}
        </p>
      )}
      {end?.type === "complete" && end.response.next_actions.length > 0 && (
        <ul className="list-disc pl-5">{end.response.next_actions.map((a, i) => <li key={i}><Revealed text={a} /></li>)}</ul>
      )}
      {reports.length > 0 && (
        <ul aria-label={t.reports} className="flex flex-wrap gap-2">
          {reports.filter((p) => p.startsWith("/reports/")).map((path) => (
            <li key={path}>
              <a href={path} target="_blank" rel="noopener noreferrer" className="inline-flex h-(--row) items-center gap-1.5 rounded border border-edge/60 bg-sheet px-2.5 hover:bg-hover">
                <FileText size={13} aria-hidden />
                {path.split("/").at(-1)}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
