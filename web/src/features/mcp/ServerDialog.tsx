import { useState } from "react";
import { useWords } from "@/i18n";
import { Button, Dialog, ErrorNote, Field, TextArea, TextInput } from "@/ui";
import { mcpWords } from "./words";

type Definitions = Record<string, Record<string, unknown>>;

/** Adds a tool server or changes one, as it stands in the settings. */
export function ServerDialog({ name: known, definitions, onClose, onSave }: {
  name?: string;
  definitions: Definitions;
  onClose(): void;
  onSave(next: Definitions): Promise<void>;
}) {
  const t = useWords(mcpWords);
  const [name, setName] = useState(known ?? "");
  const [text, setText] = useState(() => JSON.stringify(known ? (definitions[known] ?? {}) : { command: "", args: [] }, null, 2));
  const [problem, setProblem] = useState<{ name?: string; text?: string; server?: unknown }>({});
  const save = async () => {
    if (!known && name in definitions) return setProblem({ name: t.taken });
    let definition: Record<string, unknown>;
    try {
      const read = JSON.parse(text) as unknown;
      if (typeof read !== "object" || read === null || Array.isArray(read)) throw new SyntaxError();
      definition = read as Record<string, unknown>;
    } catch {
      return setProblem({ text: t.notJson });
    }
    try {
      await onSave({ ...definitions, [name]: definition });
      onClose();
    } catch (e) {
      setProblem({ server: e });
    }
  };
  return (
    <Dialog open onClose={onClose} title={known ? `${t.edit}: ${known}` : t.add}>
      <form className="flex flex-col gap-3" onSubmit={(e) => { e.preventDefault(); void save(); }}>
        <Field label={t.name} error={problem.name}>
          {(p) => <TextInput {...p} required readOnly={known !== undefined} spellCheck={false} value={name} onChange={(e) => setName(e.target.value)} />}
        </Field>
        <Field label={t.definition} hint={t.definitionHint} error={problem.text}>
          {(p) => <TextArea {...p} rows={9} spellCheck={false} className="font-mono text-sm" value={text} onChange={(e) => setText(e.target.value)} />}
        </Field>
        {problem.server !== undefined && <ErrorNote error={problem.server} />}
        <div className="flex justify-end"><Button look="main" type="submit">{t.save}</Button></div>
      </form>
    </Dialog>
  );
}
