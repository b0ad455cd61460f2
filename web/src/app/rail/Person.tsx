import { ChartColumn, Keyboard, LogOut, Settings, SunMoon } from "lucide-react";
import { useMemo, type ButtonHTMLAttributes, type ReactElement } from "react";
import { useLocation } from "wouter";
import { useWords } from "@/i18n";
import { Avatar, Menu, type MenuItem } from "@/ui";
import { signOut, useMe } from "../account";
import { useRegistry } from "../commands";
import { notifyError } from "../notices";
import { appWords } from "../words";

/** What one can do as oneself: settings, the look, signing out. */
export function PersonMenu({ trigger }: { trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>> }) {
  const t = useWords(appWords);
  const me = useMe();
  const [, navigate] = useLocation();
  const items = useMemo<(MenuItem | "line")[]>(() => {
    const run = (id: string) => () => useRegistry.getState().commands.get(id)?.run();
    return [
      { id: "settings", label: t.settings, icon: <Settings size={14} />, run: () => navigate("/settings") },
      { id: "usage", label: t.usage, icon: <ChartColumn size={14} />, run: () => navigate("/usage") },
      "line",
      { id: "theme", label: t.switchTheme, icon: <SunMoon size={14} />, run: run("theme") },
      { id: "keymap", label: t.keymap, icon: <Keyboard size={14} />, run: run("keymap") },
      ...(me?.auth === "off"
        ? []
        : [
            "line" as const,
            {
              id: "sign-out",
              label: t.signOut,
              icon: <LogOut size={14} />,
              run: () => void signOut().catch(notifyError),
            },
          ]),
    ];
  }, [t, me, navigate]);
  return <Menu label={t.account} trigger={trigger} items={items} />;
}

/** Who is signed in, by name and role. */
export function Person({ slim }: { slim?: boolean }) {
  const t = useWords(appWords);
  const me = useMe();
  if (!me) return null;
  const role = t.roles[me.role] ?? me.role;
  return (
    <PersonMenu
      trigger={
        <button
          type="button"
          title={slim ? `${me.user_id}, ${role}` : undefined}
          className={
            slim
              ? "flex size-10 shrink-0 items-center justify-center rounded-lg hover:bg-hover pointer-coarse:size-11"
              : "flex min-w-0 flex-1 items-center gap-2.25 rounded px-2 py-1 text-left hover:bg-hover"
          }
        >
          <Avatar name={me.user_id} />
          {slim ? (
            <span className="sr-only">{t.accountOf(me.user_id, role)}</span>
          ) : (
            <span className="min-w-0" data-person>
              <span className="block truncate leading-4.5 font-medium">{me.user_id}</span>
              <span className="block text-xs text-soft">{role}</span>
            </span>
          )}
        </button>
      }
    />
  );
}
