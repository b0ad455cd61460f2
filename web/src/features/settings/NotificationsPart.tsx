import { useState } from "react";
import { useAccount, useMe } from "@/app/account";
import { client } from "@/app/client";
import { notify, notifyError } from "@/app/notices";
import { setPrefs, usePrefs } from "@/app/prefs";
import { useWords } from "@/i18n";
import { canPush, currentPush, needsHomeScreen, posted, PushRefused, startPush, stopPush } from "@/lib/push";
import { useLoaded } from "@/lib/useLoaded";
import { Ago, Badge, Button, ErrorNote, Loading, Mark } from "@/ui";
import { SwitchRow } from "./AppearancePart";
import { Group, Part, Row } from "./Layout";
import { SettingRows } from "./SettingRow";
import { settingsWords } from "./words";
import { useServerSettings } from "./useServerSettings";

/** How this person hears of requests, and for administrators how everybody does. */
export function NotificationsPart() {
  const t = useWords(settingsWords);
  const admin = useMe()?.role === "admin";
  const push = usePush();
  return (
    <Part title={t.sections.notifications} help={t.notificationsHelp}>
      <Group title={t.thisBrowser}>
        <PageNotices />
        <PushHere push={push} />
      </Group>
      <PushDevices push={push} />
      {admin && <ServerNotices />}
    </Part>
  );
}

function PageNotices() {
  const t = useWords(settingsWords);
  const on = usePrefs((p) => p.notify);
  const [refused, setRefused] = useState(false);
  const change = async (next: boolean) => {
    if (next && (!("Notification" in window) || (await Notification.requestPermission()) !== "granted"))
      return setRefused(true);
    setRefused(false);
    setPrefs({ notify: next });
  };
  return (
    <SwitchRow
      label={t.notify}
      help={refused ? t.notifyRefused : t.notifyHint}
      checked={on}
      onChange={(v) => void change(v)}
    />
  );
}

type PushState = ReturnType<typeof usePush>;

/** Whether this browser is told by push, which devices are, and how that is changed. */
function usePush() {
  const t = useWords(settingsWords);
  const [busy, setBusy] = useState(false);
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
  return { here, all, busy, act };
}

function PushHere({ push: { here, busy, act } }: { push: PushState }) {
  const t = useWords(settingsWords);
  const keyId = useAccount(({ account }) => (account.state === "in" ? account.me.key_id : undefined));
  if (!canPush())
    return (
      <Row title={t.pushTitle}>{!isSecureContext ? t.pushHttps : needsHomeScreen() ? t.pushHome : t.pushNone}</Row>
    );
  return (
    <Row
      title={t.pushTitle}
      tag={
        here.value && (
          <Badge tone="run">
            <Mark tone="done" size={9} />
            {t.on}
          </Badge>
        )
      }
      actions={
        here.value ? (
          <>
            <Button
              busy={busy}
              onClick={act(() => client.rest.push.test().then(() => notify({ tone: "run", text: t.pushSent })))}
            >
              {t.pushTest}
            </Button>
            <Button busy={busy} onClick={act(stopPush)}>
              {t.pushTurnOff}
            </Button>
          </>
        ) : (
          <Button look="main" busy={busy} onClick={act(() => startPush(keyId))}>
            {t.pushTurnOn}
          </Button>
        )
      }
    >
      {here.value ? t.pushOn : t.pushHint}
    </Row>
  );
}

function PushDevices({ push: { all, act } }: { push: PushState }) {
  const t = useWords(settingsWords);
  if (all.error !== undefined)
    return (
      <div className="pt-6">
        <ErrorNote error={all.error} retry={all.reload} />
      </div>
    );
  if (!all.value) return <Loading />;
  if (all.value.subscriptions.length === 0) return null;
  const device = posted()?.id; // which of them this one is
  return (
    <Group title={t.pushDevices} bare>
      <ul className="overflow-hidden rounded-lg border border-line2 bg-sheet shadow-card divide-y divide-line">
        {all.value.subscriptions.map((s) => (
          <li key={s.id}>
            <Row
              title={s.name}
              tag={s.id === device && <Badge tone="run">{t.thisDevice}</Badge>}
              actions={
                <Button onClick={act(() => (s.id === device ? stopPush() : client.rest.push.unsubscribe(s.id)))}>
                  {t.remove}
                </Button>
              }
            >
              <Ago ms={s.last_ms ?? s.created_ms} />
            </Row>
          </li>
        ))}
      </ul>
    </Group>
  );
}

function ServerNotices() {
  const t = useWords(settingsWords);
  const settings = useServerSettings();
  if (settings.error !== undefined) return <ErrorNote error={settings.error} retry={settings.reload} />;
  if (!settings.value) return <Loading />;
  return (
    <Group title={t.forEveryone}>
      <SettingRows
        settings={settings.value}
        keys={["question_reminder_sec", "public_url", "notify_webhook", "notify_link_sec", "push_allow"]}
      />
    </Group>
  );
}
