import { useState } from "react";
import { client } from "@/app/client";
import { notify, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Button, ErrorNote, Field, Loading, TextInput } from "@/ui";
import { Group, None, Part, Row } from "./Layout";
import { settingsWords } from "./words";

/** Keys of providers and tool servers: they are written here and never read. */
export function SecretsPart() {
  const t = useWords(settingsWords);
  const secrets = useLoaded("secrets", () => client.rest.secrets.list());
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [error, setError] = useState<unknown>();
  const store = async () => {
    try {
      await client.rest.secrets.set(name.trim(), value);
      setName("");
      setValue("");
      setError(undefined);
      notify({ tone: "run", text: t.stored });
      secrets.reload();
    } catch (e) {
      setError(e);
    }
  };
  return (
    <Part title={t.sections.secrets} help={t.secretsHint}>
      <Group title={t.secretList} bare>
        {secrets.error !== undefined && <ErrorNote error={secrets.error} retry={secrets.reload} />}
        {!secrets.value && secrets.loading && <Loading />}
        {secrets.value && (
          <ul className="overflow-hidden rounded-lg border border-line2 bg-sheet shadow-card divide-y divide-line">
            {secrets.value.names.length === 0 && (
              <li>
                <None>{t.noSecrets}</None>
              </li>
            )}
            {secrets.value.names.map((n) => (
              <li key={n}>
                <Row
                  title={<code className="font-mono font-medium">{n}</code>}
                  actions={
                    <Button
                      look="danger"
                      aria-label={`${t.remove}: ${n}`}
                      onClick={() => void client.rest.secrets.delete(n).then(secrets.reload, notifyError)}
                    >
                      {t.remove}
                    </Button>
                  }
                />
              </li>
            ))}
          </ul>
        )}
      </Group>
      <Group title={t.addSecret} help={t.secretHelp}>
        <form
          className="grid items-end gap-3 p-4 sm:grid-cols-[1fr_1fr_auto]"
          onSubmit={(e) => {
            e.preventDefault();
            void store();
          }}
        >
          <Field label={t.secretName}>
            {(p) => (
              <TextInput
                {...p}
                required
                spellCheck={false}
                autoCapitalize="off"
                className="font-mono"
                value={name}
                onChange={(e) => setName(e.target.value)}
              />
            )}
          </Field>
          <Field label={t.secretValue}>
            {(p) => (
              <TextInput
                {...p}
                required
                type="password"
                autoComplete="off"
                value={value}
                onChange={(e) => setValue(e.target.value)}
              />
            )}
          </Field>
          <Button look="main" type="submit">
            {t.store}
          </Button>
          {error !== undefined && (
            <div className="sm:col-span-3">
              <ErrorNote error={error} />
            </div>
          )}
        </form>
      </Group>
    </Part>
  );
}
