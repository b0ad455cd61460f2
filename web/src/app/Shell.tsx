import {
  Languages,
  LogOut,
  MessageCircleQuestion,
  Palette as PaletteIcon,
  Plus,
  Search,
  SunMoon,
  Keyboard,
  User,
} from "lucide-react";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useSessionKeeper } from "@/features/inbox/useSessionList";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { Badge, cx } from "@/ui";
import { signOut, stillSignedIn, useAccount, useMayStart } from "./account";
import { ConnectionBadge, useKeepTrying } from "./Connection";
import { listenToKeys, useCommands, type Command } from "./commands";
import { Notices, notifyError } from "./notices";
import { Palette } from "./Palette";
import { setPrefs, usePrefs } from "./prefs";
import { useInboxState, useNextQuestion } from "./inbox";
import { PersonMenu } from "./rail/Person";
import { isAt, usePlaces } from "./rail/places";
import { Rail } from "./rail/Rail";
import { appWords } from "./words";

const KeyMap = lazyPart(() => import("./KeyMap").then((m) => m.KeyMap), true);

/** Whether the page of components is offered: to those who work on the pages. */
const developing = import.meta.env.DEV || new URLSearchParams(location.search).has("design");

/** What is around every page: the rail (tabs at the foot of phones), palette, keys, notices. */
export function Shell({ children }: { children: ReactNode }) {
  const t = useWords(appWords);
  const [path, navigate] = useLocation();
  const [palette, setPalette] = useState(false);
  const [keymap, setKeymap] = useState(false);
  const account = useAccount((s) => s.account);
  const mayStart = useMayStart();
  const authOff = account.state === "in" && account.me.auth === "off";
  const nextQuestion = useNextQuestion();
  const { connection, inbox } = useInboxState();
  useKeepTrying(connection, inbox.reconnect);
  useSessionKeeper(path);
  // A session says by itself how its line stands.
  const sayLine = connection.state !== "active" && !path.startsWith("/s/");

  const broke = connection.state === "failed" || connection.state === "reconnecting";
  useEffect(() => {
    if (broke) void stillSignedIn();
  }, [broke, connection.state]); // the server may be away at first, and the key revoked when it is back
  useEffect(listenToKeys, []);

  const places = usePlaces();
  useCommands(
    useMemo<Command[]>(
      () => [
        ...places.map((p) => ({
          id: `go:${p.path}`,
          title: p.name,
          note: p.note,
          icon: <p.icon size={16} />,
          group: t.go,
          keys: p.keys,
          run: () => navigate(p.path),
        })),
        { id: "palette", title: t.palette, group: t.help, keys: "Mod+k", run: () => setPalette(true) },
        {
          id: "keymap",
          title: t.keymap,
          icon: <Keyboard size={16} />,
          group: t.help,
          keys: "?",
          run: () => setKeymap(true),
        },
        ...(mayStart
          ? [
              {
                id: "new",
                title: t.newSession,
                icon: <Plus size={16} />,
                group: t.act,
                keys: "n",
                run: () => navigate("/?new=1"),
              },
            ]
          : []),
        {
          id: "next-question",
          title: t.nextQuestion,
          icon: <MessageCircleQuestion size={16} />,
          group: t.go,
          keys: "g",
          run: nextQuestion,
        },
        {
          id: "theme",
          title: t.theme,
          icon: <SunMoon size={16} />,
          group: t.view,
          also: "dark light 어두운 밝은",
          run: () => setPrefs({ theme: document.documentElement.dataset.theme === "dark" ? "light" : "dark" }),
        },
        {
          id: "language",
          title: t.language,
          icon: <Languages size={16} />,
          group: t.view,
          also: "korean english 한국어",
          run: () => setPrefs({ language: usePrefs.getState().language === "ko" ? "en" : "ko" }),
        },
        ...(developing
          ? [
              {
                id: "design",
                title: t.design,
                icon: <PaletteIcon size={16} />,
                group: t.help,
                run: () => navigate("/design"),
              },
            ]
          : []),
        ...(authOff
          ? []
          : [
              {
                id: "sign-out",
                title: t.signOut,
                icon: <LogOut size={16} />,
                group: t.act,
                run: () => void signOut().catch(notifyError),
              },
            ]),
      ],
      [t, places, navigate, nextQuestion, authOff, mayStart],
    ),
  );

  const line = sayLine ? <ConnectionBadge connection={connection} onRetry={inbox.reconnect} /> : null;
  return (
    <div className="flex h-full pt-[env(safe-area-inset-top)] pr-[env(safe-area-inset-right)] pl-[env(safe-area-inset-left)] phone:flex-col">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-sheet focus:p-3">
        {t.skip}
      </a>
      <Rail onSearch={() => setPalette(true)} line={line} />
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
        {children}
      </main>
      {line && <div className="border-t border-line px-4 py-1 desk:hidden">{line}</div>}
      <Foot onSearch={() => setPalette(true)} />
      <Palette open={palette} onClose={() => setPalette(false)} />
      {keymap && <KeyMap open onClose={() => setKeymap(false)} />}
      <Notices />
    </div>
  );
}

const tab = "relative flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-xs font-medium";

/** On phones the places are tabs at the lower edge; a session has its own there. */
function Foot({ onSearch }: { onSearch(): void }) {
  const t = useWords(appWords);
  const [path] = useLocation();
  const places = usePlaces();
  const { counts } = useInboxState();
  const link = (to: string) => {
    const p = places.find((x) => x.path === to)!;
    return (
      <Link
        href={p.path}
        aria-current={isAt(path, p.path) ? "page" : undefined}
        className={cx(tab, isAt(path, p.path) ? "text-run" : "text-soft")}
      >
        <p.icon size={20} aria-hidden />
        {p.name}
        {to === "/inbox" && counts.total > 0 && (
          <span className="absolute top-1 left-1/2 ml-2">
            <Badge tone="ask" label={t.openQuestions(counts.total)}>
              {counts.total}
            </Badge>
          </span>
        )}
      </Link>
    );
  };
  return (
    <nav
      aria-label={t.navigation}
      className={cx(
        "shrink-0 border-t border-line bg-paper pb-[env(safe-area-inset-bottom)] desk:hidden",
        path.startsWith("/s/") ? "hidden" : "flex",
      )}
    >
      {link("/")}
      {link("/inbox")}
      <button type="button" onClick={onSearch} className={cx(tab, "text-soft")}>
        <Search size={20} aria-hidden />
        {t.search}
      </button>
      {link("/history")}
      <PersonMenu
        trigger={
          <button type="button" className={cx(tab, isAt(path, "/settings") ? "text-run" : "text-soft")}>
            <User size={20} aria-hidden />
            {t.you}
          </button>
        }
      />
    </nav>
  );
}
