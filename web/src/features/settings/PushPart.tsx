import { useState } from "react";
import { useAccount } from "@/app/account";
import { client } from "@/app/client";
import { notify, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { canPush, currentPush, needsHomeScreen, posted, PushRefused, startPush, stopPush } from "@/lib/push";
import { useLoaded } from "@/lib/useLoaded";
import { Ago, Button, ErrorNote, Loading, Mark } from "@/ui";
import { settingsWords } from "./words";

export function PushPart() {
  const t = useWords(settingsWords);
  const [busy, setBusy] = useState(false);
  const keyId = useAccount(({ account }) => (account.state === "in" ? account.me.key_id : undefined));
  const here = useLoaded("here", async () => (canPush() ? (await currentPush()) !== null : false));
  const all = useLoaded("push", () => client.rest.push.get());
  const act = (work: () => Promise<unknown>) => async () => {
    setBusy(true);
    try {
      await work();
    } catch (e) {
      if (e instanceof PushRefused) notify({ tone: "fail", text: t.notifyRefused });
      else notifyError(e);
    } finally {
      setBusy(false);
      here.reload();
      all.reload();
    }
  };
  const device = posted()?.id; // which of them this one is
  return (
    <div className="flex flex-col gap-6">
      <section className="flex flex-col gap-2">
        <h2 className="font-semibold">{t.pushTitle}</h2>
        <p className="text-soft">{t.pushHint}</p>
        {!canPush() ? (
          <p>{!isSecureContext ? t.pushHttps : needsHomeScreen() ? t.pushHome : t.pushNone}</p>
        ) : here.value ? (
          <div className="flex flex-wrap items-center gap-2">
            <span className="flex items-center gap-1.5"><Mark tone="done" />{t.pushOn}</span>
            <Button busy={busy} onClick={act(() => client.rest.push.test().then(() => notify({ tone: "run", text: t.pushSent })))}>{t.pushTest}</Button>
            <Button busy={busy} onClick={act(stopPush)}>{t.pushTurnOff}</Button>
          </div>
        ) : (
          <div><Button look="main" busy={busy} onClick={act(() => startPush(keyId))}>{t.pushTurnOn}</Button></div>
        )}
      </section>
      {all.error !== undefined && <ErrorNote error={all.error} retry={all.reload} />}
      {!all.value && all.loading && <Loading />}
      {all.value && all.value.subscriptions.length > 0 && (
        <section>
          <h2 className="pb-1 font-semibold">{t.pushDevices}</h2>
          <ul>
            {all.value.subscriptions.map((s) => (
              <li key={s.id} className="flex items-center gap-3 border-b border-line py-1.5">
                <span className="min-w-0 flex-1 truncate">{s.name}{s.id === device && <span className="text-soft"> · {t.thisDevice}</span>}</span>
                <Ago ms={s.last_ms ?? s.created_ms} className="text-sm text-soft" />
                <Button onClick={act(() => (s.id === device ? stopPush() : client.rest.push.unsubscribe(s.id)))}>{t.remove}</Button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
