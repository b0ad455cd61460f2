import {
  Bell,
  ChevronLeft,
  ChevronRight,
  Cpu,
  Database,
  KeyRound,
  Lock,
  type LucideIcon,
  Palette,
  Plug,
  Search,
  Settings2,
  ShieldCheck,
  Users,
} from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Link, Redirect } from "wouter";
import { useMe } from "@/app/account";
import { useWords } from "@/i18n";
import { useNarrow } from "@/lib/useNarrow";
import { cx, TextInput } from "@/ui";
import { PeoplePart } from "@/features/admin/PeoplePart";
import { StoragePart } from "@/features/admin/StoragePart";
import { ToolServersPart } from "@/features/mcp/ToolServersPart";
import { AllPart } from "./AllPart";
import { AppearancePart } from "./AppearancePart";
import { DevicesPart } from "./DevicesPart";
import { ModelsPart } from "./models/ModelsPart";
import { NotificationsPart } from "./NotificationsPart";
import { PermissionsPart } from "./PermissionsPart";
import { SearchPart } from "./SearchPart";
import { SecretsPart } from "./SecretsPart";
import { settingsWords } from "./words";

export interface SectionInfo {
  id: SectionId;
  name: string;
  icon: LucideIcon;
  show: ReactNode;
}

type SectionId = keyof (typeof settingsWords)["en"]["sections"];

/** Sections for everybody, and those for administrators, in their order. */
/* oxlint-disable react/jsx-key -- each is shown by itself */
const personal: [SectionId, LucideIcon, ReactNode, adminOnly?: boolean][] = [
  ["models", Cpu, <ModelsPart />, true],
  ["permissions", ShieldCheck, <PermissionsPart />],
  ["tools", Plug, <ToolServersPart />, true],
  ["notifications", Bell, <NotificationsPart />],
  ["appearance", Palette, <AppearancePart />],
  ["devices", KeyRound, <DevicesPart />],
];
const server: [SectionId, LucideIcon, ReactNode][] = [
  ["people", Users, <PeoplePart />],
  ["storage", Database, <StoragePart />],
  ["secrets", Lock, <SecretsPart />],
  ["all", Settings2, <AllPart />],
];
/* oxlint-enable react/jsx-key */

/** Where sections were before. */
const moved: Record<string, SectionId> = {
  browser: "appearance",
  push: "notifications",
  rules: "permissions",
  server: "all",
};

/** Settings: of this browser, of the person, and for administrators of the server. */
export function SettingsPage({ part }: { part?: string }) {
  const t = useWords(settingsWords);
  const narrow = useNarrow();
  const admin = useMe()?.role === "admin";
  const [query, setQuery] = useState(() => new URLSearchParams(location.search).get("q") ?? "");
  const at = useRef(part);
  useEffect(() => {
    if (at.current !== part) setQuery(""); // who goes to a section is done searching
    at.current = part;
  }, [part]);
  const info = ([id, icon, show]: [SectionId, LucideIcon, ReactNode, ...unknown[]]): SectionInfo => ({
    id,
    icon,
    show,
    name: t.sections[id],
  });
  const own = personal.filter((s) => admin || !s[3]).map(info);
  const ofServer = admin ? server.map(info) : [];
  const sections = [...own, ...ofServer];
  if (part !== undefined && moved[part]) return <Redirect to={`/settings/${moved[part]}`} replace />;
  const chosen = sections.find((s) => s.id === part);
  const shown = chosen ?? sections[0]!;
  const list = narrow && !chosen; // on a phone the sections are a page of their own
  const wanted = query.trim();
  return (
    <>
      <header className="flex min-h-13 shrink-0 items-center gap-2 border-b border-line px-4 py-2 md:px-5">
        {narrow && chosen && (
          <Link
            href="/settings"
            aria-label={t.back}
            className="-ml-2 flex size-(--row) shrink-0 items-center justify-center rounded text-soft hover:bg-hover hover:text-ink"
          >
            <ChevronLeft size={18} aria-hidden />
          </Link>
        )}
        <h1 className={cx("text-lg font-semibold", narrow && chosen && "max-sm:sr-only")}>{t.title}</h1>
        <div className="relative ml-auto w-60 min-w-0 max-sm:w-full max-sm:flex-1">
          <Search
            size={14}
            aria-hidden
            className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-soft"
          />
          <TextInput
            type="search"
            aria-label={t.search}
            placeholder={t.search}
            className="pl-8"
            value={query}
            onChange={(e) => setQuery(e.target.value)}
          />
        </div>
      </header>
      <div className="flex min-h-0 flex-1">
        {(!narrow || (list && wanted === "")) && (
          <nav
            aria-label={t.parts}
            className={cx(
              "flex shrink-0 flex-col gap-px overflow-y-auto",
              narrow ? "w-full p-2" : "w-53 border-r border-line px-3 py-4",
            )}
          >
            {own.map((s) => (
              <SectionLink
                key={s.id}
                section={s}
                current={!list && wanted === "" && s === shown}
                phone={narrow}
                onGo={() => setQuery("")}
              />
            ))}
            {ofServer.length > 0 && (
              <p className="px-2.5 pt-3 pb-1 text-xs font-semibold text-faint">{t.serverCaption}</p>
            )}
            {ofServer.map((s) => (
              <SectionLink
                key={s.id}
                section={s}
                current={!list && wanted === "" && s === shown}
                phone={narrow}
                onGo={() => setQuery("")}
              />
            ))}
          </nav>
        )}
        {(!list || wanted !== "") && (
          <div className="min-h-0 min-w-0 flex-1 overflow-y-auto" key={shown.id}>
            <div className="mx-auto max-w-[872px] px-4 pt-5 pb-12 md:pt-7">
              {wanted !== "" ? (
                <SearchPart query={wanted} sections={sections} admin={admin} onLeave={() => setQuery("")} />
              ) : (
                shown.show
              )}
            </div>
          </div>
        )}
      </div>
    </>
  );
}

function SectionLink({
  section: s,
  current,
  phone,
  onGo,
}: {
  section: SectionInfo;
  current: boolean;
  phone: boolean;
  onGo(): void;
}) {
  return (
    <Link
      href={`/settings/${s.id}`}
      onClick={onGo}
      aria-current={current ? "page" : undefined}
      className={cx(
        "flex min-h-(--row) shrink-0 items-center gap-2.5 rounded px-2.5 font-medium hover:bg-hover hover:text-ink",
        current ? "bg-hover text-ink" : "text-soft",
        phone && "min-h-11 text-ink",
      )}
    >
      <s.icon size={16} aria-hidden />
      <span className="min-w-0 flex-1">{s.name}</span>
      {phone && <ChevronRight size={15} aria-hidden className="text-faint" />}
    </Link>
  );
}
