import { type ButtonHTMLAttributes, type ReactNode, type Ref } from "react";
import { cx } from "./cx";

type Look = "plain" | "main" | "danger" | "quiet";

const looks: Record<Look, string> = {
  plain: "border border-edge/60 bg-sheet text-ink hover:bg-hover",
  main: "border border-run bg-run text-on-run hover:brightness-110",
  danger: "border border-fail/70 bg-sheet text-fail hover:bg-fail-wash",
  quiet: "border border-transparent text-ink hover:bg-hover",
};

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  icon?: ReactNode;
  /** The key that does the same, shown beside the words. */
  keys?: string;
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with words. While busy it stays focusable and does nothing. */
export function Button({ look = "plain", icon, keys, busy, className, children, onClick, type = "button", ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      aria-keyshortcuts={keys}
      onClick={busy ? undefined : onClick}
      className={cx(
        "inline-flex h-(--row) min-w-(--row) shrink-0 items-center justify-center gap-1.5 rounded px-2.5 whitespace-nowrap select-none transition-[background-color,filter] duration-(--motion) disabled:opacity-50",
        busy && "opacity-60",
        looks[look],
        className,
      )}
      {...rest}
    >
      {icon}
      {children}
      {keys && <kbd aria-hidden className="hidden font-mono text-xs opacity-75 pointer-fine:inline">{keys}</kbd>}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "aria-label" | "children"> {
  /** What it does; the icon alone says it to nobody. */
  label: string;
  icon: ReactNode;
  keys?: string;
  pressed?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with an icon only. Its name is shown on hover and read aloud. */
export function IconButton({ label, icon, keys, pressed, className, type = "button", ...rest }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      aria-pressed={pressed}
      aria-keyshortcuts={keys}
      title={keys ? `${label} (${keys})` : label}
      className={cx(
        "inline-flex size-(--row) shrink-0 items-center justify-center rounded text-soft transition-colors duration-(--motion) hover:bg-hover hover:text-ink disabled:opacity-40",
        pressed && "bg-hover text-ink",
        className,
      )}
      {...rest}
    >
      {icon}
    </button>
  );
}
