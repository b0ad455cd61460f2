import { Link } from "wouter";
import { useWords } from "@/i18n";
import { Empty, ErrorNote, Loading } from "@/ui";
import { AllSettings } from "./AllPart";
import { Group, Part } from "./Layout";
import type { SectionInfo } from "./SettingsPage";
import { settingsWords } from "./words";
import { useFitting } from "./useFitting";
import { useServerSettings } from "./useServerSettings";

/** What a search found: sections, and for administrators settings to change right here. */
export function SearchPart({
  query,
  sections,
  admin,
  onLeave,
}: {
  query: string;
  sections: SectionInfo[];
  admin: boolean;
  onLeave(): void;
}) {
  const t = useWords(settingsWords);
  const fits = (s: SectionInfo) => `${s.name} ${t.sectionWords[s.id]}`.toLowerCase().includes(query.toLowerCase());
  const found = sections.filter(fits);
  return (
    <Part title={t.results}>
      {found.length > 0 && (
        <Group title={t.parts}>
          {found.map((s) => (
            <Link
              key={s.id}
              href={`/settings/${s.id}`}
              onClick={onLeave}
              className="flex min-h-11 items-center gap-2.5 px-4 font-medium hover:bg-hover"
            >
              <s.icon size={16} aria-hidden className="text-soft" />
              {s.name}
            </Link>
          ))}
        </Group>
      )}
      {admin ? (
        <FoundSettings query={query} alone={found.length === 0} onLeave={onLeave} />
      ) : (
        found.length === 0 && <Empty title={t.nothing} />
      )}
    </Part>
  );
}

function FoundSettings({ query, alone, onLeave }: { query: string; alone: boolean; onLeave(): void }) {
  const t = useWords(settingsWords);
  const settings = useServerSettings();
  const fitting = useFitting(settings.value?.list ?? [], query);
  if (settings.error !== undefined) return <ErrorNote error={settings.error} retry={settings.reload} />;
  if (!settings.value) return <Loading />;
  if (fitting.length === 0) return alone ? <Empty title={t.nothing} /> : null;
  return <AllSettings list={fitting} onChange={settings.value.fresh} onLeave={onLeave} />;
}
