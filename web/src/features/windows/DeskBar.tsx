import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { AppWindow, MonitorPlay } from "lucide-react";
import { Link } from "wouter";
import { useWords } from "@/i18n";
import { cx } from "@/ui";
import { bringToFront, inOrder, lookAt, monitors, numberOf, putAside, useDesk } from "./desk";
import { focusOn } from "./Desk";
import { windowWords } from "./words";

const chip = "inline-flex h-6 pointer-coarse:h-11 max-w-48 min-w-6 items-center rounded px-2 text-sm";

/** Which windows there are, put aside or not, and the monitors once there is more than one in use. */
export function DeskBar({ session }: { session: Session }) {
  const t = useWords(windowWords);
  const windows = useSnapshot(session, (s) => s.windows);
  const { monitor, front, aside } = useDesk(session);
  if (windows.length === 0 && monitor === monitors[0]) return null;
  const on = (m: string) => windows.filter((w) => numberOf(w.monitor_id) === numberOf(m));
  const used = monitors.filter((m) => m === monitor || m === monitors[0] || on(m).length > 0);
  const here = on(monitor);
  const first = inOrder(here, front).findLast((w) => !aside.has(w.window_id))?.window_id;
  const pick = (id: string) => {
    if (id === first) return putAside(session, id);
    bringToFront(session, id);
    focusOn(id);
  };
  return (
    <div
      data-desk-bar
      className="flex min-h-8 shrink-0 items-center gap-3 overflow-x-auto border-t border-line bg-sunk px-4 text-soft max-md:hidden"
    >
      {used.length > 1 && (
        <div role="group" aria-label={t.monitors} className="flex gap-0.5 border-r border-line pr-3">
          {used.map((m) => (
            <button
              key={m}
              type="button"
              aria-pressed={m === monitor}
              aria-label={`${t.monitor(numberOf(m))}, ${t.count(on(m).length)}`}
              title={`${t.monitor(numberOf(m))}, ${t.count(on(m).length)}`}
              onClick={() => lookAt(session, m)}
              className={cx(
                chip,
                "justify-center",
                m === monitor ? "bg-sheet font-medium text-run" : "hover:bg-hover hover:text-ink",
              )}
            >
              {numberOf(m)}
            </button>
          ))}
        </div>
      )}
      <AppWindow size={13} aria-hidden className="shrink-0" />
      <div role="group" aria-label={t.windows} className="flex min-w-0 gap-0.5">
        {here.map((w) => (
          <button
            key={w.window_id}
            type="button"
            aria-pressed={!aside.has(w.window_id)}
            onClick={() => pick(w.window_id)}
            className={cx(
              chip,
              "hover:bg-hover hover:text-ink",
              w.window_id === first && "text-ink",
              aside.has(w.window_id) && "italic",
            )}
          >
            <span className="truncate">{w.title || t.untitled}</span>
          </button>
        ))}
      </div>
      <span className="flex-1" />
      <Link
        href={`/s/${session.id}/desktop/${monitor}`}
        className={cx(chip, "shrink-0 gap-1.5 hover:bg-hover hover:text-ink")}
      >
        <MonitorPlay size={13} aria-hidden />
        {t.desktop}
      </Link>
    </div>
  );
}
