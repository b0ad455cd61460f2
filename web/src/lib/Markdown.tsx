import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { words, useWords } from "@/i18n";
import { CopyButton } from "@/ui";
import { CodeText } from "./CodeText";
import { blocksOfText, MarkdownText, type Block } from "./markdown";
import "./markdown.css";

const markdownWords = words({
  en: { code: "Code", copyCode: "Copy code" },
  ko: { code: "코드", copyCode: "코드 복사" },
});

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
      {blocks.map((b, i) => <BlockView key={i} block={b} />)}
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
  if (block.kind === "code") return <div ref={ref}><CodeBlock code={block.text} lang={block.lang} /></div>;
  if (block.kind === "plain") return <div ref={ref} dir="auto" className="whitespace-pre-wrap">{block.raw}</div>;
  return <Html ref={ref} html={block.html} />;
});

/** The one place where HTML becomes elements; it went through the sanitiser. */
function Html({ html, ref }: { html: unknown; ref: React.RefObject<HTMLDivElement | null> }) {
  const made = useMemo(() => ({ __html: html as string }), [html]);
  return <div ref={ref} dir="auto" dangerouslySetInnerHTML={made} />;
}

/** A block of code: its language, a button to copy it, scrollable by keyboard. */
export function CodeBlock({ code, lang }: { code: string; lang: string }) {
  const t = useWords(markdownWords);
  return (
    <div className="group/code my-2 overflow-hidden rounded-lg border border-line bg-sunk" dir="ltr">
      <div className="flex min-h-7 items-center justify-between pl-3">
        <span className="font-mono text-xs text-soft">{lang}</span>
        <span className="opacity-60 transition-opacity duration-(--motion) group-hover/code:opacity-100 focus-within:opacity-100 [&_button]:h-7 pointer-coarse:[&_button]:h-(--row)">
          <CopyButton text={code} label={t.copyCode} />
        </span>
      </div>
      <pre tabIndex={0} aria-label={lang ? `${t.code}, ${lang}` : t.code} role="region" className="max-h-[60dvh] overflow-auto px-3 pb-2.5 font-mono text-sm break-normal whitespace-pre">
        <code><CodeText code={code} lang={lang} /></code>
      </pre>
    </div>
  );
}
