import { Calendar, ChevronDown, Folder, User } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useMe } from "@/app/account";
import { client } from "@/app/client";
import { peopleOf } from "@/features/admin/people";
import { baseName } from "@/features/start/names";
import { useWords } from "@/i18n";
import { Menu, type MenuEntry } from "@/ui";
import { times, type Filters, type Time } from "./useFilters";
import { searchWords } from "./words";

type Change = (change: Partial<Filters>) => void;

/** Where to look: in which folder, what whom said, since when. */
export function Choices({ filters, change }: { filters: Filters; change: Change }) {
  const admin = useMe()?.role === "admin";
  return (
    <>
      <FolderChoice filters={filters} change={change} />
      {admin && <PersonChoice filters={filters} change={change} />}
      <TimeChoice filters={filters} change={change} />
    </>
  );
}

/** A menu of which one holds. */
export function Choice({
  icon,
  what,
  value,
  items,
  onOpen,
  bare,
}: {
  icon?: ReactNode;
  what: string;
  value: string;
  items: MenuEntry[];
  onOpen?(): void;
  bare?: boolean;
}) {
  const look = bare
    ? "text-soft hover:text-ink"
    : "border border-line2 bg-sheet px-2.5 font-medium shadow-card hover:bg-hover";
  return (
    <Menu
      label={what}
      onOpen={onOpen}
      items={items}
      trigger={
        <button
          type="button"
          aria-label={`${what}: ${value}`}
          className={`inline-flex h-6.5 max-w-52 items-center gap-1.5 rounded text-sm pointer-coarse:h-(--row) ${look}`}
        >
          {icon && (
            <span aria-hidden className="shrink-0 text-soft">
              {icon}
            </span>
          )}
          <span className="min-w-0 truncate">{value}</span>
          <ChevronDown size={12} aria-hidden className="shrink-0 text-soft" />
        </button>
      }
    />
  );
}

function FolderChoice({ filters, change }: { filters: Filters; change: Change }) {
  const t = useWords(searchWords);
  const [known, setKnown] = useState<string[]>([]);
  const load = () =>
    void client.rest.searchFolders({ owner: filters.everyone && "*" }).then(
      (l) => setKnown(l.folders),
      () => {},
    );
  const folders = [...new Set([...known, ...(filters.folder ? [filters.folder] : [])])].sort();
  const items: MenuEntry[] = [
    { id: "", label: t.anyFolder, checked: !filters.folder, run: () => change({ folder: undefined }) },
    ...folders.map((f) => ({
      id: f,
      label: baseName(f),
      note: f,
      checked: f === filters.folder,
      run: () => change({ folder: f }),
    })),
  ];
  return (
    <Choice
      icon={<Folder size={14} />}
      what={t.folder}
      value={filters.folder ? baseName(filters.folder) : t.anyFolder}
      items={items}
      onOpen={load}
    />
  );
}

function PersonChoice({ filters, change }: { filters: Filters; change: Change }) {
  const t = useWords(searchWords);
  const me = useMe()?.user_id;
  const [known, setKnown] = useState<string[]>([]);
  const load = () =>
    void client.rest.keys.list().then(
      (l) => setKnown(peopleOf(l.keys, Date.now()).map((p) => p.user)),
      () => {},
    );
  const people = [...new Set([...(me ? [me] : []), ...known, ...(filters.person ? [filters.person] : [])])];
  const items: MenuEntry[] = [
    { id: "", label: t.anyone, checked: !filters.person, run: () => change({ person: undefined }) },
    ...people.map((p) => ({ id: `p:${p}`, label: p, checked: p === filters.person, run: () => change({ person: p }) })),
    "line",
    {
      id: "everyone",
      label: t.everyonesSessions,
      checked: filters.everyone === "1",
      run: () => change({ everyone: filters.everyone ? undefined : "1" }),
    },
  ];
  return (
    <Choice icon={<User size={14} />} what={t.person} value={filters.person ?? t.anyone} items={items} onOpen={load} />
  );
}

function TimeChoice({ filters, change }: { filters: Filters; change: Change }) {
  const t = useWords(searchWords);
  const items = [undefined, ...(Object.keys(times) as Time[])].map((time) => ({
    id: time ?? "any",
    label: t.times[time ?? "any"],
    checked: time === filters.time,
    run: () => change({ time }),
  }));
  return <Choice icon={<Calendar size={14} />} what={t.time} value={t.times[filters.time ?? "any"]} items={items} />;
}
