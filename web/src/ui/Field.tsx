import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from "react";
import { cx } from "./cx";

const box =
  "w-full rounded border border-edge bg-sheet px-2.5 text-ink focus-visible:border-run focus-visible:outline-3 focus-visible:outline-offset-0 focus-visible:outline-run/20 aria-invalid:border-fail";

/** A labelled control with a hint or an error below it. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string;
  hint?: ReactNode;
  error?: ReactNode;
  children: (props: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }) => ReactNode;
}) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": note ? `${id}-n` : undefined, "aria-invalid": error ? true : undefined })}
      {note && (
        <p id={`${id}-n`} className={cx("text-sm", error ? "text-fail" : "text-soft")}>
          {note}
        </p>
      )}
    </div>
  );
}

export function TextInput({
  className,
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  return <input className={cx(box, "h-(--row)", className)} {...rest} />;
}

export function TextArea({
  className,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) {
  return <textarea className={cx(box, "resize-y py-1.5", className)} {...rest} />;
}

export function Select({ className, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return <select className={cx(box, "h-(--row)", className)} {...rest} />;
}

/** A switch without words of its own: something beside it names it. */
export function Toggle({
  id,
  checked,
  onChange,
  disabled,
  ...aria
}: {
  id?: string;
  checked: boolean;
  onChange(on: boolean): void;
  disabled?: boolean;
  "aria-labelledby"?: string;
  "aria-describedby"?: string;
}) {
  return (
    <button
      id={id}
      type="button"
      role="switch"
      aria-checked={checked}
      {...aria}
      disabled={disabled}
      onClick={() => onChange(!checked)}
      className="-m-2 flex shrink-0 items-center p-2 disabled:opacity-50 pointer-coarse:-my-3.25 pointer-coarse:py-3.25"
    >
      <span
        className={cx(
          "relative h-[18px] w-8 rounded-full border transition-colors duration-(--motion)",
          checked ? "border-run bg-run" : "border-edge bg-sheet",
        )}
      >
        <span
          className={cx(
            "absolute top-0.5 size-3 rounded-full transition-[left] duration-(--motion)",
            checked ? "left-4 bg-on-run" : "left-0.5 bg-edge",
          )}
        />
      </span>
    </button>
  );
}

/** A switch: on or off at once, without a save button. */
export function Switch({
  checked,
  onChange,
  label,
  hint,
  title,
  disabled,
}: {
  checked: boolean;
  onChange(on: boolean): void;
  label: string;
  hint?: ReactNode;
  title?: string;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <div title={title} className={cx("flex min-h-(--row) gap-3 py-1", hint ? "items-start" : "items-center")}>
      <Toggle
        id={id}
        checked={checked}
        onChange={onChange}
        disabled={disabled}
        aria-labelledby={`${id}-l`}
        aria-describedby={hint ? `${id}-n` : undefined}
      />
      <div className="min-w-0">
        <label id={`${id}-l`} htmlFor={id}>
          {label}
        </label>
        {hint && (
          <p id={`${id}-n`} className="text-sm text-soft">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

/** One of a few, side by side. */
export function Segmented<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: { id: NoInfer<T>; name: string; icon?: ReactNode }[];
  onChange(v: NoInfer<T>): void;
}) {
  const group = useId();
  return (
    <div role="radiogroup" aria-label={label} className="flex w-fit gap-0.5 rounded-[7px] bg-hover p-0.5">
      {options.map((o) => (
        <label
          key={o.id}
          className="flex h-[calc(var(--row)-6px)] cursor-pointer items-center gap-1.5 rounded-[5px] px-2.5 text-sm font-medium whitespace-nowrap text-soft hover:text-ink has-checked:bg-sheet has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-run"
        >
          <input
            type="radio"
            className="sr-only"
            name={group}
            checked={o.id === value}
            onChange={() => onChange(o.id)}
          />
          {o.icon}
          {o.name}
        </label>
      ))}
    </div>
  );
}
