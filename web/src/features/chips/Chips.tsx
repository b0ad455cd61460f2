import type { Preset } from "@clew-run/client";
import { ChevronDown, CodeXml, Cpu, ShieldCheck } from "lucide-react";
import { useState, type ReactNode } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { Menu, type MenuItem } from "@/ui";
import { modelChoices, presets, type ModelChoice } from "./choices";
import { chipWords } from "./words";

/**
 * A small button that says how something stands. A long value is cut; where there is little
 * room (on a phone, or in a container `chips` that is narrow), its icon alone says it.
 */
export function Chip({
  icon,
  what,
  value,
  ...rest
}: {
  icon: ReactNode;
  what: string;
  value: string;
  "data-chip"?: string;
} & React.ButtonHTMLAttributes<HTMLButtonElement>) {
  const t = useWords(chipWords);
  const said = t.is(what, value);
  return (
    <button
      type="button"
      aria-label={said}
      title={said}
      className="inline-flex h-7 max-w-44 min-w-7 items-center gap-1.5 rounded px-2 text-sm font-medium hover:bg-hover pointer-coarse:h-(--row) pointer-coarse:min-w-(--row) max-sm:justify-center max-sm:px-1 @max-2xs/chips:justify-center @max-2xs/chips:px-1"
      {...rest}
    >
      <span aria-hidden className="shrink-0 text-soft">
        {icon}
      </span>
      <span className="min-w-0 truncate max-sm:hidden @max-2xs/chips:hidden">{value}</span>
      <ChevronDown size={12} aria-hidden className="shrink-0 text-soft max-sm:hidden @max-2xs/chips:hidden" />
    </button>
  );
}

/** Which model answers. The list is asked for when it is opened. */
export function ModelChip({
  name,
  profile,
  onChoose,
}: {
  name: string;
  profile?: string;
  onChoose(m: ModelChoice): void;
}) {
  const t = useWords(chipWords);
  const [list, setList] = useState<ModelChoice[] | null>(null);
  const load = () =>
    void client.rest.models.list().then(
      (l) => setList(modelChoices(l.models)),
      () => setList([]),
    );
  const items: MenuItem[] = (list ?? []).map((m) => ({
    id: `${m.profile}/${m.model ?? ""}`,
    label: m.name,
    note: m.ofServer ? t.ofServer : m.profile === m.name ? undefined : m.profile,
    checked: m.name === name && (profile === undefined || profile === m.profile),
    run: () => onChoose(m),
  }));
  if (items.length === 0)
    items.push({ id: "none", label: list === null ? t.loading : t.noModels, disabled: true, run: () => {} });
  return (
    <Menu
      label={t.model}
      onOpen={load}
      trigger={<Chip data-chip="model" icon={<Cpu size={14} />} what={t.model} value={name} />}
      items={items}
    />
  );
}

export function ModeChip({
  slug,
  modes,
  onChoose,
}: {
  slug: string | undefined;
  modes: { slug: string; name?: string; help?: string }[];
  onChoose(slug: string): void;
}) {
  const t = useWords(chipWords);
  const nameOf = (m: { slug: string; name?: string }) => m.name ?? t.modes[m.slug] ?? m.slug;
  const now = modes.find((m) => m.slug === slug);
  const items = modes.map((m): MenuItem => ({
    id: m.slug,
    label: nameOf(m),
    note: m.help ?? t.modeHelp[m.slug],
    checked: m.slug === slug,
    run: () => onChoose(m.slug),
  }));
  return (
    <Menu
      label={t.mode}
      trigger={
        <Chip data-chip="mode" icon={<CodeXml size={14} />} what={t.mode} value={now ? nameOf(now) : (slug ?? "…")} />
      }
      items={items}
    />
  );
}

export function PermissionChip({
  preset,
  onChoose,
}: {
  preset: Preset | "custom" | undefined;
  onChoose(p: Preset): void;
}) {
  const t = useWords(chipWords);
  const items = presets.map((p): MenuItem => ({
    id: p,
    label: t.presets[p]!,
    note: t.presetHelp[p],
    checked: p === preset,
    run: () => onChoose(p),
  }));
  return (
    <Menu
      label={t.permissions}
      trigger={
        <Chip
          data-chip="permissions"
          icon={<ShieldCheck size={14} />}
          what={t.permissions}
          value={preset ? t.presets[preset]! : "…"}
        />
      }
      items={items}
    />
  );
}
