import { useState, type ReactNode } from "react";
import { setPrefs, usePrefs } from "@/app/prefs";
import { languages, useWords } from "@/i18n";
import { Segmented, Switch } from "@/ui";
import { settingsWords } from "./words";

export function BrowserPart() {
  const t = useWords(settingsWords);
  const p = usePrefs();
  const [refused, setRefused] = useState(false);
  const notify = async (on: boolean) => {
    if (on && (!("Notification" in window) || (await Notification.requestPermission()) !== "granted")) {
      setRefused(true);
      return;
    }
    setRefused(false);
    setPrefs({ notify: on });
  };
  return (
    <div className="flex flex-col gap-5">
      <Choice label={t.theme}>
        <Segmented label={t.theme} value={p.theme} onChange={(theme) => setPrefs({ theme })} options={[{ id: "system", name: t.system }, { id: "light", name: t.light }, { id: "dark", name: t.dark }]} />
      </Choice>
      <Choice label={t.language}>
        <Segmented label={t.language} value={p.language} onChange={(language) => setPrefs({ language })} options={languages} />
      </Choice>
      <Choice label={t.density}>
        <Segmented label={t.density} value={p.density} onChange={(density) => setPrefs({ density })} options={[{ id: "comfortable", name: t.comfortable }, { id: "compact", name: t.compact }]} />
      </Choice>
      <div className="flex flex-col gap-2">
        <Switch checked={p.letterKeys} onChange={(letterKeys) => setPrefs({ letterKeys })} label={t.letterKeys} hint={t.letterKeysHint} />
        <Switch checked={p.verbose} onChange={(verbose) => setPrefs({ verbose })} label={t.verbose} hint={t.verboseHint} />
        <Switch checked={p.notify} onChange={(on) => void notify(on)} label={t.notify} hint={refused ? t.notifyRefused : t.notifyHint} />
      </div>
    </div>
  );
}

function Choice({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-1.5">
      <span className="w-24 font-medium" aria-hidden>{label}</span>
      {children}
    </div>
  );
}
