import { X } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { create } from "zustand";
import { useWords } from "@/i18n";
import { Button, IconButton, Mark, type Tone } from "@/ui";
import { uiWords } from "@/ui/words";

interface Notice {
  id: number;
  tone: Tone;
  text: ReactNode;
  action?: { label: string; run(): void };
  /** Until it is put away, as errors do. */
  stays?: boolean;
  /** What it is about: a newer one takes its place, so that nobody is offered to undo what is undone. */
  about?: string;
}

interface Notices {
  list: Notice[];
  /** What the one polite region says. */
  spoken: string;
}

const useNotices = create<Notices>(() => ({ list: [], spoken: "" }));
let last = 0;

/** Shows a notice for a while. Errors stay until they are put away. */
export function notify(n: Omit<Notice, "id">): void {
  const id = ++last;
  useNotices.setState((s) => ({
    list: [...s.list.filter((o) => o.about === undefined || o.about !== n.about).slice(-3), { ...n, id }],
  }));
}

/** An error that nobody else shows: what happened and, if known, what to do. */
export function notifyError(error: unknown): void {
  notify({ tone: "fail", text: (error as Error)?.message ?? String(error) });
}

/** Says something to those who listen to the page. Events only, never streamed text. */
export function announce(text: string): void {
  useNotices.setState({ spoken: text });
}

function close(id: number): void {
  useNotices.setState((s) => ({ list: s.list.filter((n) => n.id !== id) }));
}

export function Notices() {
  const { list, spoken } = useNotices();
  return (
    <>
      <div role="status" aria-live="polite" className="sr-only" data-spoken>
        {spoken}
      </div>
      <div className="pointer-events-none fixed inset-x-0 top-[calc(6rem+env(safe-area-inset-top))] z-40 flex flex-col items-center gap-2 px-3 md:right-4 md:left-auto md:items-end lg:inset-x-0 lg:top-1.5 lg:items-center">
        {list.map((n) => (
          <NoticeLine key={n.id} notice={n} />
        ))}
      </div>
    </>
  );
}

function NoticeLine({ notice }: { notice: Notice }) {
  const t = useWords(uiWords);
  useEffect(() => {
    if (notice.tone === "fail" || notice.stays) return;
    const timer = setTimeout(() => close(notice.id), notice.action ? 12_000 : 5_000);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div
      role={notice.tone === "fail" ? "alert" : "status"}
      className="pointer-events-auto flex max-w-md items-center gap-2.5 rounded border border-line bg-sheet py-1 pr-1 pl-3 shadow-window"
    >
      <Mark tone={notice.tone} />
      <span className="min-w-0 flex-1 py-1">{notice.text}</span>
      {notice.action && (
        <Button
          look="quiet"
          className="text-run"
          onClick={() => {
            notice.action!.run();
            close(notice.id);
          }}
        >
          {notice.action.label}
        </Button>
      )}
      <IconButton label={t.close} icon={<X size={14} />} onClick={() => close(notice.id)} />
    </div>
  );
}
