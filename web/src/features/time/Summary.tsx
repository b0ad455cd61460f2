import type { RewindPreviewAnswer } from "@clew-run/client";
import type { ReactNode } from "react";
import { useWords } from "@/i18n";
import { count } from "@/lib/format";
import { Mark, type Tone } from "@/ui";
import { Forgotten } from "@/features/session/Forgotten";
import { timeWords } from "./words";

const named = 3; // of steps and files

/** What a rewind takes along, in lines, and what it cannot take back. */
export function Summary({ preview: p }: { preview: RewindPreviewAnswer }) {
  const t = useWords(timeWords);
  const files = p.files_count ?? p.files?.length ?? 0;
  const tokens = (p.usage?.tokens_in ?? 0) + (p.usage?.tokens_out ?? 0);
  const steps = p.irreversible ?? [];
  const names = (p.files ?? []).map((f) => f.paths.relative.split("/").at(-1)!);
  return (
    <>
      <ul className="flex flex-col gap-1.5" data-summary>
        <Line tone="past">{t.messagesGo(p.count)}</Line>
        {p.files_problem ? (
          <Line tone="fail">
            {t.noFiles}: {p.files_problem}
          </Line>
        ) : (
          <Line tone="past">
            {t.filesChange(files)}
            {names.length > 0 && (
              <>
                : <span className="font-mono text-sm wrap-anywhere">{names.slice(0, named).join(", ")}</span>
                {files > named && ` ${t.andMore(files - named)}`}
              </>
            )}
          </Line>
        )}
        {!!p.todos?.length && (
          <Line tone="wait">
            {t.todosChange(p.todos.length)}:{" "}
            {p.todos
              .slice(0, named)
              .map((x) => x.task ?? x.id)
              .join(", ")}
            {p.todos.length > named && ` ${t.andMore(p.todos.length - named)}`}
          </Line>
        )}
        {!!p.reopened?.length && <Line tone="ask">{t.reopened(p.reopened.length)}</Line>}
        {!!p.withdrawn?.length && <Line tone="past">{t.withdrawn(p.withdrawn.length)}</Line>}
        {!!p.forgotten?.length && (
          <Line tone="ask">
            <Forgotten rules={p.forgotten} />
          </Line>
        )}
        {p.kernels?.map((k) => (
          <Line key={k.notebook_id} tone="ask">
            {k.ends ? (
              t.kernelEnds(k.path ?? "")
            ) : (
              <>
                {t.kernel(k.path ?? "")} {k.policy && t.kernels[k.policy]?.(k.cells)}
              </>
            )}
          </Line>
        ))}
        {p.running && <Line tone="run">{t.running}</Line>}
        {tokens > 0 && <Line tone="past">{t.tokens(count(tokens))}</Line>}
      </ul>
      {steps.length > 0 && (
        <section aria-label={t.irreversible} className="rounded border border-ask/50 bg-ask-wash px-3 py-2">
          <h3 className="font-semibold text-ask">{t.irreversible}</h3>
          <p className="pb-1 text-sm">{t.irreversibleHelp}</p>
          <ul className="max-h-40 overflow-y-auto" tabIndex={0} aria-label={t.irreversible}>
            {steps.map((s) => (
              <li key={s.message_id + (s.tool_call_id ?? "")} className="py-0.5">
                <code className="font-mono text-sm break-all">{s.summary}</code>{" "}
                <span className="text-sm text-soft">
                  {(s.code && t.cannotUndo[s.code]?.(s.server ?? s.url ?? "")) ?? s.reason}
                </span>
              </li>
            ))}
          </ul>
          {(p.irreversible_count ?? 0) > steps.length && (
            <p className="text-sm">{t.andMore(p.irreversible_count! - steps.length)}</p>
          )}
        </section>
      )}
    </>
  );
}

function Line({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <li className="flex items-start gap-2">
      <Mark tone={tone} className="mt-1" size={10} />
      <span className="min-w-0">{children}</span>
    </li>
  );
}
