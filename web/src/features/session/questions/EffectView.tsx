import type { CommandLimits, Effect, Question } from "@clew-run/client";
import { Box, Folder, GlobeLock } from "lucide-react";
import type { ReactNode } from "react";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { Badge, Pre } from "@/ui";
import { deceives } from "./reveal";
import { Revealed } from "./Revealed";
import { rounded } from "./rounded";
import { whyReasons, whyWords } from "./why";
import { questionWords } from "./words";

/** The first page has questions, and few of them have a diff. */
const DiffBlock = lazyPart(() => import("@/features/diff/DiffBlock").then((m) => m.DiffBlock));

type Approval = Extract<Question, { type: "hitl_approval_request" }>;

/** What would happen, exactly: all that an approval covers, and nothing that it does not. */
export function EffectView({ question: q }: { question: Approval }) {
  const t = useWords(questionWords);
  const why = whyWords(useWords(whyReasons), q);
  const e = q.effect;
  const plain = e?.command ?? e?.url;
  const shown = q.input !== undefined && !e?.command && !e?.diff;
  // Where numbers were rounded in reading, the server says what it has as a text.
  const input = shown ? (q.input_text ?? JSON.stringify(q.input, null, 2)) : undefined;
  const doubtful = shown && q.input_text === undefined && rounded(q.input);
  const texts = [e?.command, e?.url, e?.diff, input, e?.directory, ...(e?.paths ?? [])].filter((s) => s !== undefined);
  return (
    <div className="flex flex-col gap-2">
      {plain !== undefined && (
        <div className="flex rounded border border-line bg-sunk pl-3 font-mono text-base tracking-tight" dir="ltr">
          {e?.command !== undefined && q.tool !== "run_cell" && (
            <span aria-hidden className="py-2 text-faint select-none">
              $
            </span>
          )}
          <Pre
            label={e?.command ? t.command : t.address}
            className="max-h-48 flex-1 bg-transparent text-base! whitespace-pre-wrap wrap-anywhere!"
          >
            <Revealed text={plain} />
          </Pre>
        </div>
      )}
      {e?.diff && <DiffBlock diff={e.diff} label={t.changes} most={400} />}
      {input !== undefined && input !== "{}" && (
        <Pre label={t.input} className="max-h-48 whitespace-pre-wrap wrap-anywhere!">
          <Revealed text={input} />
        </Pre>
      )}
      {doubtful && <p className="text-fail">{t.rounded(q.request_id)}</p>}
      {texts.some(deceives) && <p className="text-fail">{t.deceives}</p>}
      {e && <Facts effect={e} tool={q.tool} />}
      <div className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
        {why && (
          <p>
            <Revealed text={why} />
          </p>
        )}
        {e?.environment && <Environment of={e.environment} />}
      </div>
    </div>
  );
}

function Facts({ effect: e, tool }: { effect: Effect; tool?: string }) {
  const t = useWords(questionWords);
  const held = e.command !== undefined || e.sandbox !== undefined; // an empty cell has no command
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
      {tool && e.command === undefined && (
        <Fact name={t.tool}>
          <code className="font-mono">{tool}</code>
        </Fact>
      )}
      {e.server && (
        <Fact name={t.server}>
          <Revealed text={e.server} />
        </Fact>
      )}
      {e.directory && (
        <Fact name={t.directory} icon={<Folder size={13} aria-hidden />} bare>
          <code className="font-mono">
            <Revealed text={e.directory} />
          </code>
        </Fact>
      )}
      {!e.diff &&
        e.paths?.map((p) => (
          <Fact key={p} name={t.file}>
            <code className="font-mono">
              <Revealed text={p} />
            </code>
          </Fact>
        ))}
      {held && (
        <Fact name={t.network} icon={<GlobeLock size={13} aria-hidden />}>
          {e.network ? <Risk>{t.networkOn}</Risk> : t.networkOff}
        </Fact>
      )}
      {held && (
        <Fact name={t.sandbox} icon={<Box size={13} aria-hidden />}>
          {!e.sandbox || e.sandbox === "none" ? (
            <Risk>{t.sandboxNone}</Risk>
          ) : (
            <span title={e.sandbox}>{t.sandboxOn}</span>
          )}
        </Fact>
      )}
      {e.limits && <Fact name={t.limits}>{limitsText(e.limits, t.limit)}</Fact>}
      {e.digest && (
        <Fact name={t.boundTo}>
          <code className="font-mono" title={`${t.boundHelp} ${e.digest}`}>
            {e.digest.replace(/^sha256:/, "").slice(0, 8)}
          </code>
        </Fact>
      )}
    </dl>
  );
}

/** The limits of a command that are not the usual ones. */
function limitsText(limits: CommandLimits, word: Record<keyof CommandLimits, (n: number) => string>): string {
  const names = Object.keys(word) as (keyof CommandLimits)[];
  return names.flatMap((name) => (limits[name] === undefined ? [] : [word[name](limits[name])])).join(", ");
}

function Environment({ of }: { of: Record<string, string> }) {
  const t = useWords(questionWords);
  const env = Object.entries(of);
  if (env.length === 0) return null;
  return (
    <details className="open:basis-full">
      <summary className="w-fit hover:text-ink pointer-coarse:py-3.25">{t.environment(env.length)}</summary>
      <Pre label={t.environment(env.length)} className="mt-1 max-h-40 whitespace-pre-wrap wrap-anywhere! text-ink">
        <Revealed text={env.map(([k, v]) => `${k}=${v}`).join("\n")} />
      </Pre>
    </details>
  );
}

function Fact({
  name,
  icon,
  bare,
  children,
}: {
  name: string;
  icon?: ReactNode;
  /** Its icon says what it is. */ bare?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="flex min-w-0 items-center gap-[5px]">
      {icon}
      <dt className={bare ? "sr-only" : "shrink-0"}>{name}</dt>
      <dd className="min-w-0 font-medium text-ink">{children}</dd>
    </div>
  );
}

function Risk({ children }: { children: ReactNode }) {
  return <Badge tone="ask">{children}</Badge>;
}
