import { ChevronRight } from "lucide-react";
import { Link } from "wouter";
import { useAccount } from "@/app/account";
import { appWords } from "@/app/words";
import { useWords } from "@/i18n";
import { cx, PageHead } from "@/ui";
import { BrowserPart } from "./BrowserPart";
import { DevicesPart } from "./DevicesPart";
import { PushPart } from "./PushPart";
import { RulesPart } from "./RulesPart";
import { rulesWords } from "./rulesWords";
import { SecretsPart } from "./SecretsPart";
import { ServerPart } from "./ServerPart";
import { settingsWords } from "./words";

/** Settings: of this browser, of the person's devices, and for administrators of the server. */
export function SettingsPage({ part = "browser" }: { part?: string }) {
  const t = useWords(settingsWords);
  const rules = useWords(rulesWords);
  const app = useWords(appWords);
  const account = useAccount((s) => s.account);
  const admin = account.state === "in" && account.me.role === "admin";
  const parts = [
    { id: "browser", name: t.browser, show: <BrowserPart /> },
    { id: "push", name: t.push, show: <PushPart /> },
    { id: "devices", name: admin ? t.devices : t.yourDevices, show: <DevicesPart /> },
    ...(admin
      ? [
          { id: "rules", name: rules.title, show: <RulesPart /> },
          { id: "server", name: t.server, show: <ServerPart /> },
          { id: "secrets", name: t.secrets, show: <SecretsPart /> },
        ]
      : []),
  ];
  const shown = parts.find((p) => p.id === part) ?? parts[0]!;
  return (
    <>
      <PageHead title={t.title} />
      <div className="flex min-h-0 flex-1 flex-col md:flex-row">
        <nav aria-label={t.parts} className="flex shrink-0 flex-wrap gap-0.5 border-line p-2 max-md:border-b md:w-44 md:flex-col md:flex-nowrap">
          {parts.map((p) => (
            <Link
              key={p.id}
              href={`/settings/${p.id}`}
              aria-current={p === shown ? "page" : undefined}
              className={cx("flex h-(--row) shrink-0 items-center rounded px-2.5 whitespace-nowrap hover:bg-hover", p === shown && "bg-hover font-medium")}
            >
              {p.name}
            </Link>
          ))}
          {/* On phones the bar below has no room for these. */}
          {admin && [["/mcp", app.mcp], ["/admin", app.admin]].map(([path, name]) => (
            <Link key={path} href={path!} className="flex h-(--row) shrink-0 items-center gap-1 rounded px-2.5 whitespace-nowrap text-soft hover:bg-hover md:hidden">{name}<ChevronRight size={13} aria-hidden /></Link>
          ))}
        </nav>
        <div className="min-h-0 flex-1 overflow-y-auto">
          <div className="mx-auto max-w-3xl px-4 py-4">{shown.show}</div>
        </div>
      </div>
    </>
  );
}
