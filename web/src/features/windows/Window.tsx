import type { Bounds, Session, WindowState } from "@clew-run/client";
import { Minus, X } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { cx, IconButton } from "@/ui";
import { Content } from "./Content";
import { bringToFront, closeWindow, hold, keepPlace, putAside, useDesk, useMayChange } from "./desk";
import { firstPlace, fit, type Area, type Hold } from "./place";
import { useDrag } from "./useDrag";
import { useSteps } from "./useSteps";
import { WindowMenu } from "./WindowMenu";
import { windowWords } from "./words";

interface Props {
  session: Session;
  window: WindowState;
  area: Area;
  /** Its place among those of its monitor, for a first place. */
  index: number;
  /** How far in front it lies. */
  rank: number;
  first: boolean;
}

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

/** A window over the session: dragged by its title, resized by its edges, or both by keys. */
export function Window({ session, window: w, area, index, rank, first }: Props) {
  const t = useWords(windowWords);
  const title = w.title || t.untitled;
  const { held, aside } = useDesk(session);
  const mayChange = useMayChange(session);
  const [closing, setClosing] = useState(false);
  const box = useRef<HTMLElement>(null);
  const name = useId();
  const id = w.window_id;
  useEffect(() => hold(session, id, undefined), [session, id, w.layouts?.wide]); // the server's word counts

  const kept = held.get(id) ?? w.layouts?.wide;
  const place = kept ? fit(kept, area) : firstPlace(index, area);
  const onEnd = (how: Hold, bounds: Bounds) => {
    if (mayChange) void keepPlace(session, w, how === "" ? "move" : "resize", bounds);
    else hold(session, id, bounds); // for those who watch, their own view
  };
  const drag = useDrag(place, area, onEnd);
  const steps = useSteps(place, area, box, onEnd);
  const shown = drag.now ?? steps.steps?.now ?? place;
  const close = () => {
    setClosing(true);
    void closeWindow(session, w).then((ok) => {
      if (ok) announce(t.closed(title));
      else setClosing(false);
    });
  };
  return (
    <section
      ref={box}
      aria-labelledby={name}
      aria-busy={closing || undefined}
      tabIndex={-1}
      hidden={aside.has(id)}
      data-window={id}
      data-stepping={steps.steps?.kind}
      onPointerDownCapture={() => bringToFront(session, id)}
      onFocus={() => bringToFront(session, id)}
      onKeyDown={steps.onKeyDown}
      onBlur={(e) => e.target === box.current && steps.onBlur()}
      style={{ left: shown.x, top: shown.y, width: shown.w, height: shown.h, zIndex: rank }}
      className={cx(
        "pointer-events-auto absolute flex-col rounded border bg-sheet shadow-window not-[[hidden]]:flex",
        first ? "border-edge/60" : "border-line",
        steps.steps && "outline-2 outline-run",
        closing && "opacity-60",
      )}
    >
      <header {...drag.handle("")} className="flex shrink-0 cursor-grab touch-none items-center rounded-t border-b border-line bg-sunk pr-0.5 pl-3 select-none active:cursor-grabbing">
        <h2 id={name} title={title} className={cx("min-w-0 flex-1 truncate text-sm", first ? "font-medium" : "text-soft")}>{title}</h2>
        <WindowMenu session={session} window={w} title={title} close={close} start={steps.start} />
        <IconButton label={t.hide} icon={<Minus size={14} />} onClick={() => putAside(session, id)} />
        {mayChange && <IconButton label={closing ? t.closing : t.close} icon={<X size={14} />} onClick={closing ? undefined : close} />}
      </header>
      <div className={cx("min-h-0 flex-1 overflow-hidden rounded-b", (drag.now || !first) && "[&_iframe]:pointer-events-none")}>
        <Content window={w} title={title} />
      </div>
      {edges.map((e) => <div key={e.hold} aria-hidden data-edge={e.hold} {...drag.handle(e.hold)} className={cx("absolute touch-none", e.className)} />)}
    </section>
  );
}
