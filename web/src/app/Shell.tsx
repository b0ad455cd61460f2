import { ChartColumn, Clock, Home, Inbox, type LucideIcon, Plus, Search, Settings } from "lucide-react";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useWords } from "@/i18n";
import { Badge, Button, cx } from "@/ui";
import { signOut, stillSignedIn, useAccount, useMayStart } from "./account";
import { ConnectionBadge, useKeepTrying } from "./Connection";
import { isMac, keyNames, listenToKeys, useCommands, type Command } from "./commands";
import { KeyMap } from "./KeyMap";
import { Logo } from "./Logo";
import { Notices, notifyError } from "./notices";
import { Palette } from "./Palette";
import { setPrefs, usePrefs } from "./prefs";
import { useInboxState, useNextQuestion } from "./inbox";
import { appWords } from "./words";

interface Place {
  path: string;
  name: string;
  icon: LucideIcon;
  keys?: string;
}

/** What is around every page: the rail (below on phones), palette, keys, notices. */
export function Shell({ children }: { children: ReactNode }) {
  const t = useWords(appWords);
  const [path, navigate] = useLocation();
  const [palette, setPalette] = useState(false);
  const [keymap, setKeymap] = useState(false);
  const account = useAccount((s) => s.account);
  const mayStart = useMayStart();
  const authOff = account.state === "in" && account.me.auth === "off";
  const nextQuestion = useNextQuestion();
  const { counts, connection, inbox } = useInboxState();
  const waiting = counts.total;
  useKeepTrying(connection, inbox.reconnect);
  // A session says by itself how its line stands.
  const sayLine = connection.state !== "active" && !path.startsWith("/s/");

  const broke = connection.state === "failed" || connection.state === "reconnecting";
  useEffect(() => {
    if (broke) void stillSignedIn();
  }, [broke, connection.state]); // the server may be away at first, and the key revoked when it is back
  useEffect(listenToKeys, []);

  const places = useMemo<Place[]>(() => [
    { path: "/", name: t.home, icon: Home },
    { path: "/inbox", name: t.inbox, icon: Inbox, keys: "i" },
    { path: "/history", name: t.history, icon: Clock, keys: "h" },
    { path: "/usage", name: t.usage, icon: ChartColumn },
    { path: "/settings", name: t.settings, icon: Settings, keys: "," },
  ], [t]);

  useCommands(useMemo<Command[]>(() => [
    ...places.map((p) => ({ id: `go:${p.path}`, title: p.name, group: t.go, keys: p.keys, run: () => navigate(p.path) })),
    { id: "palette", title: t.palette, group: t.help, keys: "Mod+k", run: () => setPalette(true) },
    { id: "keymap", title: t.keymap, group: t.help, keys: "?", run: () => setKeymap(true) },
    ...(mayStart ? [{ id: "new", title: t.newSession, group: t.act, keys: "n", run: () => navigate("/?new=1") }] : []),
    { id: "next-question", title: t.nextQuestion, group: t.go, keys: "g", run: nextQuestion },
    { id: "theme", title: t.theme, group: t.view, also: "dark light 어두운 밝은", run: () => setPrefs({ theme: document.documentElement.dataset.theme === "dark" ? "light" : "dark" }) },
    { id: "language", title: t.language, group: t.view, also: "korean english 한국어", run: () => setPrefs({ language: usePrefs.getState().language === "ko" ? "en" : "ko" }) },
    { id: "design", title: t.design, group: t.help, run: () => navigate("/design") },
    ...(authOff ? [] : [{ id: "sign-out", title: t.signOut, group: t.act, run: () => void signOut().catch(notifyError) }]),
  ], [t, places, navigate, nextQuestion, authOff, mayStart]));

  const at = (p: Place) => (p.path === "/" ? path === "/" : path.startsWith(p.path));
  return (
    <div className="flex h-full flex-col pt-[env(safe-area-inset-top)] pr-[env(safe-area-inset-right)] pl-[env(safe-area-inset-left)] md:flex-row">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-sheet focus:p-3">{t.skip}</a>
      <nav aria-label={t.navigation} className="hidden w-48 shrink-0 flex-col gap-0.5 border-r border-line bg-sunk p-2 md:flex lg:w-52">
        <Link href="/" className="flex h-10 items-center px-2"><Logo small /></Link>
        {mayStart && <Button look="main" icon={<Plus size={15} />} className="mb-1.5 justify-start" onClick={() => navigate("/?new=1")}>{t.newSession}</Button>}
        {places.map((p) => (
          <Link
            key={p.path}
            href={p.path}
            aria-current={at(p) ? "page" : undefined}
            className={cx("flex h-(--row) items-center gap-2.5 rounded px-2.5 hover:bg-hover", at(p) && "bg-hover font-medium")}
          >
            <p.icon size={15} className="text-soft" aria-hidden />
            <span className="flex-1">{p.name}</span>
            {p.path === "/inbox" && waiting > 0 && <Badge tone="ask" label={t.openQuestions(waiting)}>{waiting}</Badge>}
          </Link>
        ))}
        <div className="mt-auto px-2.5">{sayLine && <ConnectionBadge connection={connection} onRetry={inbox.reconnect} />}</div>
        <button type="button" onClick={() => setPalette(true)} className="flex h-(--row) items-center gap-2.5 rounded px-2.5 text-soft hover:bg-hover hover:text-ink">
          <Search size={15} aria-hidden />
          <span className="flex-1 text-left">{t.palette}</span>
          <kbd className="font-mono text-xs">{keyNames("Mod+k").join(isMac ? "" : " ")}</kbd>
        </button>
      </nav>
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">{children}</main>
      {sayLine && <div className="border-t border-line px-4 py-1 md:hidden"><ConnectionBadge connection={connection} onRetry={inbox.reconnect} /></div>}
      <nav aria-label={t.navigation} className={cx("shrink-0 border-t border-line bg-sunk pb-[env(safe-area-inset-bottom)] md:hidden", path.startsWith("/s/") ? "hidden" : "flex")}>
        {places.filter((p) => p.path !== "/usage").slice(0, 4).map((p) => (
          <Link
            key={p.path}
            href={p.path}
            aria-current={at(p) ? "page" : undefined}
            className={cx("relative flex min-h-13 flex-1 flex-col items-center justify-center gap-0.5 text-xs", at(p) ? "font-medium text-run" : "text-soft")}
          >
            <p.icon size={18} aria-hidden />
            {p.name}
            {p.path === "/inbox" && waiting > 0 && <span className="absolute top-1 left-1/2 ml-2"><Badge tone="ask" label={t.openQuestions(waiting)}>{waiting}</Badge></span>}
          </Link>
        ))}
        <button type="button" onClick={() => setPalette(true)} className="flex min-h-13 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-soft">
          <Search size={18} aria-hidden />
          {t.palette.replace("…", "").split(" ")[0]}
        </button>
      </nav>
      <Palette open={palette} onClose={() => setPalette(false)} />
      <KeyMap open={keymap} onClose={() => setKeymap(false)} />
      <Notices />
    </div>
  );
}
