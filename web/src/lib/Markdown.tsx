import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useWords } from "@/i18n";
import { CopyButton } from "@/ui";
import { CodeText } from "./CodeText";
import { DiagramBlock, FormulaBlock } from "./Drawn";
import { withFormulas } from "./formulas";
import { blocksOfText, MarkdownText, type Block } from "./markdown";
import { markdownWords } from "./markdown_words";
import "./markdown.css";

/** Text of an agent. While it grows, only its last blocks are made again. */
export const Markdown = memo(function Markdown({ text, growing = false }: { text: string; growing?: boolean }) {
  const [stream] = useState(() => new MarkdownText());
  const [grew, setGrew] = useState(growing);
  useEffect(() => {
    if (growing) setGrew(true);
  }, [growing]);
  // A text that grew before our eyes keeps its blocks when it ends.
  const blocks = useMemo(
    () => (growing || grew ? stream.update(text, growing) : blocksOfText(text)),
    [stream, text, growing, grew],
  );
  return (
    <div className="md">
      {blocks.map((b, i) => (
        <BlockView key={i} block={b} />
      ))}
    </div>
  );
});

const BlockView = memo(function BlockView({ block }: { block: Block }) {
  const ref = useRef<HTMLDivElement>(null);
  const times = useRef(0);
  useLayoutEffect(() => {
    times.current++;
    if (ref.current) ref.current.dataset.renders = String(times.current); // tests count on it
  });
  if (block.kind === "code")
    return (
      <div ref={ref}>
        <CodeBlock code={block.text} lang={block.lang} />
      </div>
    );
  if (block.kind === "math")
    return (
      <div ref={ref}>
        <FormulaBlock source={block.text} />
      </div>
    );
  if (block.kind === "diagram")
    return (
      <div ref={ref}>
        <DiagramBlock source={block.text} />
      </div>
    );
  if (block.kind === "plain")
    return (
      <div ref={ref} dir="auto" className="whitespace-pre-wrap">
        {block.raw}
      </div>
    );
  return <Html ref={ref} html={block.html} />;
});

/** The one place where HTML becomes elements; it went through the sanitiser. */
function Html({ html, ref }: { html: unknown; ref: React.RefObject<HTMLDivElement | null> }) {
  const made = useMemo(() => ({ __html: html as string }), [html]);
  useLayoutEffect(() => withFormulas(ref.current!), [made, ref]);
  return <div ref={ref} dir="auto" dangerouslySetInnerHTML={made} />;
}

/** A block of code: its language, a button to copy it, scrollable by keyboard. Nothing lies over its lines. */
function CodeBlock({ code, lang }: { code: string; lang: string }) {
  const t = useWords(markdownWords);
  const copy = (
    <span className="shrink-0 opacity-60 transition-opacity duration-(--motion) group-hover/code:opacity-100 focus-within:opacity-100">
      <CopyButton text={code} label={t.copyCode} />
    </span>
  );
  const pre = (
    <pre
      tabIndex={0}
      aria-label={lang ? `${t.code}, ${lang}` : t.code}
      role="region"
      className="max-h-[60dvh] min-w-0 flex-1 overflow-auto px-3 py-2.5 font-mono text-sm break-normal whitespace-pre"
    >
      <code>
        <CodeText code={code} lang={lang} />
      </code>
    </pre>
  );
  if (!lang)
    return (
      <div dir="ltr" className="group/code my-2 flex items-start rounded-lg border border-line bg-sunk pr-0.5">
        {pre}
        {copy}
      </div>
    );
  return (
    <div dir="ltr" className="group/code my-2 overflow-hidden rounded-lg border border-line bg-sunk">
      <div className="flex h-8 items-center justify-between border-b border-line pr-0.5 pl-3 pointer-coarse:h-(--row)">
        <span className="font-mono text-xs text-soft">{lang}</span>
        {copy}
      </div>
      {pre}
    </div>
  );
}
