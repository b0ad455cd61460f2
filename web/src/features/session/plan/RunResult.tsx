import type { Attachment, CompleteData, RunView } from "@clew-run/client";
import { FileText, type LucideIcon, Table2 } from "lucide-react";
import { useWords } from "@/i18n";
import { count, duration, money } from "@/lib/format";
import { Markdown } from "@/lib/Markdown";
import { useLoaded } from "@/lib/useLoaded";
import { Mark } from "@/ui";
import { Revealed } from "../questions/Revealed";
import { planWords } from "./words";

type Report = Pick<CompleteData, "response" | "statistics">;

/** How a run ended: its answer or why there is none, the figures, the reports. */
export function RunResult({ run }: { run: RunView }) {
  const t = useWords(planWords);
  const end = run.ended;
  const paths = (run.report_paths ?? []).filter((p) => p.startsWith("/reports/"));
  const { response, statistics: s } = useReport(paths) ?? {};
  const results = (response?.attachments ?? []).filter((a) => paths.includes(a.url));
  const reports = paths.filter((p) => !results.some((a) => a.url === p));
  const failed = run.status === "failed" || end?.status === "failed" || end?.status === "budget";
  const cancelled = !failed && (run.status === "cancelled" || (end !== undefined && end.status !== "done"));
  return (
    <section aria-label={t.result} className="flex flex-col gap-2 border-y border-line py-3">
      <h2 className="flex items-center gap-2 font-semibold">
        <Mark tone={failed ? "fail" : cancelled ? "past" : "done"} />
        {failed ? t.ended.failed : cancelled ? t.ended.cancelled : t.ended.complete}
      </h2>
      {end?.message && (
        <p>
          <Revealed text={end.message} />
        </p>
      )}
      {response && <Markdown text={response.text || response.summary} />}
      {results.length > 0 && (
        <ul aria-label={t.attachments} className="flex flex-wrap gap-2">
          {results.map((a) => (
            <li key={a.url}>
              <Attached attachment={a} />
            </li>
          ))}
        </ul>
      )}
      {s && (
        <p className="text-sm text-soft">
          {[
            t.doneOf(s.completed, s.total_todos),
            duration(s.execution_time_ms),
            t.tokens(count(s.tokens_used)),
            money(s.cost_usd),
          ].join(" · ")}
        </p>
      )}
      {!!response?.next_actions?.length && (
        <ul className="list-disc pl-5">
          {response.next_actions.map((a, i) => (
            <li key={i}>
              <Revealed text={a} />
            </li>
          ))}
        </ul>
      )}
      {reports.length > 0 && (
        <ul aria-label={t.reports} className="flex flex-wrap gap-2">
          {reports.map((path) => (
            <li key={path}>
              <FileLink url={path} name={path.split("/").at(-1) ?? path} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A file that is a result of the work; pictures are shown. */
function Attached({ attachment: { type, title, url } }: { attachment: Attachment }) {
  if (type !== "chart" && type !== "image")
    return <FileLink url={url} name={title} icon={type === "table" ? Table2 : FileText} />;
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className="block rounded border border-edge/60 bg-sheet p-2 hover:bg-hover"
    >
      <img src={url} alt="" loading="lazy" className="max-h-64 max-w-full rounded bg-white" />
      <span className="mt-1 block text-sm">
        <Revealed text={title} />
      </span>
    </a>
  );
}

function FileLink({ url, name, icon: Icon = FileText }: { url: string; name: string; icon?: LucideIcon }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex h-(--row) items-center gap-1.5 rounded border border-edge/60 bg-sheet px-2.5 hover:bg-hover"
    >
      <Icon size={13} aria-hidden />
      <Revealed text={name} />
    </a>
  );
}

/** The report that is for programs: it has the answer and the figures. */
function useReport(paths: readonly string[]): Report | undefined {
  const path = paths.find((p) => p.endsWith("/report.json"));
  return useLoaded<Report | undefined>(path ?? "", async (signal) => {
    if (path === undefined) return undefined;
    const answer = await fetch(path, { signal });
    return answer.ok ? ((await answer.json()) as Report) : undefined;
  }).value;
}
