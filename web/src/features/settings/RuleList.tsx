import { X } from "lucide-react";
import { useState } from "react";
import { useWords } from "@/i18n";
import { Button, IconButton, TextInput } from "@/ui";
import { Group, None } from "./Layout";
import { labelWords } from "./labels";
import { rulesWords } from "./rulesWords";

/** A list of patterns, each to be taken out, and a field to add one. */
export function RuleList({
  name,
  placeholder,
  items,
  onChange,
}: {
  /** The setting that has the list. */
  name: "allowed_commands" | "denied_commands" | "fetch_allow";
  placeholder: string;
  items: readonly string[];
  onChange(next: string[]): Promise<void>;
}) {
  const t = useWords(rulesWords);
  const { label, help } = useWords(labelWords)[name];
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const save = async (next: string[]) => {
    setBusy(true);
    await onChange(next).finally(() => setBusy(false));
  };
  const rule = text.trim();
  return (
    <Group title={label} help={help} aside={<code className="font-mono text-xs text-faint">{name}</code>}>
      {items.length === 0 ? (
        <None>{t.emptyList}</None>
      ) : (
        <ul className="divide-y divide-line">
          {items.map((item) => (
            <li key={item} className="flex items-center gap-3 py-1 pr-2 pl-4">
              <code className="min-w-0 flex-1 font-mono break-all">{item}</code>
              <IconButton
                label={t.remove(item)}
                icon={<X size={14} />}
                disabled={busy}
                onClick={() => void save(items.filter((x) => x !== item))}
              />
            </li>
          ))}
        </ul>
      )}
      <form
        className="flex gap-2 px-4 py-3"
        onSubmit={(e) => {
          e.preventDefault();
          if (busy || rule === "") return;
          void save([...items.filter((x) => x !== rule), rule]).then(() => setText(""));
        }}
      >
        <TextInput
          aria-label={`${t.add}: ${label}`}
          placeholder={placeholder}
          spellCheck={false}
          autoCapitalize="off"
          className="max-w-96 font-mono"
          value={text}
          onChange={(e) => setText(e.target.value)}
        />
        <Button type="submit" busy={busy} disabled={rule === ""}>
          {t.add}
        </Button>
      </form>
    </Group>
  );
}
