import type { InboxItem } from "@clew-run/client";
import { Check, Inbox as InboxIcon } from "lucide-react";
import { useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useCommands, type Command } from "@/app/commands";
import { ConnectionBadge } from "@/app/Connection";
import { useWords } from "@/i18n";
import { Button, Empty, Kbd, Loading, PageHead, Segmented } from "@/ui";
import { alikeGroups, likeness } from "@/features/session/questions/alike";
import { openBatch } from "@/features/session/questions/BatchHost";
import { kindOf, type Kind } from "@/features/session/questions/kinds";
import { InboxCard } from "./InboxCard";
import { useChoice } from "./useChoice";
import { useRows } from "./useRows";
import { inboxWords } from "./words";

/** Every question that waits for this person, over all sessions, the nearest deadline first. */
export function InboxPage(_: { sessionId?: string; part?: string }) {
  const t = useWords(inboxWords);
  const { rows, items, inbox, synced, connection } = useRows();
  const list = useRef<HTMLDivElement>(null);
  const [sort, setSort] = useState<Sort | "all">("all");
  const choice = useChoice(items);
  const groups = useMemo(() => alikeGroups(items), [items]);
  const shown = rows.filter((r) => sort === "all" || sortOf(kindOf(r.item.question)) === sort);
  useKeys(list, choice.toggle);

  return (
    <>
      <PageHead title={t.inbox}>
        {rows.length > 0 && (
          <span className="hidden items-center gap-1.5 text-sm text-soft desk:pointer-fine:flex">
            {t.keysHelp.map(([keys, does]) => (
              <span key={keys} className="flex items-center gap-1 not-last:mr-1.5">
                {keys.split(" ").map((k) => (
                  <Kbd key={k}>{k}</Kbd>
                ))}
                {does}
              </span>
            ))}
          </span>
        )}
        <ConnectionBadge connection={connection} onRetry={() => inbox.reconnect()} />
      </PageHead>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div ref={list} onKeyDown={openHere} className="mx-auto flex w-full max-w-3xl flex-col gap-3 px-4 py-4">
          <Filter items={items} sort={sort} onChange={setSort} />
          {!synced && rows.length === 0 && connection.state !== "failed" && <Loading />}
          {synced && items.length === 0 && rows.length === 0 && (
            <Empty icon={<InboxIcon size={28} />} title={t.empty}>
              {t.emptyHelp}
            </Empty>
          )}
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
                lead={
                  !gone &&
                  groups.has(key) && (
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
                  )
                }
              />
            );
          })}
        </div>
      </div>
      {choice.chosen.length > 0 && (
        <div className="flex flex-wrap items-center gap-2 border-t border-line bg-sunk px-4 py-2">
          <span className="flex-1">{t.chosen(choice.chosen.length)}</span>
          <Button look="quiet" onClick={choice.clear}>
            {t.chooseNone}
          </Button>
          {choice.rest > 0 && <Button onClick={choice.all}>{t.chooseAlike(choice.rest)}</Button>}
          <Button look="main" icon={<Check size={14} />} onClick={() => (openBatch(choice.chosen), choice.clear())}>
            {t.approveChosen(choice.chosen.length)}
          </Button>
        </div>
      )}
    </>
  );
}

/** What people sort requests by: what they approve, plans, and what they answer in words. */
type Sort = "approvals" | "plans" | "questions";

function sortOf(kind: Kind): Sort {
  return kind === "plan"
    ? "plans"
    : kind === "input" || kind === "files" || kind === "kernel" || kind === "clarification"
      ? "questions"
      : "approvals";
}

function Filter({
  items,
  sort,
  onChange,
}: {
  items: readonly InboxItem[];
  sort: Sort | "all";
  onChange(s: Sort | "all"): void;
}) {
  const t = useWords(inboxWords);
  const counts = Map.groupBy(items, (i) => sortOf(kindOf(i.question)));
  const sorts = (["approvals", "plans", "questions"] as const).filter((s) => counts.has(s) || s === sort);
  if (sorts.length < 2 && sort === "all") return null;
  const name = (s: Sort | "all", n: number) => `${t[s]} ${n}`;
  return (
    <div className="overflow-x-auto">
      <Segmented
        label={t.filter}
        value={sort}
        onChange={onChange}
        options={[
          { id: "all", name: name("all", items.length) },
          ...sorts.map((s) => ({ id: s, name: name(s, counts.get(s)?.length ?? 0) })),
        ]}
      />
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
  useCommands(
    useMemo<Command[]>(() => {
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
        {
          id: "inbox-choose",
          title: t.choose,
          group: t.inbox,
          keys: "x",
          run: () => here()?.dataset.question && toggle(here()!.dataset.question!),
        },
      ];
    }, [list, toggle, t]),
  );
}
