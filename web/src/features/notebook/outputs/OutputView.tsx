import type { Session } from "@clew-run/client";
import { Info } from "lucide-react";
import { memo, useMemo, useState, type ReactNode } from "react";
import { useWords } from "@/i18n";
import { AnsiText } from "@/lib/AnsiText";
import { FormulaBlock } from "@/lib/Drawn";
import { Markdown } from "@/lib/Markdown";
import { cx, ErrorNote, Loading } from "@/ui";
import { notebookWords } from "../words";
import { ChartOutput } from "./charts/ChartOutput";
import { choose, formulaIn, type Choice } from "./choose";
import { tableOfResource } from "./dataTable";
import { HtmlOutput } from "./HtmlOutput";
import { ImageOutput, SvgOutput } from "./ImageOutput";
import { JsonTree } from "./JsonTree";
import { partOf } from "./long";
import type { Output } from "./output";
import { TableOutput } from "./TableOutput";
import { useJson, useText } from "./value";

interface Props {
  session: Session;
  output: Output;
  /** The place of its cell, for names that are read aloud. */
  n: number;
}

/** One output of a cell, in the first form that fits. */
export const OutputView = memo(function OutputView({ session, output: o, n }: Props) {
  const t = useWords(notebookWords);
  if (o.kind === "stream")
    return (
      <Plain
        text={o.text}
        label={o.name === "stderr" ? t.stderr : t.stdout}
        className={o.name === "stderr" ? "border-l-2 border-ask-line bg-ask-wash pl-2.5" : ""}
      />
    );
  if (o.kind === "error") return <Trouble output={o} />;
  return <Data session={session} choice={choose(o.data)} n={n} />;
});

function Trouble({ output: o }: { output: Extract<Output, { kind: "error" }> }) {
  const t = useWords(notebookWords);
  const name = [o.name, o.value].filter(Boolean).join(": ");
  return (
    <div className="overflow-hidden rounded-lg border border-fail-line bg-sheet" data-output="error">
      <p
        className="border-b border-fail-line bg-fail-wash px-3 py-1.5 font-mono text-sm font-medium break-words text-fail"
        dir="auto"
      >
        {name || t.error}
      </p>
      {o.text !== "" && o.text !== name && <Plain text={o.text} label={t.error} className="px-3 py-2" />}
    </div>
  );
}

function Data({ session, choice, n }: { session: Session; choice: Choice; n: number }) {
  const t = useWords(notebookWords);
  switch (choice.as) {
    case "image":
      return <ImageOutput session={session} type={choice.type} value={choice.value} n={n} />;
    case "svg":
      return <SvgOutput session={session} value={choice.value} n={n} />;
    case "html":
      return (
        <Texts session={session} value={choice.value}>
          {(text) => <HtmlOutput html={text} n={n} />}
        </Texts>
      );
    case "markdown":
      return (
        <Texts session={session} value={choice.value}>
          {(text) => (
            <div className="text-md">
              <Markdown text={text} />
            </div>
          )}
        </Texts>
      );
    case "latex":
      return (
        <Texts session={session} value={choice.value}>
          {(text) => <Latex text={text} />}
        </Texts>
      );
    case "json":
      return <Json session={session} value={choice.value} />;
    case "chart":
      return (
        <ChartOutput session={session} kind={choice.kind} value={choice.value} n={n}>
          <Data session={session} choice={choice.otherwise} n={n} />
        </ChartOutput>
      );
    case "resource":
      return (
        <Resource session={session} value={choice.value} n={n}>
          <Data session={session} choice={choice.otherwise} n={n} />
        </Resource>
      );
    case "widget":
      return (
        <>
          <Note>{t.widget}</Note>
          {choice.value !== undefined && (
            <Texts session={session} value={choice.value}>
              {(text) => <Plain text={text} label={t.stdout} />}
            </Texts>
          )}
        </>
      );
    case "text":
      return (
        <Texts session={session} value={choice.value}>
          {(text) => <Plain text={text} label={t.stdout} />}
        </Texts>
      );
    case "nothing":
      return <Note>{t.nothing}</Note>;
  }
}

function Texts({ session, value, children }: { session: Session; value: unknown; children(text: string): ReactNode }) {
  const text = useText(session.id, value);
  if (text.error !== undefined) return <ErrorNote error={text.error} retry={text.reload} />;
  return text.value === undefined ? <Loading /> : children(text.value);
}

function Json({ session, value }: { session: Session; value: unknown }) {
  const json = useJson(session.id, value);
  if (json.error !== undefined) return <ErrorNote error={json.error} retry={json.reload} />;
  return json.value === undefined && json.loading ? <Loading /> : <JsonTree value={json.value} />;
}

function Resource({
  session,
  value,
  n,
  children,
}: {
  session: Session;
  value: unknown;
  n: number;
  children: ReactNode;
}) {
  const json = useJson(session.id, value);
  const table = useMemo(() => tableOfResource(json.value), [json.value]);
  if (json.value === undefined && json.loading) return <Loading />;
  return table ? <TableOutput table={table} n={n} /> : children;
}

/** A formula is drawn; anything else in LaTeX is shown as it is written. */
function Latex({ text }: { text: string }) {
  const t = useWords(notebookWords);
  const formula = formulaIn(text);
  return formula === null ? <Plain text={text} label={t.stdout} /> : <FormulaBlock source={formula} />;
}

function Note({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-center gap-1.5 pb-1 text-sm text-soft">
      <Info size={13} aria-hidden className="shrink-0" />
      {children}
    </p>
  );
}

/** Text with a terminal's colours. */
function Plain({ text, label, className }: { text: string; label: string; className?: string }) {
  const t = useWords(notebookWords);
  const [asked, setAsked] = useState(0);
  const part = useMemo(() => partOf(text, asked), [text, asked]);
  return (
    <div data-output="text">
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        dir="auto"
        className={cx("nb-tall rounded-sm font-mono text-sm break-words whitespace-pre-wrap", className)}
      >
        <AnsiText text={part.text.replace(/\n$/, "")} />
      </pre>
      {(asked > 0 || !part.whole) && (
        <button
          type="button"
          aria-expanded={asked > 0}
          onClick={() => setAsked(part.whole ? 0 : asked + 1)}
          className="mt-1 rounded text-sm font-medium text-run hover:underline pointer-coarse:min-h-(--row)"
        >
          {part.whole ? t.showLess : t.showMore}
        </button>
      )}
    </div>
  );
}
