import { ArrowUp } from "lucide-react";
import { type ButtonHTMLAttributes, type ReactNode, type Ref } from "react";
import { cx } from "./cx";

type Look = "plain" | "main" | "danger" | "quiet";

const looks: Record<Look, string> = {
  plain: "border border-line2 bg-sheet text-ink shadow-card hover:bg-hover",
  main: "border border-transparent bg-run text-on-run shadow-card hover:bg-run-hi",
  danger: "border border-line2 bg-sheet text-fail shadow-card hover:bg-fail-wash",
  quiet: "border border-transparent text-soft hover:bg-hover hover:text-ink",
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
export function Button({
  look = "plain",
  icon,
  keys,
  busy,
  className,
  children,
  onClick,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      aria-keyshortcuts={keys}
      onClick={busy ? undefined : onClick}
      className={cx(
        "inline-flex h-(--row) min-w-(--row) shrink-0 items-center justify-center gap-1.5 rounded px-3 font-medium whitespace-nowrap select-none transition-[background-color,filter] duration-(--motion) disabled:opacity-50",
        busy && "opacity-60",
        looks[look],
        className,
      )}
      {...rest}
    >
      {icon}
      {children}
      {keys && (
        <kbd
          aria-hidden
          className={cx(
            "hidden h-[18px] min-w-[18px] items-center justify-center rounded-sm px-1 font-sans text-xs pointer-fine:inline-flex",
            look === "main" ? "bg-on-run/16" : "bg-hover text-soft",
          )}
        >
          {keys}
        </kbd>
      )}
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

/** The button that sends what was written. While there is nothing, it is quiet. */
export function SendButton({
  label,
  keys,
  busy,
  disabled,
  className,
  type = "button",
  onClick,
  title,
  ...rest
}: Omit<IconButtonProps, "icon" | "pressed"> & { busy?: boolean }) {
  return (
    <button
      type={type}
      aria-label={label}
      aria-keyshortcuts={keys}
      title={title ?? label}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      disabled={disabled}
      onClick={busy ? undefined : onClick}
      className={cx(
        "inline-flex size-8 shrink-0 items-center justify-center rounded-lg transition-colors duration-(--motion) pointer-coarse:size-11",
        disabled ? "bg-hover text-faint" : "bg-run text-on-run hover:bg-run-hi",
        busy && "opacity-60",
        className,
      )}
      {...rest}
    >
      <ArrowUp size={17} aria-hidden />
    </button>
  );
}
