import { useWords } from "@/i18n";
import { Dialog, Kbd } from "@/ui";
import { keyNames, useRegistry } from "./commands";
import { usePrefs } from "./prefs";
import { appWords } from "./words";

/** Every key that works on this page. */
export function KeyMap({ open, onClose }: { open: boolean; onClose(): void }) {
  const t = useWords(appWords);
  const commands = [...useRegistry((r) => r.commands).values()].filter((c) => c.keys);
  const letters = usePrefs((p) => p.letterKeys);
  const groups = new Map(Map.groupBy(commands, (c) => c.group));
  // These are no commands of the page: they count while a question has the focus.
  groups.set(
    t.onQuestion,
    t.questionKeys.map(([keys, title]) => ({ id: `question:${keys}`, title, group: t.onQuestion, keys, run() {} })),
  );
  return (
    <Dialog open={open} onClose={onClose} title={t.keymap} wide>
      {!letters && <p className="pb-3 text-soft">{t.keysOff}</p>}
      <div className="gap-8 sm:columns-2">
        {[...groups].map(([group, list]) => (
          <section key={group} className="break-inside-avoid pb-4">
            <h3 className="pb-1 text-sm font-semibold text-soft">{group}</h3>
            <dl>
              {list.map((c) => (
                <div key={c.id} className="flex items-center justify-between gap-3 border-b border-line py-1.5">
                  <dt>{c.title}</dt>
                  <dd className="flex gap-1">
                    {keyNames(c.keys!).map((k) => (
                      <Kbd key={k}>{k}</Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
