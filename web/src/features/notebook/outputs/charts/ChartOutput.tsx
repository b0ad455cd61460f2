import type { Session } from "@clew-run/client";
import { Info } from "lucide-react";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { FramePage } from "@/features/windows/FramePage";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Loading } from "@/ui";
import { notebookWords } from "../../words";
import { mostText, useText } from "../value";
import type { Answer, ChartKind, Order } from "./frame";
import { chartPage } from "./scripts";

const lowest = 40;
const highest = 720;
const padding = 16;
const patienceMs = 20_000;

type Why = "kind" | "spec" | "long" | "time";

interface Props {
  session: Session;
  kind: ChartKind;
  value: unknown;
  n: number;
  /** Another form of it, if it cannot be drawn. */
  children: ReactNode;
}

/**
 * A chart, drawn from its description by a script of ours in a frame that may load nothing and
 * has nothing. The ground is light in both themes, as that of pictures.
 */
export function ChartOutput({ session, kind, value, n, children }: Props) {
  const t = useWords(notebookWords);
  const text = useText(session.id, value);
  const page = useLoaded(kind, () => chartPage(kind));
  const [failed, setFailed] = useState<{ text: string | undefined; why: Why }>();
  const onProblem = useCallback((why: Why) => setFailed({ text: text.value, why }), [text.value]);
  const problem =
    (failed && failed.text === text.value ? failed.why : undefined) ??
    (text.error !== undefined || page.error !== undefined
      ? "spec"
      : (text.value?.length ?? 0) >= mostText
        ? "long"
        : undefined);
  if (problem) {
    return (
      <>
        <p className="flex items-center gap-1.5 pb-1 text-sm text-soft" data-not-drawn={problem}>
          <Info size={13} aria-hidden className="shrink-0" />
          {t.notDrawn[problem]}
        </p>
        {children}
      </>
    );
  }
  if (text.value === undefined || page.value === undefined)
    return (
      <div style={{ height: 300 }} className="rounded-lg border border-line bg-sheet">
        <Loading />
      </div>
    );
  return (
    <Drawing
      key={text.value}
      page={page.value}
      kind={kind}
      text={text.value}
      title={t.chart(n)}
      onProblem={onProblem}
    />
  );
}

function Drawing({
  page,
  kind,
  text,
  title,
  onProblem,
}: {
  page: string;
  kind: ChartKind;
  text: string;
  title: string;
  onProblem(why: Why): void;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState<number>();
  const drawn = height !== undefined;
  useEffect(() => {
    const listen = (e: MessageEvent<Answer | null>) => {
      if (!frame.current || e.source !== frame.current.contentWindow) return;
      if (e.data?.chart === "problem") onProblem(e.data.why === "kind" ? "kind" : "spec");
      if (e.data?.chart === "drawn" && typeof e.data.height === "number")
        setHeight(Math.min(highest, Math.max(lowest, e.data.height)));
    };
    addEventListener("message", listen);
    return () => removeEventListener("message", listen);
  }, [onProblem]);
  useEffect(() => {
    if (drawn) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(() => onProblem("time"), patienceMs); // what nobody sees gets little time
    };
    wait();
    document.addEventListener("visibilitychange", wait);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", wait);
    };
  }, [drawn, onProblem]);
  const onWritten = useCallback(
    (view: Window) => view.postMessage({ chart: text, kind } satisfies Order, "*"),
    [text, kind],
  ); // its origin has no name
  return (
    <div
      style={{ height: (height ?? 300) + padding + 2 }}
      className="flex flex-col overflow-hidden rounded-lg border border-line bg-sheet"
      data-output="chart"
      data-drawn={drawn}
    >
      <FramePage
        frame={frame}
        html={page}
        run
        title={title}
        onWritten={onWritten}
        onStopped={() => onProblem("spec")}
      />
    </div>
  );
}
