import { X } from "lucide-react";
import { useId, useState } from "react";
import { useWords } from "@/i18n";
import { Button, IconButton, TextInput } from "@/ui";
import { rulesWords } from "./rulesWords";

/** A list of patterns, each to be taken out, and a field to add one. */
export function RuleList({ title, help, placeholder, items, onChange }: {
  title: string;
  help: string;
  placeholder: string;
  items: readonly string[];
  onChange(next: string[]): Promise<void>;
}) {
  const t = useWords(rulesWords);
  const id = useId();
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const save = async (next: string[]) => {
    setBusy(true);
    await onChange(next).finally(() => setBusy(false));
  };
  const rule = text.trim();
  return (
    <section className="flex flex-col gap-2" aria-labelledby={id}>
      <h2 id={id} className="font-semibold">{title}</h2>
      <p className="text-soft">{help}</p>
      {items.length === 0 ? (
        <p className="text-soft">{t.none}</p>
      ) : (
        <ul>
          {items.map((item) => (
            <li key={item} className="flex items-center gap-3 border-b border-line">
              <code className="min-w-0 flex-1 font-mono break-all">{item}</code>
              <IconButton label={t.remove(item)} icon={<X size={14} />} disabled={busy} onClick={() => void save(items.filter((x) => x !== item))} />
            </li>
          ))}
        </ul>
      )}
      <form
        className="flex gap-2"
        onSubmit={(e) => {
          e.preventDefault();
          if (busy || rule === "") return;
          void save([...items.filter((x) => x !== rule), rule]).then(() => setText(""));
        }}
      >
        <TextInput aria-label={`${t.add}: ${title}`} placeholder={placeholder} spellCheck={false} autoCapitalize="off" className="max-w-96 font-mono" value={text} onChange={(e) => setText(e.target.value)} />
        <Button type="submit" busy={busy} disabled={rule === ""}>{t.add}</Button>
      </form>
    </section>
  );
}
