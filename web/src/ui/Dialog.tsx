import { X } from "lucide-react";
import { useEffect, useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { useWords } from "@/i18n";
import { IconButton } from "./Button";
import { cx } from "./cx";
import { uiWords } from "./words";

/**
 * A modal dialog on the browser's own: it holds the focus, closes on Escape and
 * gives the focus back. On phones it is a sheet at the lower edge.
 */
export function Dialog({
  open,
  onClose,
  title,
  children,
  footer,
  wide,
  bare,
  size,
}: {
  open: boolean;
  onClose(): void;
  title: string;
  children: ReactNode;
  footer?: ReactNode;
  wide?: boolean;
  /** Without a visible head; the title is still read aloud. */
  bare?: boolean;
  /** High up, and as wide as what one types a search into. */
  size?: "palette";
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const t = useWords(uiWords);
  useEffect(() => {
    const d = ref.current;
    if (!d) return;
    if (open && !d.open) d.showModal();
    if (!open && d.open) d.close();
  }, [open]);
  // One that is taken out while it is open gives the focus back as well, which it
  // can do only as long as it is in the page.
  useLayoutEffect(() => {
    const d = ref.current;
    return () => d?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={bare ? undefined : id}
      aria-label={bare ? title : undefined}
      onClose={() => {
        if (!ref.current?.open) onClose(); // it comes late, perhaps after the next opening
      }}
      onCancel={(e) => {
        e.preventDefault();
        onClose();
      }}
      onMouseDown={(e) => {
        if (e.target === ref.current) onClose();
      }}
      className={cx(
        "m-auto max-h-[85dvh] w-full overflow-hidden rounded-xl border border-line bg-sheet p-0 shadow-window",
        "max-sm:mb-0 max-sm:max-w-full max-sm:rounded-b-none max-sm:pb-[env(safe-area-inset-bottom)]",
        size === "palette" ? "sm:mt-[12dvh] sm:max-w-160" : wide ? "sm:max-w-4xl" : "sm:max-w-lg",
      )}
    >
      {open && (
        <div className="flex max-h-[85dvh] flex-col">
          {!bare && (
            <header className="flex items-center gap-2 border-b border-line py-1.5 pr-1.5 pl-4">
              <h2 id={id} className="min-w-0 flex-1 truncate text-xl font-semibold">
                {title}
              </h2>
              <IconButton label={t.close} icon={<X size={16} />} onClick={onClose} />
            </header>
          )}
          <div className={cx("min-h-0 flex-1 overflow-y-auto", !bare && "p-4")}>{children}</div>
          {footer && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-2.5">{footer}</footer>
          )}
        </div>
      )}
    </dialog>
  );
}
