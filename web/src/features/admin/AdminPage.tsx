import { useMemo, useState, type ReactNode } from "react";
import { Link } from "wouter";
import { useAccount } from "@/app/account";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { money } from "@/lib/format";
import { useDebounced } from "@/lib/useDebounced";
import { useLoaded } from "@/lib/useLoaded";
import { usePages } from "@/lib/usePages";
import { Badge, Button, Empty, ErrorNote, Loading, Mark, PageHead, Segmented, TextInput } from "@/ui";
import { useFreshList } from "@/features/history/useFreshList";
import { inTruth, useConfirmed } from "@/features/history/confirmed";
import { SessionRow } from "@/features/history/SessionRow";
import { adminWords } from "./words";

type Which = "all" | "running" | "waiting";

/** An administrator's view over the sessions of everybody: to watch, not to steer. */
export function AdminPage(_: { part?: string }) {
  const t = useWords(adminWords);
  const account = useAccount((s) => s.account);
  if (account.state !== "in" || account.me.role !== "admin") {
    return (
      <>
        <PageHead title={t.title} />
        <Empty title={t.only} />
      </>
    );
  }
  return <Overview version={account.me.version} />;
}

function Overview({ version }: { version: string }) {
  const t = useWords(adminWords);
  const [query, setQuery] = useState("");
  const [which, setWhich] = useState<Which>("all");
  const q = useDebounced(query.trim(), 200);
  const pages = usePages(`${q}|${which}`, async (cursor) => {
    const status = which === "running" ? ["planning" as const, "executing" as const] : which === "waiting" ? ["awaiting_input" as const] : undefined;
    const page = await client.rest.sessions.list({ owner: "*", q: q || undefined, cursor, status, limit: 100 });
    return { items: page.sessions, next: page.next };
  });
  useFreshList(pages.refresh);
  const changes = useConfirmed();
  const items = useMemo(() => inTruth(pages.items, changes, false), [pages.items, changes]);
  const ready = useLoaded("ready", async (signal) => (await fetch("/readyz", { signal })).ok);
  const cost = items.reduce((sum, s) => sum + (s.cost_usd ?? 0), 0);
  const owners = new Set(items.map((s) => s.owner)).size;
  return (
    <>
      <PageHead title={t.title} below>
        <Segmented label={t.filter} value={which} onChange={setWhich} options={[{ id: "all", name: t.everybody }, { id: "running", name: t.running }, { id: "waiting", name: t.waiting }]} />
        <TextInput type="search" aria-label={t.search} placeholder={t.search} className="sm:max-w-60" value={query} onChange={(e) => setQuery(e.target.value)} />
      </PageHead>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-4xl px-2 py-3 sm:px-4">
          <dl className="flex flex-wrap gap-x-8 gap-y-2 px-2 pb-3">
            <Figure name={t.health}>
              <span className="inline-flex items-center gap-1.5"><Mark tone={ready.value === false ? "fail" : ready.value ? "done" : "wait"} />{ready.value === false ? t.notReady : ready.value ? t.ready : "…"}</span>
            </Figure>
            <Figure name={t.version}><span className="font-mono text-sm">{version}</span></Figure>
            <Figure name={t.sessions}>{items.length}{pages.more ? "+" : ""}</Figure>
            <Figure name={t.users}>{owners}</Figure>
            <Figure name={t.cost}>{money(cost)}</Figure>
            <Figure name={t.links}>
              <span className="flex gap-3">
                <Link className="flex items-center text-run underline pointer-coarse:min-h-(--row)" href="/settings/devices">{t.keys}</Link>
                <Link className="flex items-center text-run underline pointer-coarse:min-h-(--row)" href="/settings/server">{t.settings}</Link>
                <Link className="flex items-center text-run underline pointer-coarse:min-h-(--row)" href="/mcp">{t.tools}</Link>
              </span>
            </Figure>
          </dl>
          <p className="px-2 pb-2 text-sm text-soft">{t.watchOnly}</p>
          {pages.error !== undefined && <ErrorNote error={pages.error} retry={pages.reload} />}
          {pages.loading && items.length === 0 && <Loading />}
          {!pages.loading && items.length === 0 && pages.error === undefined && <Empty title={q || which !== "all" ? t.nothing : t.none} />}
          <ul>
            {items.map((s) => <SessionRow key={s.session_id} session={s} onChange={pages.refresh} aside={<span className="w-24 truncate text-right text-sm max-sm:hidden"><Badge>{s.owner ?? "–"}</Badge></span>} />)}
          </ul>
          {pages.more && <div className="flex justify-center py-4"><Button busy={pages.loading} onClick={pages.loadMore}>{t.more}</Button></div>}
        </div>
      </div>
    </>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-soft">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
