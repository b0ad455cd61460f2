import { useId, useRef, type KeyboardEvent, type ReactNode } from "react";

export interface Tab {
  id: string;
  label: ReactNode;
  content: ReactNode;
}

/** Tabs, the chosen one filled; arrows choose. Content of the others is not kept. */
export function Tabs({
  tabs,
  value,
  onChange,
  label,
  aside,
}: {
  tabs: Tab[];
  value: string;
  onChange(id: string): void;
  label: string;
  aside?: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const chosen = tabs.find((t) => t.id === value) ?? tabs[0]!;
  const onKey = (e: KeyboardEvent) => {
    const at = tabs.indexOf(chosen);
    const to: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1 + tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    if (!(e.key in to)) return;
    e.preventDefault();
    const next = tabs[to[e.key]! % tabs.length]!;
    onChange(next.id);
    list.current!.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.id)}"]`)?.focus();
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-11 shrink-0 items-center border-b border-line">
        <div
          ref={list}
          role="tablist"
          aria-label={label}
          onKeyDown={onKey}
          className="flex min-w-0 flex-1 gap-0.5 overflow-x-auto px-2.5 py-1"
        >
          {tabs.map((t) => (
            <button
              key={t.id}
              type="button"
              role="tab"
              data-tab={t.id}
              id={`${id}-${t.id}`}
              aria-selected={t === chosen}
              aria-controls={t === chosen ? `${id}-panel` : undefined}
              tabIndex={t === chosen ? 0 : -1}
              onClick={() => onChange(t.id)}
              className="flex h-7.5 shrink-0 items-center gap-1.5 rounded px-2.5 font-medium whitespace-nowrap text-soft -outline-offset-2 hover:text-ink aria-selected:bg-hover aria-selected:text-ink pointer-coarse:h-(--row)"
            >
              {t.label}
            </button>
          ))}
        </div>
        {aside}
      </div>
      <div
        key={chosen.id}
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${chosen.id}`}
        className="flex min-h-0 flex-1 flex-col"
      >
        {chosen.content}
      </div>
    </div>
  );
}
