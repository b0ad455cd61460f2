import type { ApiKey } from "@clew-run/client";
import { Plus } from "lucide-react";
import { useState } from "react";
import { signOut, useAccount } from "@/app/account";
import { client } from "@/app/client";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Ago, Badge, Button, Dialog, ErrorNote, Loading, Time } from "@/ui";
import { AddDeviceDialog, nameOf } from "./AddDeviceDialog";
import { KeysPart } from "./KeysPart";
import { settingsWords } from "./words";

/** The person's own browsers; below, for administrators, everybody's keys. */
export function DevicesPart() {
  const t = useWords(settingsWords);
  const me = useAccount((s) => (s.account.state === "in" ? s.account.me : null));
  const devices = useLoaded("devices", () => client.rest.devices.list());
  /** The devices that were there when adding began. */
  const [adding, setAdding] = useState<ReadonlySet<string> | null>(null);
  const end = async (k: ApiKey) => {
    if (k.id === me?.key_id) return signOut();
    await client.rest.devices.end(k.id);
    devices.reload();
  };
  return (
    <div className="flex flex-col gap-8">
      <section className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center gap-3">
          <h2 className="flex-1 font-semibold">{t.yourDevices}</h2>
          {me?.auth === "on" && devices.value && <Button icon={<Plus size={14} />} onClick={() => setAdding(new Set(devices.value?.devices.map((k) => k.id)))}>{t.addDevice}</Button>}
        </div>
        <p className="text-soft">{t.devicesHint}</p>
        {devices.error !== undefined && <ErrorNote error={devices.error} retry={devices.reload} />}
        {!devices.value && devices.loading && <Loading />}
        {devices.value?.devices.length === 0 && <p>{me?.auth === "off" ? t.noSignIn : t.noDevices}</p>}
        <ul>
          {devices.value?.devices.map((k) => (
            <KeyLine key={k.id} apiKey={k} mine={k.id === me?.key_id} action={t.signOutDevice} hint={k.id === me?.key_id ? t.endThisHint : t.endDeviceHint} onEnd={() => end(k)} />
          ))}
        </ul>
      </section>
      {adding && <AddDeviceDialog known={adding} onClose={() => { setAdding(null); devices.reload(); }} />}
      {me?.role === "admin" && me.auth === "on" && <KeysPart without={new Set(devices.value?.devices.map((k) => k.id))} />}
    </div>
  );
}

/** A key or a sign-in, and the button that ends it, which asks first. */
export function KeyLine({ apiKey: k, mine, whose, action, hint, onEnd }: {
  apiKey: ApiKey;
  mine?: boolean;
  /** Says whose it is and what it may do. */
  whose?: boolean;
  action: string;
  hint: string;
  onEnd(): Promise<void>;
}) {
  const t = useWords(settingsWords);
  const [asking, setAsking] = useState(false);
  const name = nameOf(k);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-1.5">
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex items-center gap-2"><span className="truncate font-medium">{name}</span>{mine && <Badge tone="run">{t.thisDevice}</Badge>}</p>
        <p className="text-sm text-soft">
          {whose && <>{k.user} · {t.roles[k.role] ?? k.role} · …{k.last_four} · </>}
          {k.kind === "browser" ? t.signedIn : t.created} <Ago ms={k.created_ms} /> · {t.expires} {k.expires_ms ? <Time ms={k.expires_ms} /> : t.never}
        </p>
      </div>
      <Button aria-label={`${action}: ${name}`} onClick={() => setAsking(true)}>{action}</Button>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`${action}: ${name}`}
        footer={<Button look="danger" onClick={() => void onEnd().catch(notifyError).finally(() => setAsking(false))}>{action}</Button>}
      >
        <p>{hint}</p>
      </Dialog>
    </li>
  );
}
