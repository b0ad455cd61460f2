import type { Effect, Session, ToolDetail, TranscriptMessage } from "@clew-run/client";
import { ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { AnsiText } from "@/lib/AnsiText";
import { CodeText } from "@/lib/CodeText";
import { useLoaded } from "@/lib/useLoaded";
import { CopyButton, Pre } from "@/ui";
import { lazyPart } from "@/lib/lazyPart";
import { Revealed } from "../questions/Revealed";
import { useSide } from "../side/side";
import { allowedWords } from "./allowed";
import { Images } from "./Images";
import { transcriptWords } from "./words";

const DiffBlock = lazyPart(() => import("@/features/diff/DiffBlock").then((m) => m.DiffBlock), true);

/** All of a call: its exact input, its effect, its diff, its output. */
export function ToolBody({
  session,
  message: m,
  output,
  made,
}: {
  session: Session;
  message: TranscriptMessage;
  output?: TranscriptMessage;
  /** It was made here and came to an end: otherwise its card says why it has no result. */
  made: boolean;
}) {
  const t = useWords(transcriptWords);
  const show = useSide((s) => s.show);
  const callId = m.tool_call_id ?? "";
  const status = m.tool?.status ?? "";
  const loaded = useLoaded<ToolDetail>(`${session.id} ${callId} ${status}`, () =>
    client.rest.sessions.tool(session.id, callId, m.message_id),
  );
  const d: Partial<ToolDetail> = loaded.value ?? {};
  const input = d.input;
  const effect = d.effect;
  const text = output?.text ?? (made ? textOf(d.output) : undefined);
  const error = made ? (d.error ?? m.tool?.error) : undefined;
  const told = m.tool?.error_in_output === true && text !== undefined; // a command's error is its output
  const command = effect?.command ?? m.tool?.command;
  return (
    <div className="flex flex-col gap-2 py-1.5">
      {command !== undefined ? (
        <Part name={t.input} copy={command}>
          <Pre label={t.input} className="whitespace-pre-wrap">
            <CodeText code={command} lang="sh" />
          </Pre>
        </Part>
      ) : (
        input !== undefined &&
        !effect?.diff && (
          <Part name={t.input} copy={JSON.stringify(input, null, 2)}>
            <Pre label={t.input} className="max-h-60 whitespace-pre-wrap">
              <CodeText code={JSON.stringify(input, null, 2)} lang="json" />
            </Pre>
          </Part>
        )
      )}
      {m.tool?.allowed_by && (
        <p className="flex items-center gap-1.5 text-sm text-soft">
          <ShieldCheck size={13} aria-hidden />
          {allowedWords(t, m.tool.allowed_by)}
        </p>
      )}
      {effect && <Facts effect={effect} />}
      {effect?.diff && <DiffBlock diff={effect.diff} label={t.changes} most={7} onOpen={() => show("changes")} />}
      {error && !told && (
        <Part name={t.errorLabel}>
          <Pre label={t.errorLabel} className="max-h-60 whitespace-pre-wrap text-fail">
            {error}
          </Pre>
        </Part>
      )}
      {text !== undefined && text !== "" && (
        <Part name={t.output} copy={text} aside={d.output_blob && <Whole session={session} address={d.output_blob} />}>
          <Pre label={t.output}>
            <AnsiText text={text} />
          </Pre>
        </Part>
      )}
      {d.images && <Images sessionId={session.id} images={d.images} />}
      {loaded.error !== undefined && input === undefined && text === undefined && (
        <p className="text-sm text-soft">{t.noDetails}</p>
      )}
    </div>
  );
}

function Part({
  name,
  copy,
  aside,
  children,
}: {
  name: string;
  copy?: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="min-w-0">
      <div className="flex min-h-6 items-center gap-2">
        <p className="text-xs font-medium tracking-wide text-soft uppercase">{name}</p>
        <span className="ml-auto flex items-center">
          {aside}
          {copy !== undefined && <CopyButton text={copy} />}
        </span>
      </div>
      {children}
    </div>
  );
}

function Facts({ effect: e }: { effect: Effect }) {
  const t = useWords(transcriptWords);
  const facts: [string, string | undefined][] = [
    [t.directory, e.directory],
    [t.address, e.url],
    [t.server, e.server],
    [t.paths, e.diff ? undefined : e.paths?.join(", ")],
    [t.network, e.command === undefined ? undefined : e.network ? t.networkYes : t.networkNo],
    [t.sandbox, e.sandbox],
  ];
  const told = facts.filter(([, v]) => v);
  if (told.length === 0) return null;
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
      {told.map(([name, value]) => (
        <div key={name} className="flex min-w-0 gap-1.5">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 font-mono">
            <Revealed text={value!} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Whole({ session, address }: { session: Session; address: string }) {
  const t = useWords(transcriptWords);
  return (
    <a
      className="px-2 text-sm text-run underline underline-offset-2"
      href={`/api/v1/sessions/${encodeURIComponent(session.id)}/blobs/${encodeURIComponent(address)}`}
      target="_blank"
      rel="noopener noreferrer"
    >
      {t.whole}
    </a>
  );
}

function textOf(output: unknown): string | undefined {
  if (output === undefined || output === null) return undefined;
  return typeof output === "string" ? output : JSON.stringify(output, null, 2);
}
