import { Code, Shapes } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { useWords } from "@/i18n";
import { CopyButton, IconButton } from "@/ui";
import type { Picture } from "./diagram";
import { loadedFormulas, loadFormulas } from "./formulas";
import { markdownWords } from "./markdown_words";

/** What is drawn from a source, with the way to the source. Without a drawing the source is shown, and why. */
function Drawn({ source, label, why, children }: { source: string; label: string; why?: string; children: ReactNode }) {
  const t = useWords(markdownWords);
  const [asked, setAsked] = useState(false);
  const drawn = children !== null && !asked;
  return (
    <figure className="group/drawn my-2 rounded border border-line bg-sheet" data-drawn={drawn} aria-label={label}>
      <div className="flex items-start">
        <div
          tabIndex={0}
          role="group"
          aria-label={drawn ? label : `${label}, ${t.code}`}
          className="max-h-[70dvh] min-w-0 flex-1 overflow-auto px-3 py-2.5 -outline-offset-2"
        >
          {drawn ? (
            children
          ) : (
            <pre className="font-mono text-sm break-normal whitespace-pre">
              <code>{source}</code>
            </pre>
          )}
        </div>
        <span className="flex shrink-0 opacity-60 transition-opacity duration-(--motion) group-hover/drawn:opacity-100 focus-within:opacity-100">
          {children !== null && (
            <IconButton
              label={asked ? t.showDrawing : t.showSource}
              icon={asked ? <Shapes size={14} /> : <Code size={14} />}
              onClick={() => setAsked(!asked)}
            />
          )}
          <CopyButton text={source} label={t.copySource} />
        </span>
      </div>
      {why !== undefined && (
        <figcaption className="border-t border-line px-3 py-1 text-sm text-soft">{t.notDrawn(why)}</figcaption>
      )}
    </figure>
  );
}

export function FormulaBlock({ source }: { source: string }) {
  const t = useWords(markdownWords);
  const [part, setPart] = useState(loadedFormulas);
  const [failed, setFailed] = useState(false);
  const host = useRef<HTMLDivElement>(null);
  const [why, setWhy] = useState<string>();
  useEffect(() => {
    if (!part)
      void loadFormulas().then(
        (m) => setPart(() => m),
        () => setFailed(true),
      );
  }, [part]);
  const [math, setMath] = useState<Element | null>(null);
  useLayoutEffect(() => {
    if (!part) return;
    try {
      setMath(part.drawFormula(source, true));
      setWhy(undefined);
    } catch (e) {
      setMath(null);
      setWhy(part.problemOf(e));
    }
  }, [part, source]);
  return (
    <Drawn source={source} label={t.formula} why={failed ? t.problem.load : why}>
      {math && <Placed element={math} host={host} />}
    </Drawn>
  );
}

function Placed({ element, host }: { element: Element; host: React.RefObject<HTMLDivElement | null> }) {
  useLayoutEffect(() => host.current!.replaceChildren(element), [element, host]);
  return <div ref={host} className="md-math" />;
}

const calmMs = 300; // a text that grows is not drawn at every word

export function DiagramBlock({ source }: { source: string }) {
  const t = useWords(markdownWords);
  const look = useLook();
  const [picture, setPicture] = useState<Picture | null>(null);
  const [why, setWhy] = useState<string>();
  useEffect(() => {
    let over = false;
    const timer = setTimeout(() => {
      import("./diagram").then(
        async ({ drawDiagram, DiagramProblem }) => {
          try {
            const drawn = await drawDiagram(source);
            if (over) return;
            setPicture(drawn);
            setWhy(undefined);
          } catch (e) {
            if (over) return;
            setPicture(null);
            setWhy(t.problem[e instanceof DiagramProblem ? e.kind : "load"]);
          }
        },
        () => !over && setWhy(t.problem.load),
      );
    }, calmMs);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [source, look, t]);
  return (
    <Drawn source={source} label={t.diagram} why={why}>
      {picture && (
        <img
          src={picture.url}
          width={Math.ceil(picture.width)}
          height={Math.ceil(picture.height)}
          alt={t.diagram}
          className="mx-auto h-auto max-w-full"
        />
      )}
    </Drawn>
  );
}

/** The look of the page, as it changes: a drawing has its colours. */
function useLook(): string | undefined {
  const [look, setLook] = useState(() => document.documentElement.dataset.theme);
  useEffect(() => {
    const observer = new MutationObserver(() => setLook(document.documentElement.dataset.theme));
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, []);
  return look;
}
