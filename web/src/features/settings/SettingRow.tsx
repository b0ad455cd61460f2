import type { Setting } from "@clew-run/client";
import { RotateCcw } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { client } from "@/app/client";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button, ErrorNote, IconButton, Select, TextArea, TextInput, Toggle } from "@/ui";
import { choiceWords, labelWords, type Label } from "./labels";
import { FieldRow } from "./Layout";
import { controlOf, textOf, valueOf, type Control } from "./setting";
import { settingsWords } from "./words";
import type { ServerSettings } from "./useServerSettings";

/** A bound that nobody reaches is not worth a word. */
const tooLarge = 1_000_000;

/** What a setting is called; one that this page does not know goes by its key. */
export function useLabel(s: Setting): Label {
  const known = useWords(labelWords) as Record<string, Label>;
  const t = useWords(settingsWords);
  return known[s.key] ?? { label: s.key, help: t.unknown };
}

/** Some of the server's settings, in the order of their keys. */
export function SettingRows({ settings, keys }: { settings: ServerSettings; keys: readonly string[] }) {
  return keys.map((key) => {
    const s = settings.of(key);
    return s && <SettingRow key={key} setting={s} onChange={settings.fresh} />;
  });
}

/** One setting: what it does, its value, where that is from. It shows what the server has. */
export function SettingRow({
  setting: s,
  onChange,
  full,
}: {
  setting: Setting;
  onChange(): Promise<void>;
  /** Says also what its default is and where it applies. */ full?: boolean;
}) {
  const t = useWords(settingsWords);
  const { label, help } = useLabel(s);
  const id = useId();
  const control = controlOf(s);
  // What is being written stays when another setting is saved and all are read again.
  const [draft, setDraft] = useState<string>();
  const held = textOf(control, s.value);
  const text = draft ?? held;
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  const save = async (value: unknown) => {
    setBusy(true);
    try {
      await client.rest.settings.change({ [s.key]: value });
      await onChange();
      setDraft(undefined);
      setError(undefined);
      announce(t.saved);
    } catch (e) {
      setError(e);
    } finally {
      setBusy(false);
    }
  };
  const saveText = () => {
    try {
      void save(valueOf(control, text));
    } catch {
      setError(new Error(control.kind === "number" ? t.notNumber : t.notJson));
    }
  };
  if (s.hidden) return <FieldRow id={id} label={label} name={s.key} help={t.hiddenValue} control={null} wide />;
  const wide = control.kind === "lines" || control.kind === "json" || (control.kind === "text" && control.long);
  const reset = s.layer === "server" && (
    <IconButton
      label={`${t.reset}: ${label}`}
      icon={<RotateCcw size={14} />}
      disabled={busy}
      onClick={() => void save(null)}
    />
  );
  const edited = text !== held && control.kind !== "choice" && control.kind !== "switch";
  return (
    <FieldRow
      id={id}
      label={label}
      name={s.key}
      wide={wide}
      small={control.kind === "switch"}
      help={
        <>
          {help}
          {control.kind === "number" && s.min !== undefined && s.max !== undefined && s.max < tooLarge && (
            <span className="whitespace-nowrap"> ({t.range(s.min, s.max)})</span>
          )}
        </>
      }
      control={
        <form
          className={wide ? "flex w-full flex-wrap items-start gap-2" : "flex w-full items-center gap-2"}
          onSubmit={(e) => {
            e.preventDefault();
            if (edited && !busy) saveText();
          }}
          noValidate
        >
          {control.kind === "switch" && reset}
          <Editor
            id={id}
            control={control}
            setting={s}
            text={text}
            busy={busy}
            onText={setDraft}
            onSave={(v) => void save(v)}
          />
          {edited && (
            <Button look="main" type="submit" busy={busy} aria-label={`${t.save}: ${label}`}>
              {t.save}
            </Button>
          )}
          {reset && control.kind !== "switch" && <span className={wide ? "" : "ml-auto"}>{reset}</span>}
        </form>
      }
      below={
        <>
          <Facts setting={s} control={control} full={full} />
          {error !== undefined && (
            <div className="pt-2">
              <ErrorNote error={error} />
            </div>
          )}
        </>
      }
    />
  );
}

function Editor({
  id,
  control,
  setting: s,
  text,
  busy,
  onText,
  onSave,
}: {
  id: string;
  control: Control;
  setting: Setting;
  text: string;
  busy: boolean;
  onText(text: string): void;
  onSave(value: unknown): void;
}) {
  const t = useWords(settingsWords);
  const names = (useWords(choiceWords) as Record<string, Record<string, string>>)[s.key];
  const common = { id, "aria-describedby": `${id}-d`, value: text, spellCheck: false };
  switch (control.kind) {
    case "switch":
      return (
        <Toggle
          id={id}
          aria-labelledby={`${id}-l`}
          aria-describedby={`${id}-d`}
          checked={s.value === true}
          disabled={busy}
          onChange={onSave}
        />
      );
    case "choice":
      return (
        <Select {...common} disabled={busy} onChange={(e) => onSave(e.target.value)}>
          {control.options.map((o) => (
            <option key={o} value={o}>
              {names?.[o] ?? o}
            </option>
          ))}
        </Select>
      );
    case "number":
      return (
        <TextInput
          {...common}
          type="number"
          step="any"
          min={s.min}
          max={s.max}
          className="max-w-36"
          onChange={(e) => onText(e.target.value)}
        />
      );
    case "text":
      if (!control.long) return <TextInput {...common} onChange={(e) => onText(e.target.value)} />;
  }
  return (
    <TextArea
      {...common}
      rows={Math.min(12, Math.max(2, text.split("\n").length))}
      placeholder={control.kind === "lines" ? t.lines : undefined}
      className="font-mono text-sm"
      onChange={(e) => onText(e.target.value)}
    />
  );
}

/** Where the value is from, if somebody chose it; in full also its default and where it applies. */
function Facts({ setting: s, control, full }: { setting: Setting; control: Control; full?: boolean }) {
  const t = useWords(settingsWords);
  const names = (useWords(choiceWords) as Record<string, Record<string, string>>)[s.key];
  const facts: ReactNode[] = [];
  if (s.layer === "file" || s.layer === "environment") facts.push(t.layers[s.layer]);
  if (full) {
    const plain =
      control.kind === "switch"
        ? s.default === true
          ? t.on
          : t.off
        : control.kind === "choice"
          ? (names?.[String(s.default)] ?? String(s.default))
          : textOf(control, s.default);
    if (!s.unknown && control.kind !== "json") facts.push(`${t.default}: ${plain === "" ? t.empty : plain}`);
    if (s.session) facts.push(t.applies[s.session]);
  }
  if (facts.length === 0) return null;
  return (
    <p className="pt-1 text-xs text-faint">
      {facts.map((f, i) => (
        <span key={i}>
          {i > 0 && " · "}
          {f}
        </span>
      ))}
    </p>
  );
}
