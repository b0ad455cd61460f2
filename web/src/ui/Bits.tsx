import { Check, Copy } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useWords } from "@/i18n";
import { copyText } from "@/lib/copy";
import { age, ago, clockTime, fullTime } from "@/lib/format";
import { Button, IconButton } from "./Button";
import { cx } from "./cx";
import { Mark, toneOf, type Tone } from "./Mark";
import { uiWords } from "./words";

/** A status in a mark and a word. */
export function Status({
  status,
  live = true,
  className,
}: {
  status: string;
  /** Whether it is known to be so now. */ live?: boolean;
  className?: string;
}) {
  const t = useWords(uiWords);
  const tone = toneOf(status);
  return (
    <span className={cx("inline-flex items-center gap-1.5 whitespace-nowrap", className)}>
      <Mark tone={tone} live={live && tone === "run"} size={10} />
      {t.status[status] ?? status}
    </span>
  );
}

const tones: Record<Tone, "ask" | "run" | "fail" | "past"> = {
  ask: "ask",
  run: "run",
  fail: "fail",
  done: "run",
  past: "past",
  wait: "past",
};

/** The same, set apart: the state of a whole session in its head. */
export function StatusTag({ status, live = true }: { status: string; live?: boolean }) {
  const t = useWords(uiWords);
  const tone = toneOf(status);
  return (
    <Badge tone={tones[tone]}>
      <Mark tone={tone} live={live && tone === "run"} size={9} />
      {t.status[status] ?? status}
    </Badge>
  );
}

/** A small number or word set apart. */
export function Badge({
  children,
  tone = "past",
  label,
}: {
  children: ReactNode;
  tone?: "ask" | "run" | "fail" | "past";
  label?: string;
}) {
  return (
    <span
      aria-label={label}
      role={label ? "img" : undefined}
      className={cx(
        "inline-flex h-5 min-w-5 items-center justify-center gap-1 rounded-full px-1.5 text-xs font-medium whitespace-nowrap",
        tone === "ask" && "bg-ask-wash text-ask",
        tone === "run" && "bg-run-wash text-run",
        tone === "fail" && "bg-fail-wash text-fail",
        tone === "past" && "bg-hover text-soft",
      )}
    >
      {children}
    </span>
  );
}

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-sm bg-hover px-1 font-sans text-xs font-medium whitespace-nowrap text-soft">
      {children}
    </kbd>
  );
}

/** A page or list without content says what would be here, and how it comes. */
export function Empty({
  icon,
  title,
  children,
  action,
  top,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** It is the whole page, so its title is the page's heading. */
  top?: boolean;
}) {
  const Heading = top ? "h1" : "h2";
  return (
    <div className="mx-auto flex max-w-sm flex-col items-center gap-2 px-4 py-16 text-center">
      {icon && <span className="text-past">{icon}</span>}
      <Heading className="font-semibold">{title}</Heading>
      {children && <div className="text-soft">{children}</div>}
      {action && <div className="pt-2">{action}</div>}
    </div>
  );
}

/** Lines added and removed; nothing where nothing changed. */
export function Counts({ added, removed }: { added?: number; removed?: number }) {
  if (!added && !removed) return null;
  return (
    <span className="inline-flex gap-[5px] font-mono text-sm font-medium tracking-tight whitespace-nowrap">
      {!!added && <span className="text-add">+{added}</span>}
      {!!removed && <span className="text-del">−{removed}</span>}
    </span>
  );
}

/** What is on its way: quiet at first, said aloud once. */
export function Loading({ label }: { label?: string }) {
  const t = useWords(uiWords);
  return (
    <div role="status" data-loading className="flex items-center justify-center gap-2 p-8 text-soft">
      <Mark tone="run" live />
      {label ?? t.loading}
    </div>
  );
}

/** An error in words: what happened and what to do. */
export function ErrorNote({ error, retry }: { error: unknown; retry?: () => void }) {
  const t = useWords(uiWords);
  const e = error as { message?: string; code?: string; suggestedAction?: string };
  const todo = e.suggestedAction ? t.whatToDo[e.suggestedAction] : "";
  return (
    <div
      role="alert"
      className="flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg border border-fail-line bg-fail-wash px-3 py-2"
    >
      <Mark tone="fail" className="mt-1" />
      <p className="min-w-0 flex-1 basis-52">
        <span className="text-ink">{e.message ?? String(error)}</span> {todo}
        {e.code && <span className="ml-1 font-mono text-xs text-soft">{e.code}</span>}
      </p>
      {retry && <Button onClick={retry}>{t.retry}</Button>}
    </div>
  );
}

/** A time of day; the exact one on hover. */
export function Time({ ms, className }: { ms: number; className?: string }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={fullTime(ms)} className={className}>
      {clockTime(ms)}
    </time>
  );
}

/** How long ago; it stays true while the page is open. */
export function Ago({
  ms,
  short,
  className,
}: {
  ms: number;
  /** As "2h" and "Tue", where there is little room. */ short?: boolean;
  className?: string;
}) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={new Date(ms).toISOString()} title={fullTime(ms)} className={className}>
      {short ? age(ms, now) : ago(ms, now)}
    </time>
  );
}

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useWords(uiWords);
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <IconButton
      label={done ? t.copied : (label ?? t.copy)}
      icon={done ? <Check size={14} /> : <Copy size={14} />}
      onClick={() => void copyText(text).then(setDone)}
    />
  );
}

/** Text as it is, scrollable by keyboard. */
export function Pre({ children, label, className }: { children: ReactNode; label: string; className?: string }) {
  return (
    <pre
      tabIndex={0}
      role="group"
      aria-label={label}
      className={cx(
        "max-h-96 overflow-auto rounded bg-sunk px-3 py-2 font-mono text-sm break-normal whitespace-pre",
        className,
      )}
    >
      {children}
    </pre>
  );
}

/** How far something has come. */
export function Progress({ done, total, label }: { done: number; total: number; label: string }) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
      className="h-1 w-full overflow-hidden rounded-full bg-line"
    >
      <div
        className="h-full bg-run transition-[width] duration-(--motion)"
        style={{ width: `${total > 0 ? (100 * done) / total : 0}%` }}
      />
    </div>
  );
}

/** The head of a page: its name and what one does there. `below`: on phones that has a line of its own. */
export function PageHead({ title, children, below }: { title: string; children?: ReactNode; below?: boolean }) {
  return (
    <header className="flex min-h-13 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2 desk:px-5">
      <h1 className="text-2xl font-semibold">{title}</h1>
      <div
        className={cx(
          "flex min-w-0 flex-1 flex-wrap items-center justify-end gap-2",
          below && "max-sm:basis-full max-sm:justify-start",
        )}
      >
        {children}
      </div>
    </header>
  );
}
