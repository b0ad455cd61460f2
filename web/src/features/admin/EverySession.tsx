import { useMemo, useState } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useDebounced } from "@/lib/useDebounced";
import { usePages } from "@/lib/usePages";
import { Badge, Button, Empty, ErrorNote, Loading, Segmented, TextInput } from "@/ui";
import { inTruth, useConfirmed } from "@/features/history/confirmed";
import { SessionRow } from "@/features/history/SessionRow";
import { useFreshList } from "@/features/history/useFreshList";
import { Group } from "@/features/settings/Layout";
import { adminWords } from "./words";

type Which = "all" | "running" | "waiting";

/** An administrator's view over the sessions of everybody: to watch, not to steer. */
export function EverySession() {
  const t = useWords(adminWords);
  const [query, setQuery] = useState("");
  const [which, setWhich] = useState<Which>("all");
  const q = useDebounced(query.trim(), 200);
  const pages = usePages(`${q}|${which}`, async (cursor) => {
    const status =
      which === "running"
        ? ["planning" as const, "executing" as const]
        : which === "waiting"
          ? ["awaiting_input" as const]
          : undefined;
    const page = await client.rest.sessions.list({ owner: "*", q: q || undefined, cursor, status, limit: 50 });
    return { items: page.sessions, next: page.next };
  });
  useFreshList(pages.refresh);
  const changes = useConfirmed();
  const items = useMemo(() => inTruth(pages.items, changes, false), [pages.items, changes]);
  return (
    <Group title={t.sessions} help={t.watchOnly} bare>
      <div className="flex flex-wrap items-center gap-2 pb-2">
        <Segmented
          label={t.filter}
          value={which}
          onChange={setWhich}
          options={[
            { id: "all", name: t.everyone },
            { id: "running", name: t.running },
            { id: "waiting", name: t.waiting },
          ]}
        />
        <TextInput
          type="search"
          aria-label={t.search}
          placeholder={t.search}
          className="min-w-40 flex-1 sm:max-w-60"
          value={query}
          onChange={(e) => setQuery(e.target.value)}
        />
      </div>
      {pages.error !== undefined && <ErrorNote error={pages.error} retry={pages.reload} />}
      {pages.loading && items.length === 0 && <Loading />}
      {!pages.loading && items.length === 0 && pages.error === undefined && (
        <Empty title={q || which !== "all" ? t.nothing : t.none} />
      )}
      <ul>
        {items.map((s) => (
          <SessionRow
            key={s.session_id}
            session={s}
            onChange={pages.refresh}
            aside={
              <span className="w-20 truncate text-right text-sm max-sm:hidden">
                <Badge>{s.owner ?? "–"}</Badge>
              </span>
            }
          />
        ))}
      </ul>
      {pages.more && (
        <div className="flex justify-center py-4">
          <Button busy={pages.loading} onClick={pages.loadMore}>
            {t.more}
          </Button>
        </div>
      )}
    </Group>
  );
}
