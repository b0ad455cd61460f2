import type { Setting } from "@clew-run/client";
import { RotateCcw } from "lucide-react";
import { useId, useState } from "react";
import { client } from "@/app/client";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { Badge, Button, ErrorNote, IconButton, Select, Switch, TextArea, TextInput } from "@/ui";
import { controlOf, textOf, valueOf } from "./setting";
import { settingsWords } from "./words";

/** One setting: what it does, its value, where that is from. It shows what the server has. */
export function SettingLine({ setting: s, onChange }: { setting: Setting; onChange(): Promise<void> }) {
  const t = useWords(settingsWords);
  const id = useId();
  const control = controlOf(s);
  // What is being written stays when another setting is saved and all are read again.
  const [draft, setDraft] = useState<string>();
  const held = textOf(control, s.value);
  const text = draft ?? held;
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const edited = text !== held;

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
  if (s.hidden) {
    return (
      <div className="border-b border-line py-3">
        <p className="font-mono">{s.key}</p>
        <p className="text-sm text-soft">{t.hiddenValue}</p>
      </div>
    );
  }
  const names = { id, "aria-describedby": `${id}-d`, value: text, spellCheck: false };
  return (
    <div className="flex flex-col gap-1.5 border-b border-line py-3">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          {control.kind === "switch" ? (
            <Switch label={s.key} hint={<Doc text={s.doc} />} checked={s.value === true} disabled={busy} onChange={(on) => void save(on)} />
          ) : (
            <>
              <label htmlFor={id} className="font-mono">{s.key}</label>
              <p id={`${id}-d`} className="text-sm text-soft">{s.doc ? <Doc text={s.doc} /> : t.unknown}</p>
            </>
          )}
        </div>
        <Badge tone={s.layer === "server" ? "run" : "past"}>{t.from(t.layers[s.layer] ?? s.layer)}</Badge>
        {s.layer === "server" && <IconButton label={`${t.reset}: ${s.key}`} icon={<RotateCcw size={14} />} onClick={() => void save(null)} />}
      </div>
      {control.kind !== "switch" && (
        <div className="flex items-start gap-2">
          {control.kind === "choice" && (
            <Select {...names} className="max-w-60" disabled={busy} onChange={(e) => void save(e.target.value)}>
              {control.options.map((o) => <option key={o}>{o}</option>)}
            </Select>
          )}
          {control.kind === "number" && <TextInput {...names} type="number" className="max-w-40" onChange={(e) => setDraft(e.target.value)} />}
          {control.kind === "text" && !control.long && <TextInput {...names} className="max-w-96" onChange={(e) => setDraft(e.target.value)} />}
          {((control.kind === "text" && control.long) || control.kind === "lines" || control.kind === "json") && (
            <TextArea {...names} rows={Math.min(12, Math.max(2, text.split("\n").length))} placeholder={control.kind === "lines" ? t.lines : undefined} className="font-mono text-sm" onChange={(e) => setDraft(e.target.value)} />
          )}
          {edited && control.kind !== "choice" && <Button look="main" busy={busy} aria-label={`${t.save}: ${s.key}`} onClick={saveText}>{t.save}</Button>}
        </div>
      )}
      {control.kind !== "switch" && s.allowed && <p className="text-xs text-soft">{t.allowed}: <Doc text={s.allowed} /></p>}
      {error !== undefined && <ErrorNote error={error} />}
    </div>
  );
}

/** A line of the documentation, with its code words set as code. */
function Doc({ text = "" }: { text?: string }) {
  return text.split("`").map((part, i) => (i % 2 ? <code key={i} className="font-mono">{part}</code> : part));
}
