import { Search, Upload } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { client } from "@/app/client";
import { notify, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useDebounced } from "@/lib/useDebounced";
import { usePages } from "@/lib/usePages";
import { Button, Empty, ErrorNote, Loading, PageHead, Segmented, TextInput } from "@/ui";
import { inTruth, useConfirmed } from "./confirmed";
import { useFreshList } from "./useFreshList";
import { SessionRow } from "./SessionRow";
import { historyWords } from "./words";

type Which = "all" | "running" | "waiting" | "ended" | "archived" | "deleted";

const statuses: Record<
  Which,
  ("planning" | "executing" | "paused" | "awaiting_input" | "completed" | "failed" | "cancelled")[] | undefined
> = {
  all: undefined,
  running: ["planning", "executing", "paused"],
  waiting: ["awaiting_input"],
  ended: ["completed", "failed", "cancelled"],
  archived: undefined,
  deleted: undefined,
};

/** All sessions of a person: searched, filtered, each with its tree of tasks and costs. */
export function HistoryPage() {
  const t = useWords(historyWords);
  const [query, setQuery] = useState("");
  const [which, setWhich] = useState<Which>("all");
  const q = useDebounced(query.trim(), 200);
  const pages = usePages(`${q}|${which}`, async (cursor) => {
    const page = await client.rest.sessions.list({
      q: q || undefined,
      cursor,
      status: statuses[which],
      archived: which === "archived" || undefined,
      deleted: which === "deleted" || undefined,
      limit: 50,
    });
    return { items: page.sessions, next: page.next };
  });
  useFreshList(pages.refresh);
  const changes = useConfirmed();
  const items = useMemo(
    () => (which === "deleted" ? pages.items : inTruth(pages.items, changes, which === "archived")),
    [pages.items, changes, which],
  );
  const none: Partial<Record<Which, { title: string; help: string }>> = {
    all: { title: t.empty, help: t.emptyHelp },
    archived: { title: t.noArchived, help: t.noArchivedHelp },
    deleted: { title: t.noDeleted, help: t.noDeletedHelp },
  };
  const empty: { title: string; help?: string } = (q === "" && none[which]) || { title: t.nothing };
  return (
    <>
      <PageHead title={t.title} below>
        <Segmented
          label={t.filter}
          value={which}
          onChange={setWhich}
          options={[
            { id: "all", name: t.all },
            { id: "running", name: t.running },
            { id: "waiting", name: t.waiting },
            { id: "ended", name: t.ended },
            { id: "archived", name: t.archived },
            { id: "deleted", name: t.deleted },
          ]}
        />
        <span className="relative w-full sm:w-60">
          <Search size={14} aria-hidden className="absolute top-1/2 left-2.5 -translate-y-1/2 text-soft" />
          <TextInput
            type="search"
            aria-label={t.search}
            placeholder={t.search}
            className="pl-8"
            value={query}
            onChange={(e) => setQuery(e.target.value)}
          />
        </span>
        <ImportButton />
      </PageHead>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {pages.error !== undefined && (
          <div className="p-4">
            <ErrorNote error={pages.error} retry={pages.reload} />
          </div>
        )}
        {items.length > 0 && (
          <ul className="mx-auto max-w-4xl px-2 py-2 sm:px-4">
            {items.map((s) => (
              <SessionRow key={s.session_id} session={s} onChange={pages.refresh} />
            ))}
          </ul>
        )}
        {pages.loading && items.length === 0 && <Loading />}
        {!pages.loading && items.length === 0 && pages.error === undefined && (
          <Empty title={empty.title}>{empty.help}</Empty>
        )}
        {pages.more && (
          <div className="flex justify-center pb-6">
            <Button busy={pages.loading} onClick={pages.loadMore}>
              {t.more}
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

function ImportButton() {
  const t = useWords(historyWords);
  const [, navigate] = useLocation();
  const file = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const take = async (chosen: File) => {
    setBusy(true);
    try {
      const made = await client.rest.sessions.import(chosen, { new_id: true });
      notify({ tone: "run", text: t.imported });
      navigate(`/s/${made.session_id}`);
    } catch (e) {
      notifyError(e);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <input
        ref={file}
        type="file"
        hidden
        onChange={(e) => {
          const chosen = e.target.files?.[0];
          e.target.value = ""; // the same file can be chosen again
          if (chosen) void take(chosen);
        }}
      />
      <Button icon={<Upload size={14} />} busy={busy} onClick={() => file.current?.click()}>
        {t.import}
      </Button>
    </>
  );
}
