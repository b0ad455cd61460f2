import { useState } from "react";
import { client } from "@/app/client";
import { notify, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Button, ErrorNote, Field, Loading, TextInput } from "@/ui";
import { settingsWords } from "./words";

export function SecretsPart() {
  const t = useWords(settingsWords);
  const secrets = useLoaded("secrets", () => client.rest.secrets.list());
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const store = async () => {
    try {
      await client.rest.secrets.set(name.trim(), value);
      setName("");
      setValue("");
      notify({ tone: "run", text: t.stored });
      secrets.reload();
    } catch (e) {
      notifyError(e);
    }
  };
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">{t.secretsHint}</p>
      {secrets.error !== undefined && <ErrorNote error={secrets.error} retry={secrets.reload} />}
      {!secrets.value && secrets.loading && <Loading />}
      <ul>
        {secrets.value?.names.map((n) => (
          <li key={n} className="flex items-center gap-3 border-b border-line py-1.5">
            <code className="min-w-0 flex-1 truncate font-mono">{n}</code>
            <span aria-hidden className="text-soft">••••••••</span>
            <Button look="danger" onClick={() => void client.rest.secrets.delete(n).then(secrets.reload, notifyError)}>{t.remove}</Button>
          </li>
        ))}
      </ul>
      <form className="grid items-end gap-3 sm:grid-cols-[1fr_1fr_auto]" onSubmit={(e) => { e.preventDefault(); void store(); }}>
        <Field label={t.secretName}>{(p) => <TextInput {...p} required spellCheck={false} className="font-mono" value={name} onChange={(e) => setName(e.target.value)} />}</Field>
        <Field label={t.secretValue}>{(p) => <TextInput {...p} required type="password" autoComplete="off" value={value} onChange={(e) => setValue(e.target.value)} />}</Field>
        <Button look="main" type="submit">{t.store}</Button>
      </form>
    </div>
  );
}
