import type { ApiKey } from "@clew-run/client";
import { Plus } from "lucide-react";
import { useState } from "react";
import { signOut, useMe } from "@/app/account";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Button, ErrorNote, Loading } from "@/ui";
import { AddDeviceDialog } from "./AddDeviceDialog";
import { KeyRow } from "./KeyRow";
import { Group, None, Part } from "./Layout";
import { settingsWords } from "./words";

/** The person's own browsers. */
export function DevicesPart() {
  const t = useWords(settingsWords);
  const me = useMe();
  const devices = useLoaded("devices", () => client.rest.devices.list());
  /** The devices that were there when adding began. */
  const [adding, setAdding] = useState<ReadonlySet<string> | null>(null);
  const end = async (k: ApiKey) => {
    if (k.id === me?.key_id) return signOut();
    await client.rest.devices.end(k.id);
    devices.reload();
  };
  const add = me?.auth === "on" && devices.value && (
    <Button
      look="main"
      icon={<Plus size={15} />}
      onClick={() => setAdding(new Set(devices.value?.devices.map((k) => k.id)))}
    >
      {t.addDevice}
    </Button>
  );
  return (
    <Part title={t.sections.devices} help={t.devicesHelp} action={add}>
      <Group title={t.yourDevices} help={t.devicesHint} bare>
        {devices.error !== undefined && <ErrorNote error={devices.error} retry={devices.reload} />}
        {!devices.value && devices.loading && <Loading />}
        {devices.value && (
          <ul className="overflow-hidden rounded-lg border border-line2 bg-sheet shadow-card divide-y divide-line">
            {devices.value.devices.length === 0 && (
              <li>
                <None>{me?.auth === "off" ? t.noSignIn : t.noDevices}</None>
              </li>
            )}
            {devices.value.devices.map((k) => (
              <KeyRow
                key={k.id}
                apiKey={k}
                mine={k.id === me?.key_id}
                action={t.signOutDevice}
                hint={k.id === me?.key_id ? t.endThisHint : t.endDeviceHint}
                onEnd={() => end(k)}
              />
            ))}
          </ul>
        )}
      </Group>
      {adding && (
        <AddDeviceDialog
          known={adding}
          onClose={() => {
            setAdding(null);
            devices.reload();
          }}
        />
      )}
    </Part>
  );
}
