import { MessageSquareText, PanelLeft, Plus, Search, Settings } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useWords } from "@/i18n";
import { useRoomy } from "@/lib/useNarrow";
import { Badge, Button, cx, Drawer, IconButton, Kbd } from "@/ui";
import { useMayStart } from "../account";
import { isMac, keyNames } from "../commands";
import { useInboxState } from "../inbox";
import { Logo } from "../Logo";
import { setPrefs, usePrefs } from "../prefs";
import { appWords } from "../words";
import { Person } from "./Person";
import { isAt, usePlaces } from "./places";
import { RailSessions } from "./RailSessions";

interface RailProps {
  onSearch(): void;
  /** How the line stands, where nothing else on the page says it. */
  line: ReactNode;
}

/** What is beside every page: where one can go, one's sessions, and who one is. Without room, or if somebody likes it so, it is icons. */
export function Rail({ onSearch, line }: RailProps) {
  const t = useWords(appWords);
  const [path] = useLocation();
  const roomy = useRoomy() && !/^\/s\/[^/]+\/desktop/.test(path); // a desktop takes all the room there is
  const slim = usePrefs((p) => p.slimRail);
  const [over, setOver] = useState(false);
  useEffect(() => setOver(false), [path, roomy]);
  if (roomy && !slim) {
    return (
      <nav
        aria-label={t.navigation}
        className="flex w-64 shrink-0 flex-col border-r border-line bg-sunk phone:hidden"
        data-rail="open"
      >
        <Open
          onSearch={onSearch}
          line={line}
          toggle={
            <IconButton
              label={t.hideSessions}
              icon={<PanelLeft size={16} />}
              aria-expanded
              onClick={() => setPrefs({ slimRail: true })}
            />
          }
        />
      </nav>
    );
  }
  return (
    <>
      <nav
        aria-label={t.navigation}
        className="flex w-14 shrink-0 flex-col items-center overflow-y-auto border-r border-line bg-sunk pt-3 pb-2 phone:hidden"
        data-rail="icons"
      >
        <Icons
          onSearch={onSearch}
          onSessions={() => (roomy ? setPrefs({ slimRail: false }) : setOver(true))}
          over={over}
          line={line}
        />
      </nav>
      {over && (
        <Drawer side="left" label={t.navigation} onClose={() => setOver(false)} className="w-64 bg-sunk">
          <Open
            onSearch={() => (setOver(false), onSearch())}
            line={line}
            toggle={
              <IconButton
                label={t.hideSessions}
                icon={<PanelLeft size={16} />}
                aria-expanded
                onClick={() => setOver(false)}
              />
            }
          />
        </Drawer>
      )}
    </>
  );
}

const row =
  "flex h-7.5 items-center gap-2.25 rounded px-2 font-medium text-soft hover:bg-hover hover:text-ink pointer-coarse:h-11";

function Open({ onSearch, line, toggle }: RailProps & { toggle: ReactNode }) {
  const t = useWords(appWords);
  const [path, navigate] = useLocation();
  const mayStart = useMayStart();
  const places = usePlaces();
  const { counts } = useInboxState();
  return (
    <>
      <div className="flex flex-col px-2 pt-3">
        <div className="mb-2 flex h-8 items-center justify-between pl-2">
          <Link href="/" className="flex h-8 items-center rounded pointer-coarse:h-11">
            <Logo small />
          </Link>
          {toggle}
        </div>
        {mayStart && (
          <Button
            icon={<Plus size={15} />}
            keys="N"
            className="mb-1.5 h-8.5 justify-start px-2 [&>kbd]:ml-auto"
            onClick={() => navigate("/?new=1")}
          >
            {t.newSession}
          </Button>
        )}
        <button type="button" onClick={onSearch} className={cx(row, isAt(path, "/search") && "bg-hover text-ink")}>
          <Search size={16} aria-hidden />
          <span className="flex-1 text-left">{t.search}</span>
          <span aria-hidden className="pointer-coarse:hidden">
            <Kbd>{keyNames("Mod+k").join(isMac ? "" : " ")}</Kbd>
          </span>
        </button>
        <ul>
          {places
            .filter((p) => p.rail)
            .map((p) => (
              <li key={p.path}>
                <Link
                  href={p.path}
                  aria-current={isAt(path, p.path) ? "page" : undefined}
                  className={cx(row, isAt(path, p.path) && "bg-hover text-ink")}
                >
                  <p.icon size={16} aria-hidden />
                  <span className="flex-1">{p.name}</span>
                  {p.path === "/inbox" && counts.total > 0 && (
                    <Badge tone="ask" label={t.openQuestions(counts.total)}>
                      {counts.total}
                    </Badge>
                  )}
                </Link>
              </li>
            ))}
        </ul>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-3" data-rail-sessions>
        <RailSessions />
      </div>
      {line && <div className="px-4 py-1.5">{line}</div>}
      <div className="flex items-center gap-1 border-t border-line p-2">
        <Person />
        <SettingsLink />
      </div>
    </>
  );
}

