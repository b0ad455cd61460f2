import { useId, type ReactNode } from "react";
import { cx } from "@/ui";

/** A section of the settings: its name, what it is about, and its main action. */
export function Part({
  title,
  help,
  action,
  children,
}: {
  title: string;
  help?: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <>
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="text-2xl font-semibold">{title}</h2>
          {help && <p className="text-soft">{help}</p>}
        </div>
        {action}
      </header>
      {children}
    </>
  );
}

/** A group in a section: a heading, and a card with rows below it. */
export function Group({
  title,
  help,
  aside,
  children,
  bare,
}: {
  title: string;
  help?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
  /** Without a card. */
  bare?: boolean;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-6.5">
      <div className="mb-2 flex flex-wrap items-end gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-56">
          <h3 id={id} className="text-xl font-semibold">
            {title}
          </h3>
          {help && <p className="text-sm text-soft">{help}</p>}
        </div>
        {aside}
      </div>
      {bare ? children : <Card>{children}</Card>}
    </section>
  );
}

export function Card({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div
      className={cx(
        "overflow-hidden rounded-lg border border-line2 bg-sheet shadow-card divide-y divide-line",
        className,
      )}
    >
      {children}
    </div>
  );
}

/** A row of a card: what it is about, and what one does with it at the right. */
export function Row({
  icon,
  title,
  tag,
  children,
  actions,
  below,
  label,
}: {
  icon?: ReactNode;
  title: ReactNode;
  tag?: ReactNode;
  /** The second line. */
  children?: ReactNode;
  actions?: ReactNode;
  /** What is shown under the row, over its whole width. */
  below?: ReactNode;
  label?: string;
}) {
  return (
    <div role={label ? "group" : undefined} aria-label={label} className="px-3.5 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {icon}
        <div className="min-w-0 flex-1 basis-44">
          <div className="flex flex-wrap items-center gap-x-2">
            <span className="min-w-0 font-semibold wrap-anywhere">{title}</span>
            {tag}
          </div>
          {children && <div className="text-sm text-soft">{children}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {below}
    </div>
  );
}

/** A field of a form: its label, the key in small grey, what it does, and its control. */
export function FieldRow({
  id,
  label,
  name,
  help,
  control,
  below,
  wide,
  small,
}: {
  id: string;
  label: string;
  /** The setting's key. */
  name?: string;
  help?: ReactNode;
  control: ReactNode;
  below?: ReactNode;
  /** The control has the whole width, under the words. */
  wide?: boolean;
  /** The control is small: it stands at the right edge, also on a phone. */
  small?: boolean;
}) {
  return (
    <div className="@container px-4 py-3" data-setting={name}>
      <div
        className={cx(
          "grid items-center gap-x-6 gap-y-2",
          small ? "grid-cols-[minmax(0,1fr)_auto]" : !wide && "@[34rem]:grid-cols-[minmax(0,1fr)_300px]",
        )}
      >
        <div className="min-w-0">
          <div className="flex flex-wrap items-baseline gap-x-2">
            <label id={`${id}-l`} htmlFor={id} className="font-medium">
              {label}
            </label>
            {name && <code className="font-mono text-xs text-faint">{name}</code>}
          </div>
          {help && (
            <p id={`${id}-d`} className="text-sm text-soft">
              {help}
            </p>
          )}
        </div>
        <div className="flex min-w-0 items-center gap-2">{control}</div>
      </div>
      {below}
    </div>
  );
}

/** Said where a list is empty. */
export function None({ children }: { children: ReactNode }) {
  return <p className="px-4 py-3 text-soft">{children}</p>;
}
