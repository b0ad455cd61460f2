import type { Bounds } from "@clew-run/client";
import { useId, useRef, type ReactNode } from "react";
import { cx } from "@/ui";
import { fit, type Area, type Hold } from "./place";
import { useDrag } from "./useDrag";
import { useSteps, type Stepping } from "./useSteps";

const edges: { hold: Hold; className: string }[] = [
  { hold: "n", className: "inset-x-2 -top-1 h-2 cursor-ns-resize" },
  { hold: "s", className: "inset-x-2 -bottom-1 h-2 cursor-ns-resize" },
  { hold: "w", className: "inset-y-2 -left-1 w-2 cursor-ew-resize" },
  { hold: "e", className: "inset-y-2 -right-1 w-2 cursor-ew-resize" },
  { hold: "nw", className: "-top-1 -left-1 size-3 cursor-nwse-resize" },
  { hold: "se", className: "-right-1 -bottom-1 size-4 cursor-nwse-resize" },
  { hold: "ne", className: "-top-1 -right-1 size-3 cursor-nesw-resize" },
  { hold: "sw", className: "-bottom-1 -left-1 size-3 cursor-nesw-resize" },
];

interface Props {
  id: string;
  title: string;
  icon: ReactNode;
  /** What is said of it beside its title. */
  tag?: ReactNode;
  area: Area;
  place: Bounds;
  /** How far in front it lies. */
  rank: number;
  first: boolean;
  hidden?: boolean;
  busy?: boolean;
  /** The buttons at the end of its head; they may start moving and resizing by keys. */
  actions(start: (kind: Stepping) => void): ReactNode;
  /** A line below the content. */
  foot?: ReactNode;
  children: ReactNode;
  onFront(): void;
  onPlace(hold: Hold, bounds: Bounds): void;
}

/** A window: dragged by its title, resized by its edges, or both by keys. What it shows and where it is kept is up to who uses it. */
export function WindowBox({
  id,
  title,
  icon,
  tag,
  area,
  place: wanted,
  rank,
  first,
  hidden,
  busy,
  actions,
  foot,
  children,
  onFront,
  onPlace,
}: Props) {
  const box = useRef<HTMLElement>(null);
  const name = useId();
  const place = fit(wanted, area);
  const drag = useDrag(place, area, onPlace);
  const steps = useSteps(place, area, box, onPlace);
  const shown = drag.now ?? steps.steps?.now ?? place;
  return (
    <section
      ref={box}
      aria-labelledby={name}
      aria-busy={busy || undefined}
      tabIndex={-1}
      hidden={hidden}
      data-window={id}
      data-stepping={steps.steps?.kind}
      onPointerDownCapture={onFront}
      onFocus={onFront}
      onKeyDown={steps.onKeyDown}
      onBlur={(e) => e.target === box.current && steps.onBlur()}
      style={{ left: shown.x, top: shown.y, width: shown.w, height: shown.h, zIndex: rank }}
      className={cx(
        "pointer-events-auto absolute flex-col rounded-xl border bg-sheet not-[[hidden]]:flex",
        first ? "border-edge/70 shadow-window" : "border-line2 shadow-raised",
        steps.steps && "outline-2 outline-run",
        busy && "opacity-60",
      )}
    >
      <header
        {...drag.handle("")}
        className="flex h-9 shrink-0 cursor-grab touch-none items-center gap-2 rounded-t-xl border-b border-line bg-paper pr-0.5 pl-3 select-none active:cursor-grabbing pointer-coarse:h-11"
      >
        <span aria-hidden className="shrink-0 text-faint">
          {icon}
        </span>
        <h2 id={name} title={title} className="min-w-0 truncate font-semibold">
          {title}
        </h2>
        {tag}
        <span className="flex-1" />
        <span className="flex shrink-0 [--row:28px] pointer-coarse:[--row:44px]">{actions(steps.start)}</span>
      </header>
      <div
        className={cx(
          "flex min-h-0 flex-1 flex-col overflow-hidden rounded-b-xl",
          (drag.now || !first) && "[&_iframe]:pointer-events-none",
        )}
      >
        <div className="min-h-0 flex-1 overflow-hidden">{children}</div>
        {foot}
      </div>
      {edges.map((e) => (
        <div
          key={e.hold}
          aria-hidden
          data-edge={e.hold}
          {...drag.handle(e.hold)}
          className={cx("absolute touch-none", e.className)}
        />
      ))}
    </section>
  );
}

/** The line below a window's content. */
export function WindowFoot({ children }: { children: ReactNode }) {
  return (
    <footer className="flex min-h-8 shrink-0 items-center gap-2 border-t border-line bg-paper px-3 text-sm text-soft pointer-coarse:min-h-11">
      {children}
    </footer>
  );
}
