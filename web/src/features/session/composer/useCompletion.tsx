import {
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { cx } from "@/ui";
import { calledAt, ofCommands, ofFiles, type Called, type Names, type Suggestion } from "./completion";
import { composerWords } from "./words";

const shown = 8;

interface Completion {
  /** To be called after each change of the words or the cursor. */
  look(): void;
  /** Whether it took the key for itself. */
  key(e: KeyboardEvent<HTMLTextAreaElement>): boolean;
  close(): void;
  list: ReactNode;
  /** For the box, so that a screen reader says what is chosen. */
  aria: { "aria-autocomplete": "list"; "aria-controls"?: string; "aria-activedescendant"?: string };
}

/** Completes files after @ and commands after / while one writes. `names` stays the same object until others count. */
export function useCompletion(
  names: Names,
  box: RefObject<HTMLTextAreaElement | null>,
  typed: () => void,
  side: "above" | "below" = "above",
): Completion {
  const t = useWords(composerWords);
  const id = useId();
  const [found, setFound] = useState<Suggestion[]>([]);
  const [chosen, setChosen] = useState(0);
  const called = useRef<Called | null>(null);
  const closed = useRef(-1); // where Escape closed it: it stays so there
  const asking = useRef<AbortController | null>(null);

  const close = useCallback(() => {
    called.current = null;
    asking.current?.abort();
    setFound((f) => (f.length === 0 ? f : []));
  }, []);
  useEffect(() => close, [close, names]);

  const look = useCallback(() => {
    const el = box.current;
    const now = el && el.selectionStart === el.selectionEnd ? calledAt(el.value, el.selectionStart) : null;
    if (!now || now.from === closed.current) {
      if (!now) closed.current = -1;
      return close();
    }
    const before = called.current;
    if (before?.kind === now.kind && before.from === now.from && before.query === now.query) return;
    called.current = now;
    asking.current?.abort();
    const over = (asking.current = new AbortController());
    const answer =
      now.kind === "file"
        ? names.files({ query: now.query, limit: shown }, over.signal).then((a) => ofFiles(a.files))
        : names.slashCommands().then((a) => ofCommands(a, now.query, t.useSkill).slice(0, 50));
    answer.then(
      (list) => {
        if (over.signal.aborted) return;
        setFound(list);
        setChosen(0);
        announce(t.suggestions(list.length));
      },
      () => {},
    ); // without a line there is nothing to offer
  }, [box, close, names, t]);

  const take = (s: Suggestion) => {
    const el = box.current;
    const from = called.current?.from;
    if (!el || from === undefined) return;
    const rest = el.value.slice(el.selectionStart);
    el.setRangeText(s.open || rest.startsWith(" ") ? s.text : `${s.text} `, from, el.selectionStart, "end");
    close();
    typed();
    el.focus();
    if (s.open) look();
  };
  const key = (e: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    const n = found.length;
    if (
      n === 0 ||
      !called.current ||
      e.nativeEvent.isComposing ||
      e.keyCode === 229 ||
      e.ctrlKey ||
      e.metaKey ||
      e.altKey ||
      e.shiftKey
    )
      return false;
    const one = found[chosen]!;
    const el = box.current!;
    switch (e.key) {
      case "ArrowDown":
        setChosen((chosen + 1) % n);
        break;
      case "ArrowUp":
        setChosen((chosen + n - 1) % n);
        break;
      case "Escape":
        closed.current = called.current.from;
        close();
        break;
      case "Enter":
        if (el.value.slice(called.current.from, el.selectionStart) === one.text) return false; // it is written already: Enter sends
        take(one);
        break;
      case "Tab":
        take(one);
        break;
      default:
        return false;
    }
    e.preventDefault();
    e.stopPropagation();
    return true;
  };
  const open = found.length > 0;
  const list = open && (
    <ul
      id={id}
      role="listbox"
      aria-label={called.current?.kind === "command" ? t.command : t.mention}
      className={cx(
        side === "above" ? "bottom-full mb-1" : "top-full mt-1",
        "absolute left-0 z-20 max-h-[40dvh] w-full max-w-xl overflow-y-auto rounded border border-line bg-sheet p-1 shadow-window",
      )}
    >
      {found.map((s, i) => (
        <li
          key={s.id}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === chosen}
          ref={(el) => {
            if (i === chosen) el?.scrollIntoView?.({ block: "nearest" });
          }}
          onMouseDown={(e) => {
            e.preventDefault();
            take(s);
          }}
          onMouseMove={() => i !== chosen && setChosen(i)}
          className={cx(
            "flex min-h-(--row) cursor-pointer items-center gap-2 rounded-sm px-2",
            i === chosen && "bg-hover",
          )}
        >
          <span className="max-w-full truncate font-mono text-sm" dir="ltr">
            {s.label}
          </span>
          {s.help && <span className="min-w-0 flex-1 truncate text-sm text-soft">{s.help}</span>}
        </li>
      ))}
    </ul>
  );
  return {
    look,
    key,
    close,
    list,
    aria: {
      "aria-autocomplete": "list",
      ...(open && { "aria-controls": id, "aria-activedescendant": `${id}-${chosen}` }),
    },
  };
}
