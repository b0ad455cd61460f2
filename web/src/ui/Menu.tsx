import {
  cloneElement,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ButtonHTMLAttributes,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from "react";
import { Check } from "lucide-react";
import { cx } from "./cx";

export interface MenuItem {
  id: string;
  label: string;
  icon?: ReactNode;
  keys?: string;
  /** A second line: what choosing it means. */
  note?: string;
  /** One of several choices: whether it is the one that holds. */
  checked?: boolean;
  danger?: boolean;
  disabled?: boolean;
  run(): void;
}

/** What stands in a menu: something to do, a line, or what the choices below it are about. */
export type MenuEntry = MenuItem | "line" | { heading: string };

/**
 * A menu of actions behind a button. It is the browser's own popover, which
 * knows the top layer, Escape, clicks elsewhere and where the focus came from;
 * ours are the place and the arrow keys.
 */
export function Menu({
  trigger,
  items,
  label,
  onOpen,
}: {
  trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>;
  items: MenuEntry[];
  label?: string;
  /** Called when it opens, to ask for what it lists. */
  onOpen?(): void;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const choices = () => [...list.current!.querySelectorAll<HTMLButtonElement>("[role^=menuitem]:not(:disabled)")];

  const onToggle = (now: boolean) => {
    setOpen(now);
    if (now) onOpen?.();
  };
  // What is listed may come after the menu opened: its place is found again, and the focus.
  useLayoutEffect(() => {
    if (!open) return;
    const button = document.querySelector(`[popovertarget="${CSS.escape(id)}"]`);
    if (button) place(list.current!, button.getBoundingClientRect());
    const all = choices();
    if (!all.includes(document.activeElement as HTMLButtonElement))
      (all.find((b) => b.ariaChecked === "true") ?? all[0] ?? list.current)?.focus();
  }, [open, id, items.length]);
  const onKey = (e: KeyboardEvent) => {
    const all = choices();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1 + all.length,
      Home: 0,
      End: all.length - 1,
    };
    if (e.key in to) all[to[e.key]! % all.length]?.focus();
    else if (e.key === "Tab") list.current!.hidePopover();
    else if (/^\S$/.test(e.key)) {
      const from = [...all.slice(at + 1), ...all.slice(0, at + 1)];
      from.find((b) => b.dataset.label!.startsWith(e.key.toLowerCase()))?.focus();
    } else return;
    if (e.key !== "Tab") e.preventDefault();
    e.stopPropagation();
  };
  return (
    <>
      {cloneElement(trigger, { "aria-haspopup": "menu", "aria-expanded": open, popoverTarget: id })}
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        onToggle={(e) => onToggle(e.newState === "open")}
        onKeyDown={onKey}
        className="m-0 max-h-[60dvh] max-w-[min(24rem,calc(100vw-1rem))] min-w-44 overflow-y-auto rounded-lg border border-line bg-sheet p-1 text-ink shadow-window"
      >
        {items.map((it, i) =>
          it === "line" ? (
            <div key={`line${i}`} role="separator" className="my-1 h-px bg-line" />
          ) : "heading" in it ? (
            <div key={it.heading} role="presentation" className="px-2 pt-2 pb-1 text-xs font-semibold text-faint">
              {it.heading}
            </div>
          ) : (
            <button
              key={it.id}
              type="button"
              role={it.checked === undefined ? "menuitem" : "menuitemradio"}
              aria-checked={it.checked}
              tabIndex={-1}
              disabled={it.disabled}
              data-label={it.label.toLowerCase()}
              onClick={() => {
                list.current!.hidePopover();
                it.run();
              }}
              onMouseEnter={(e) => e.currentTarget.focus()}
              className={cx(
                "flex min-h-(--row) w-full items-center gap-2 rounded-sm px-2 text-left outline-none focus:bg-hover disabled:opacity-50",
                it.danger && "text-fail",
              )}
            >
              <span className="flex w-4 shrink-0 justify-center text-soft">
                {it.checked ? <Check size={14} /> : it.icon}
              </span>
              <span className="min-w-0 flex-1">
                {it.label}
                {it.note && <span className="block text-sm text-soft">{it.note}</span>}
              </span>
              {it.keys && <kbd className="font-mono text-xs text-soft">{it.keys}</kbd>}
            </button>
          ),
        )}
      </div>
    </>
  );
}

/** Below the button and in line with its right edge, or wherever there is room. */
function place(menu: HTMLElement, at: DOMRect): void {
  const gap = 4;
  const { width, height } = menu.getBoundingClientRect();
  const below = at.bottom + gap + height <= innerHeight - 8;
  menu.style.top = `${below ? at.bottom + gap : Math.max(8, at.top - gap - height)}px`;
  menu.style.left = `${Math.min(innerWidth - width - 8, Math.max(8, at.right - width))}px`;
  menu.style.right = "auto";
  menu.style.bottom = "auto";
}
