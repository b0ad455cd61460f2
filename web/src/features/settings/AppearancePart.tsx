import { useId, type ReactNode } from "react";
import { setPrefs, usePrefs } from "@/app/prefs";
import { languages, useWords } from "@/i18n";
import { Segmented, Toggle } from "@/ui";
import { FieldRow, Group, Part } from "./Layout";
import { settingsWords } from "./words";

/** What belongs to this browser alone. */
export function AppearancePart() {
  const t = useWords(settingsWords);
  const p = usePrefs();
  return (
    <Part title={t.sections.appearance} help={t.appearanceHelp}>
      <Group title={t.look}>
        <Choice label={t.theme}>
          <Segmented
            label={t.theme}
            value={p.theme}
            onChange={(theme) => setPrefs({ theme })}
            options={[
              { id: "system", name: t.system },
              { id: "light", name: t.light },
              { id: "dark", name: t.dark },
            ]}
          />
        </Choice>
        <Choice label={t.language}>
          <Segmented
            label={t.language}
            value={p.language}
            onChange={(language) => setPrefs({ language })}
            options={languages}
          />
        </Choice>
        <Choice label={t.density}>
          <Segmented
            label={t.density}
            value={p.density}
            onChange={(density) => setPrefs({ density })}
            options={[
              { id: "comfortable", name: t.comfortable },
              { id: "compact", name: t.compact },
            ]}
          />
        </Choice>
      </Group>
      <Group title={t.behaviour}>
        <SwitchRow
          label={t.letterKeys}
          help={t.letterKeysHint}
          checked={p.letterKeys}
          onChange={(letterKeys) => setPrefs({ letterKeys })}
        />
        <SwitchRow
          label={t.verbose}
          help={t.verboseHint}
          checked={p.verbose}
          onChange={(verbose) => setPrefs({ verbose })}
        />
      </Group>
    </Part>
  );
}

function Choice({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
      <span className="min-w-24 flex-1 font-medium" aria-hidden>
        {label}
      </span>
      {children}
    </div>
  );
}

export function SwitchRow({
  label,
  name,
  help,
  checked,
  onChange,
  disabled,
}: {
  label: string;
  name?: string;
  help?: ReactNode;
  checked: boolean;
  onChange(on: boolean): void;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <FieldRow
      id={id}
      label={label}
      name={name}
      help={help}
      small
      control={
        <Toggle
          id={id}
          aria-labelledby={`${id}-l`}
          aria-describedby={help ? `${id}-d` : undefined}
          checked={checked}
          onChange={onChange}
          disabled={disabled}
        />
      }
    />
  );
}
