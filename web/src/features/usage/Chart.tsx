import { useRef, useState, type KeyboardEvent } from "react";
import { useWords } from "@/i18n";
import { day as dayName } from "@/lib/format";
import { cx } from "@/ui";
import { ticks, type Bar, type Series } from "./sums";
import { usageWords } from "./words";

const fills = ["fill-c1", "fill-c2", "fill-c3", "fill-c4", "fill-c5"];
const grounds = ["bg-c1", "bg-c2", "bg-c3", "bg-c4", "bg-c5"];

/** The colour of a series in charts and lists. */
export const ground = (i: number): string => grounds[Math.min(i, grounds.length - 1)]!;

const height = 190;
const gap = 1.5; // between the parts of a bar

const sumOf = (bar: Bar): number => bar.values.reduce((a, b) => a + b, 0);
const nameOf = (bar: Bar): string =>
  bar.from === bar.to ? dayName(bar.from) : `${dayName(bar.from)} – ${dayName(bar.to)}`;

/**
 * Stacked bars. The arrow keys or the pointer choose one, whose numbers are then
 * shown above; the same numbers are in a table behind it.
 */
export function Chart({
  label,
  series,
  bars,
  format,
}: {
  label: string;
  series: Series[];
  bars: Bar[];
  format(n: number): string;
}) {
  const t = useWords(usageWords);
  const [at, setAt] = useState<number>();
  const box = useRef<HTMLDivElement>(null);
  const marks = ticks(Math.max(0, ...bars.map(sumOf)));
  const top = marks.at(-1)!;
  const share = (n: number): number => (n / top) * height;
  const width = 100 / bars.length;
  const chosen = at === undefined ? undefined : bars[at];
  const onKey = (e: KeyboardEvent) => {
    const last = bars.length - 1;
    const from = at ?? last + 1;
    const to: Record<string, number | undefined> = {
      ArrowLeft: Math.max(0, from - 1),
      ArrowRight: Math.min(last, at === undefined ? 0 : from + 1),
      Home: 0,
      End: last,
    };
    if (e.key === "Escape") setAt(undefined);
    else if (to[e.key] === undefined) return;
    else setAt(to[e.key]);
    e.preventDefault();
  };
  const names = bars
    .map((_, i) => i)
    .filter((i) => i % Math.max(1, Math.round(bars.length / 4)) === 0 && i < bars.length - 2);
  return (
    <>
      <div className="flex min-h-5 flex-wrap items-center gap-x-4 gap-y-1 pb-4 text-sm text-soft" aria-live="polite">
        {chosen && (
          <span className="font-medium text-ink">
            {nameOf(chosen)} · {format(sumOf(chosen))}
          </span>
        )}
        {series.map((s, i) => (
          <span key={s.id} className="flex max-w-52 min-w-0 items-center gap-1.5">
            <span aria-hidden className={cx("size-2.5 shrink-0 rounded-[3px]", ground(i))} />
            <span className="truncate">{s.name}</span>
            {chosen && <span className="text-ink">{format(chosen.values[i] ?? 0)}</span>}
          </span>
        ))}
      </div>
      <div className="flex gap-2">
        <div aria-hidden className="relative w-11 shrink-0 text-right text-xs text-faint" style={{ height }}>
          {marks.map((m) => (
            <span
              key={m}
              className="absolute right-0 -translate-y-1/2"
              style={{ bottom: share(m) - 8, transform: "none" }}
            >
              {format(m)}
            </span>
          ))}
        </div>
        <div className="min-w-0 flex-1">
          <div
            ref={box}
            role="slider"
            tabIndex={0}
            aria-label={label}
            aria-valuemin={0}
            aria-valuemax={bars.length - 1}
            aria-valuenow={at ?? bars.length - 1}
            aria-valuetext={`${nameOf(bars[at ?? bars.length - 1]!)}, ${format(sumOf(bars[at ?? bars.length - 1]!))}`}
            onKeyDown={onKey}
            onPointerMove={(e) => {
              const r = box.current!.getBoundingClientRect();
              setAt(Math.min(bars.length - 1, Math.max(0, Math.floor(((e.clientX - r.left) / r.width) * bars.length))));
            }}
            onPointerLeave={() => setAt(undefined)}
            onBlur={() => setAt(undefined)}
            className="relative"
          >
            <svg aria-hidden width="100%" height={height} className="block overflow-visible">
              {marks.map((m) => (
                <line key={m} x1="0" x2="100%" y1={height - share(m)} y2={height - share(m)} className="stroke-line" />
              ))}
              {at !== undefined && (
                <rect x={`${at * width}%`} width={`${width}%`} y={0} height={height} className="fill-hover/60" />
              )}
              {bars.map((bar, i) => {
                let y = height;
                return bar.values.map((v, n) => {
                  const h = share(v);
                  y -= h;
                  return (
                    h > 0 && (
                      <rect
                        key={`${bar.from} ${n}`}
                        x={`${(i + 0.16) * width}%`}
                        width={`${width * 0.68}%`}
                        y={y}
                        height={Math.max(0.75, h - gap)}
                        rx={Math.min(2, h / 2)}
                        className={fills[Math.min(n, fills.length - 1)]}
                      />
                    )
                  );
                });
              })}
            </svg>
          </div>
          <div aria-hidden className="relative h-5 pt-1 text-xs text-faint">
            {names.map((i) => (
              <span
                key={i}
                className={cx("absolute whitespace-nowrap", i > 0 && "-translate-x-1/2")}
                style={{ left: `${i === 0 ? 0 : (i + 0.5) * width}%` }}
              >
                {dayName(bars[i]!.from)}
              </span>
            ))}
            <span className="absolute right-0">{t.today}</span>
          </div>
        </div>
      </div>
      <details className="pt-2 text-sm">
        <summary className="w-fit text-soft hover:text-ink pointer-coarse:py-3.5">{t.table}</summary>
        <div tabIndex={0} role="group" aria-label={label} className="mt-2 max-h-72 overflow-auto">
          <table className="w-full">
            <thead>
              <tr className="text-left text-xs text-faint">
                <th scope="col" className="sticky top-0 bg-sheet py-1 pr-3 font-semibold">
                  {t.date}
                </th>
                {series.map((s) => (
                  <th
                    key={s.id}
                    scope="col"
                    className="sticky top-0 max-w-40 truncate bg-sheet px-3 py-1 text-right font-semibold"
                  >
                    {s.name}
                  </th>
                ))}
                <th scope="col" className="sticky top-0 bg-sheet py-1 pl-3 text-right font-semibold">
                  {t.total}
                </th>
              </tr>
            </thead>
            <tbody>
              {bars
                .filter((b) => sumOf(b) > 0)
                .map((b) => (
                  <tr key={b.from} className="border-t border-line">
                    <th scope="row" className="py-1 pr-3 text-left font-normal whitespace-nowrap">
                      {nameOf(b)}
                    </th>
                    {b.values.map((v, i) => (
                      <td key={series[i]!.id} className="px-3 py-1 text-right">
                        {format(v)}
                      </td>
                    ))}
                    <td className="py-1 pl-3 text-right font-medium">{format(sumOf(b))}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

/** The course of a number in a line beside it. */
export function Spark({ values, className }: { values: number[]; className: string }) {
  const top = Math.max(...values);
  if (values.length < 2 || top <= 0) return null;
  const points = values.map((v, i) => `${(i / (values.length - 1)) * 92},${26 - (v / top) * 24}`).join(" ");
  return (
    <svg aria-hidden width="92" height="28" viewBox="0 0 92 28" className="shrink-0">
      <polyline
        points={points}
        fill="none"
        strokeWidth="1.75"
        strokeLinejoin="round"
        strokeLinecap="round"
        className={className}
      />
    </svg>
  );
}
