import { useRef, type KeyboardEvent, type PointerEvent } from "react";
import { useWords } from "@/i18n";
import { sessionWords } from "../words";
import { fitting, narrowest, useSide, widest } from "./side";

/** The line between transcript and right side: dragged, or moved by arrow keys. */
export function Divider() {
  const t = useWords(sessionWords);
  const { width, setWidth } = useSide();
  const from = useRef<{ x: number; width: number } | null>(null);
  const onPointerDown = (e: PointerEvent<HTMLDivElement>) => {
    e.currentTarget.setPointerCapture(e.pointerId);
    from.current = { x: e.clientX, width };
  };
  const onPointerMove = (e: PointerEvent) => {
    if (from.current) setWidth(fitting(from.current.width + from.current.x - e.clientX));
  };
  const onKeyDown = (e: KeyboardEvent) => {
    const by = { ArrowLeft: 24, ArrowRight: -24 }[e.key];
    if (by === undefined && e.key !== "Home" && e.key !== "End") return;
    e.preventDefault();
    setWidth(e.key === "Home" ? widest : e.key === "End" ? narrowest : width + by!);
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t.resize}
      aria-valuemin={narrowest}
      aria-valuemax={widest}
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => (from.current = null)}
      onPointerCancel={() => (from.current = null)}
      onKeyDown={onKeyDown}
      className="relative w-px shrink-0 cursor-col-resize touch-none bg-line after:absolute after:inset-y-0 after:-left-1 after:w-2.5 hover:bg-run focus-visible:bg-run"
    />
  );
}
