import { useEffect, useLayoutEffect, useRef, type ReactNode } from "react";
import { cx } from "./cx";

/**
 * A part of the page that comes over it from a side when asked for; how wide and high it is
 * is said by who uses it. It is the browser's
 * own modal dialog: it holds the focus, closes on Escape or a press beside it, and gives
 * the focus back.
 */
export function Drawer({
  side,
  label,
  onClose,
  children,
  className,
}: {
  side: "left" | "right";
  label: string;
  onClose(): void;
  children: ReactNode;
  className?: string;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!ref.current!.open) ref.current!.showModal();
  }, []);
  // Closed while it is still in the page, or the focus would be lost with it.
  useLayoutEffect(() => {
    const d = ref.current!;
    return () => d.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-label={label}
      onCancel={(e) => {
        if (e.target !== ref.current) return; // of a dialog within
        e.preventDefault();
        onClose();
      }}
      onMouseDown={(e) => {
        if (e.target === ref.current && !within(ref.current!, e.clientX, e.clientY)) onClose();
      }}
      className={cx(
        "fixed bottom-0 m-0 max-h-full max-w-[calc(100vw-3rem)] overflow-hidden border-0 bg-paper p-0 text-ink shadow-window",
        side === "left" ? "top-0 right-auto left-0 h-full backdrop:bg-[rgb(30_26_18/0.28)]" : "right-0 left-auto",
        className,
      )}
    >
      <div className="flex h-full flex-col">{children}</div>
    </dialog>
  );
}

function within(el: HTMLElement, x: number, y: number): boolean {
  const r = el.getBoundingClientRect();
  return x >= r.left && x <= r.right && y >= r.top && y <= r.bottom;
}