function SettingsLink({ className }: { className?: string }) {
  const t = useWords(appWords);
  const [path] = useLocation();
  const here = isAt(path, "/settings");
  return (
    <Link
      href="/settings"
      aria-label={t.settings}
      title={t.settings}
      aria-current={here ? "page" : undefined}
      className={cx(
        "flex size-(--row) shrink-0 items-center justify-center rounded text-soft hover:bg-hover hover:text-ink",
        here && "bg-hover text-ink",
        className,
      )}
    >
      <Settings size={16} aria-hidden />
    </Link>
  );
}

const icon =
  "relative flex size-10 shrink-0 items-center justify-center rounded-lg text-soft hover:bg-hover hover:text-ink pointer-coarse:size-11";

function Icons({ onSearch, onSessions, over, line }: RailProps & { onSessions(): void; over: boolean }) {
  const t = useWords(appWords);
  const [path, navigate] = useLocation();
  const mayStart = useMayStart();
  const places = usePlaces();
  const { counts } = useInboxState();
  return (
    <>
      <Link href="/" aria-label="clew" className={cx(icon, "mb-1.5 text-run hover:text-run")}>
        <Logo mark />
      </Link>
      {mayStart && (
        <IconButton
          label={t.newSession}
          keys="N"
          icon={<Plus size={18} />}
          className={icon}
          onClick={() => navigate("/?new=1")}
        />
      )}
      <IconButton
        label={t.search}
        keys={keyNames("Mod+k").join("+")}
        icon={<Search size={18} />}
        className={cx(icon, isAt(path, "/search") && "bg-hover text-ink")}
        onClick={onSearch}
      />
      <ul>
        {places
          .filter((p) => p.rail)
          .map((p) => (
            <li key={p.path}>
              <Link
                href={p.path}
                title={p.name}
                aria-current={isAt(path, p.path) ? "page" : undefined}
                className={cx(icon, isAt(path, p.path) && "bg-hover text-ink")}
              >
                <p.icon size={18} aria-hidden />
                <span className="sr-only">{p.name}</span>
                {p.path === "/inbox" && counts.total > 0 && <Count n={counts.total} />}
              </Link>
            </li>
          ))}
      </ul>
      <span aria-hidden className="my-2 h-px w-6 shrink-0 bg-line2" />
      <IconButton
        label={t.showSessions}
        icon={<MessageSquareText size={18} />}
        aria-expanded={over}
        className={cx(icon, path.startsWith("/s/") && "bg-hover text-ink")}
        onClick={onSessions}
      />
      <span className="flex-1" />
      {line && <span className="[&_[data-connection]>span]:sr-only [&_button>span]:sr-only">{line}</span>}
      <SettingsLink className={icon} />
      <Person slim />
    </>
  );
}

/** How many wait, on an icon. */
function Count({ n }: { n: number }) {
  const t = useWords(appWords);
  return (
    <span
      role="img"
      aria-label={t.openQuestions(n)}
      className="absolute top-0.5 right-0 min-w-4 rounded-full bg-ask px-1 text-center text-[10px] leading-4 font-semibold tracking-normal text-sheet"
    >
      {n}
    </span>
  );
}
