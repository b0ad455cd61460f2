import { useState } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Button, ErrorNote, Loading } from "@/ui";
import { KeyLine } from "./DevicesPart";
import { NewKeyDialog } from "./NewKeyDialog";
import { settingsWords } from "./words";

/** Everybody's keys: of programs, and of browsers that others signed in with. */
export function KeysPart({ without }: { without: ReadonlySet<string> }) {
  const t = useWords(settingsWords);
  const keys = useLoaded("keys", () => client.rest.keys.list());
  const [making, setMaking] = useState(false);
  const now = Date.now();
  const alive = keys.value?.keys.filter((k) => !k.revoked_ms && !(k.expires_ms && k.expires_ms <= now) && !without.has(k.id)) ?? [];
  const end = async (id: string) => {
    await client.rest.keys.revoke(id);
    keys.reload();
  };
  return (
    <section className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="flex-1 font-semibold">{t.keys}</h2>
        <Button look="main" onClick={() => setMaking(true)}>{t.newKey}</Button>
      </div>
      <p className="text-soft">{t.keysHint}</p>
      {keys.error !== undefined && <ErrorNote error={keys.error} retry={keys.reload} />}
      {!keys.value && keys.loading && <Loading />}
      {keys.value && alive.length === 0 && <p>{t.noKeys}</p>}
      <ul>{alive.map((k) => <KeyLine key={k.id} apiKey={k} whose action={t.revoke} hint={t.revokeHint} onEnd={() => end(k.id)} />)}</ul>
      {making && <NewKeyDialog onClose={() => { setMaking(false); keys.reload(); }} />}
    </section>
  );
}
