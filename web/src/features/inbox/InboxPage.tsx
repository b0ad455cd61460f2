import type { InboxItem } from "@clew-run/client";
import { Check, Inbox as InboxIcon } from "lucide-react";
import { useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useCommands, type Command } from "@/app/commands";
import { ConnectionBadge } from "@/app/Connection";
import { useWords } from "@/i18n";
import { Button, cx, Empty, Kbd, Loading, PageHead } from "@/ui";
import { alikeGroups, likeness } from "@/features/session/questions/alike";
import { openBatch } from "@/features/session/questions/BatchHost";
import { kindOf, type Kind } from "@/features/session/questions/kinds";
import { questionWords } from "@/features/session/questions/words";
import { InboxCard } from "./InboxCard";
import { useChoice } from "./useChoice";
import { useRows } from "./useRows";
import { inboxWords } from "./words";

/** Every question that waits for this person, over all sessions, the nearest deadline first. */
export function InboxPage(_: { sessionId?: string; part?: string }) {
  const t = useWords(inboxWords);
  const { rows, items, inbox, synced, connection } = useRows();
  const list = useRef<HTMLDivElement>(null);
  const [kind, setKind] = useState<Kind | null>(null);
  const choice = useChoice(items);
  const groups = useMemo(() => alikeGroups(items), [items]);
  const shown = rows.filter((r) => kind === null || kindOf(r.item.question) === kind);
  useKeys(list, choice.toggle);

  return (
    <>
      <PageHead title={t.inbox}>
        {rows.length > 0 && (
          <span className="hidden items-center gap-1.5 text-sm text-soft md:pointer-fine:flex">
            {t.keysHelp.map(([keys, does]) => <span key={keys} className="flex items-center gap-1 not-last:mr-1.5">{keys.split(" ").map((k) => <Kbd key={k}>{k}</Kbd>)}{does}</span>)}
          </span>
        )}
        <ConnectionBadge connection={connection} onRetry={() => inbox.reconnect()} />
      </PageHead>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div ref={list} onKeyDown={openHere} className="mx-auto flex w-full max-w-3xl flex-col gap-3 px-4 py-4">
          <Filter items={items} kind={kind} onChange={setKind} />
          {!synced && rows.length === 0 && connection.state !== "failed" && <Loading />}
          {synced && items.length === 0 && rows.length === 0 && <Empty icon={<InboxIcon size={28} />} title={t.empty}>{t.emptyHelp}</Empty>}
          {shown.map(({ item, goneAt }) => {
            const q = item.question;
            const gone = goneAt !== undefined;
            const key = likeness(q) ?? "";
            return (
              <InboxCard
                key={q.request_id}
                item={item}
                gone={gone}
                inbox={inbox}
                heading={2}
                alike={groups.get(key)}
                lineDown={!synced}
                lead={!gone && groups.has(key) && (
                  <label className="flex shrink-0 items-center justify-center pointer-coarse:-m-2.5 pointer-coarse:size-11">
                    <input
                      type="checkbox"
                      className="size-4 accent-(--c-run) pointer-coarse:size-6"
                      aria-label={t.choose}
                      title={choice.fits(q) ? t.choose : t.notAlike}
                      disabled={!choice.fits(q)}
                      checked={choice.has(q)}
                      onChange={() => choice.toggle(q.request_id)}
                    />
                  </label>
                )}
              />
            );
          })}
        </div>
      </div>
      {choice.chosen.length > 0 && (
        <div className="flex flex-wrap items-center gap-2 border-t border-line bg-sunk px-4 py-2">
          <span className="flex-1">{t.chosen(choice.chosen.length)}</span>
          <Button look="quiet" onClick={choice.clear}>{t.chooseNone}</Button>
          {choice.rest > 0 && <Button onClick={choice.all}>{t.chooseAlike(choice.rest)}</Button>}
          <Button look="main" icon={<Check size={14} />} onClick={() => (openBatch(choice.chosen), choice.clear())}>{t.approveChosen(choice.chosen.length)}</Button>
        </div>
      )}
    </>
  );
}

function Filter({ items, kind, onChange }: { items: readonly InboxItem[]; kind: Kind | null; onChange(k: Kind | null): void }) {
  const t = useWords(inboxWords);
  const names = useWords(questionWords).kinds;
  const counts = new Map<Kind, number>();
  for (const i of items) counts.set(kindOf(i.question), (counts.get(kindOf(i.question)) ?? 0) + 1);
  if (kind && !counts.has(kind)) counts.set(kind, 0);
  if (counts.size < 2) return null;
  const chip = (id: Kind | null, name: string, n: number) => (
    <button
      key={name}
      type="button"
      aria-pressed={kind === id}
      onClick={() => onChange(id)}
      className={cx("h-(--row) rounded-full border px-3 whitespace-nowrap", kind === id ? "border-run bg-run-wash text-run" : "border-line text-soft hover:bg-hover")}
    >
      {name} <span className="text-sm">{n}</span>
    </button>
  );
  return (
    <div role="group" aria-label={t.filter} className="flex gap-1.5 overflow-x-auto py-0.5">
      {chip(null, t.all, items.length)}
      {[...counts].map(([k, n]) => chip(k, names[k], n))}
    </div>
  );
}

/** Enter on a card, and not on something in it, opens its session. */
function openHere(e: KeyboardEvent): void {
  const card = e.target as HTMLElement;
  if (e.key !== "Enter" || card.dataset.question === undefined) return;
  e.preventDefault();
  card.querySelector<HTMLAnchorElement>("a[href^='/s/']")?.click();
}

/** J and K walk through the cards, X chooses. */
function useKeys(list: { current: HTMLElement | null }, toggle: (requestId: string) => void): void {
  const t = useWords(inboxWords);
  useCommands(useMemo<Command[]>(() => {
    const cards = () => [...(list.current?.querySelectorAll<HTMLElement>("[data-question]") ?? [])];
    const here = () => document.activeElement?.closest<HTMLElement>("[data-question]") ?? null;
    const go = (by: 1 | -1) => {
      const all = cards();
      const at = all.indexOf(here()!);
      const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
      next?.focus();
      next?.scrollIntoView({ block: "nearest" });
    };
    return [
      { id: "inbox-next", title: t.nextCard, group: t.inbox, keys: "j", run: () => go(1) },
      { id: "inbox-previous", title: t.previousCard, group: t.inbox, keys: "k", run: () => go(-1) },
      { id: "inbox-choose", title: t.choose, group: t.inbox, keys: "x", run: () => here()?.dataset.question && toggle(here()!.dataset.question!) },
    ];
  }, [list, toggle, t]));
}
