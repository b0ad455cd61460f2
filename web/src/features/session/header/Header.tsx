import type { Session } from "@clew-run/client";
import { useConnection, useMessageIds, useSnapshot } from "@clew-run/client/react";
import {
  Archive,
  ArchiveRestore,
  ArrowLeft,
  Clock,
  Download,
  Folder,
  Gauge,
  GitFork,
  ListChecks,
  Monitor,
  MoreHorizontal,
  NotebookPen,
  PanelRight,
  Pencil,
  ScanText,
  Search,
  Share2,
  ShieldCheck,
  Shrink,
  Trash2,
} from "lucide-react";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import { useCommands } from "@/app/commands";
import { ConnectionBadge } from "@/app/Connection";
import { notify, notifyError } from "@/app/notices";
import { setPrefs, usePrefs } from "@/app/prefs";
import { useWords } from "@/i18n";
import { count, money } from "@/lib/format";
import { chipWords } from "@/features/chips/words";
import { baseName } from "@/features/start/names";
import { bringBack } from "@/features/history/archive";
import { useNarrow, useRoomy } from "@/lib/useNarrow";
import { Avatar, Badge, Button, cx, IconButton, Menu, Status, StatusTag, type MenuItem } from "@/ui";
import type { Choices } from "../composer/useChoices";
import { openFind } from "../find/find";
import { findWords } from "../find/words";
import { progressOf, stepsInFront } from "../plan/own";
import { useSide } from "../side/side";
import { useWriting } from "../side/useWriting";
import { sessionWords } from "../words";
import { Controls } from "./Controls";
import { useDialogs } from "./dialogs";
import { ModelFact } from "./ModelFact";
import { answers, statusShown } from "./status";
import { contextTokens } from "./usage";
import { useTitle } from "./useTitle";
import { Views } from "./Views";

/** The head of a session: what it is, how it stands, and what one can do with it. */
export function Header({ session, choices }: { session: Session; choices: Choices | undefined }) {
  const t = useWords(sessionWords);
  const connection = useConnection(session);
  const archived = useSnapshot(session, (s) => s.session?.archived ?? false);
  const title = useTitle(session, archived);
  // Nothing is said of a session that is not here yet.
  const status = useSnapshot(
    session,
    (s) => s.session && statusShown(s.session.status, s.runs, s.questions.length > 0, answers(s.session.role)),
  );
  const owner = useSnapshot(session, (s) => s.session?.role === "owner" || s.session?.role === undefined);
  const open = useDialogs((s) => s.open);
  const writing = useWriting();
  const phone = useNarrow();
  const roomy = useRoomy();
  const name = title ?? t.loading;
  const line = <ConnectionBadge connection={connection} onRetry={session.reconnect} />;
  return (
    <header
      className={cx(
        "flex h-13 shrink-0 items-center gap-2.5 border-b border-line pr-3 pl-5 phone:h-14 phone:gap-1 phone:px-1",
        writing && "[@media(height<320px)]:hidden",
      )}
    >
      {phone && (
        <Link
          href="/"
          aria-label={t.back}
          className="flex size-(--row) shrink-0 items-center justify-center rounded text-soft hover:bg-hover"
        >
          <ArrowLeft size={18} aria-hidden />
        </Link>
      )}
      <div className="flex min-w-0 items-center gap-2.5 phone:flex-1 phone:flex-col phone:items-start phone:gap-0">
        <h1 className="max-w-full min-w-0 truncate text-lg font-semibold" title={name}>
          {owner && title !== undefined && !phone ? (
            <button
              type="button"
              onClick={() => open({ kind: "rename" })}
              className="block max-w-full truncate rounded text-left hover:bg-hover pointer-coarse:min-h-(--row) pointer-coarse:min-w-(--row)"
              title={t.rename}
            >
              {name}
            </button>
          ) : (
            name
          )}
        </h1>
        <span className="flex max-w-full shrink-0 items-center gap-2 text-sm">
          {status &&
            (phone ? (
              <Status
                status={status}
                live={connection.state === "active"}
                className={cx(status === "awaiting_input" && "text-ask")}
              />
            ) : (
              <StatusTag status={status} live={connection.state === "active"} />
            ))}
          {archived && <Badge>{t.archived}</Badge>}
          {phone && (
            <>
              {status && (
                <span aria-hidden className="text-faint">
                  ·
                </span>
              )}
              {line}
              <Usage session={session} />
            </>
          )}
        </span>
      </div>
      {!phone && (
        <>
          <span className="flex-1" />
          <Views session={session} at="transcript" />
          {roomy && <Place session={session} />}
          {roomy && owner && choices && <ModelFact now={choices} />}
          {roomy && <Sep />}
          {!roomy && <Steps session={session} />}
          <Usage session={session} />
          <Viewers session={session} />
          <span className="flex text-sm">{line}</span>
        </>
      )}
      <div className="flex shrink-0 items-center gap-1">
        <Controls session={session} />
        <SessionMenu session={session} owner={owner} archived={archived} name={name} />
        {!phone && <PanelToggle roomy={roomy} />}
      </div>
    </header>
  );
}

function Sep() {
  return <span aria-hidden className="mx-0.5 h-4.5 w-px bg-line2 last:hidden" />;
}

/** Shows and hides what stands beside the transcript, or lies over it. */
function PanelToggle({ roomy }: { roomy: boolean }) {
  const t = useWords(sessionWords);
  const side = useSide();
  const open = roomy ? side.open : side.over;
  return (
    <IconButton
      label={open ? t.closeSide : t.openSide}
      icon={<PanelRight size={16} />}
      pressed={open}
      onClick={() => (roomy ? side.setOpen(!open) : side.setOver(!open))}
    />
  );
}

/** How far the plan is, where there is no room for the plan itself. */
function Steps({ session }: { session: Session }) {
  const t = useWords(sessionWords);
  const show = useSide((s) => s.show);
  const progress = useSnapshot(session, (s) => progressOf(stepsInFront(s)));
  if (!progress) return null;
  const [done, all] = progress.split("/") as [string, string];
  return (
    <Button
      className="px-2.5"
      icon={<ListChecks size={14} className="text-run" aria-hidden />}
      onClick={() => show("plan")}
      title={t.planAt(done, all)}
      aria-haspopup="dialog"
    >
      <span className="text-sm">
        <span className="sr-only">{t.plan} </span>
        {t.ofSteps(done, all)}
      </span>
    </Button>
  );
}

/** The folder that the session works in. */
function Place({ session }: { session: Session }) {
  const t = useWords(chipWords);
  const workspace = useSnapshot(session, (s) => s.session?.workspace ?? "");
  if (workspace === "") return null;
  return (
    <span title={workspace} className="flex max-w-40 min-w-0 shrink items-center gap-1.5 text-sm text-soft" data-folder>
      <Folder size={14} aria-hidden className="shrink-0" />
      <span className="sr-only">{t.is(t.folder, workspace)}</span>
      <span aria-hidden className="truncate">
        {baseName(workspace)}
      </span>
    </span>
  );
}

/** How full the context is, and what it cost. */
function Usage({ session }: { session: Session }) {
  const t = useWords(sessionWords);
  const ids = useMessageIds(session);
  const usage = useSnapshot(session, (s) => s.usage);
  const tokens = useMemo(() => contextTokens(session, ids), [session, ids]);
  if (tokens === 0 && usage.cost_usd === 0) return null;
  const help = [tokens > 0 && t.context(count(tokens)), usage.cost_usd > 0 && t.cost(money(usage.cost_usd))]
    .filter(Boolean)
    .join(", ");
  return (
    <span title={help} className="flex items-center gap-2.5 text-sm whitespace-nowrap text-soft" data-usage>
      <span className="sr-only">{help}</span>
      {tokens > 0 && (
        <span aria-hidden className="flex items-center gap-1.5 phone:hidden">
          <Gauge size={14} />
          {count(tokens)}
        </span>
      )}
      {usage.cost_usd > 0 && <span aria-hidden>{money(usage.cost_usd)}</span>}
    </span>
  );
}

const faces = 3;

/** Who else is here. */
export function Viewers({ session }: { session: Session }) {
  const t = useWords(sessionWords);
  const viewers = useSnapshot(session, (s) => s.viewers);
  if (viewers.length < 2) return null;
  return (
    <span
      role="img"
      title={t.viewers(viewers.map((v) => v.user_id))}
      aria-label={t.viewers(viewers.map((v) => v.user_id))}
      className="flex shrink-0 items-center [&>*+*]:-ml-1"
      data-viewers={viewers.length}
    >
      {viewers.slice(0, faces).map((v) => (
        <Avatar key={v.user_id} name={v.user_id} className="ring-2 ring-paper" />
      ))}
      {viewers.length > faces && <span className="pl-2 text-sm text-soft">+{viewers.length - faces}</span>}
    </span>
  );
}

/** What of it comes first in the palette. */
const ranks: Record<string, number> = {
  find: 12,
  time: 20,
  fork: 21,
  share: 22,
  rename: 23,
  desktop: 24,
  notebook: 25,
};

function SessionMenu({
  session,
  owner,
  archived,
  name,
}: {
  session: Session;
  owner: boolean;
  archived: boolean;
  name: string;
}) {
  const t = useWords(sessionWords);
  const [, navigate] = useLocation();
  const verbose = usePrefs((p) => p.verbose);
  const open = useDialogs((s) => s.open);
  const f = useWords(findWords);
  const items = useMemo<(MenuItem | "line")[]>(() => {
    const all: (MenuItem | "line")[] = [
      { id: "find", label: f.find, keys: "/", icon: <Search size={14} />, run: () => openFind(session.id) },
      ...(owner
        ? [
            {
              id: "notebook",
              label: t.openNotebook,
              icon: <NotebookPen size={14} />,
              run: () => open({ kind: "notebook" as const }),
            },
          ]
        : []),
      { id: "desktop", label: t.desktop, icon: <Monitor size={14} />, run: () => navigate(`/s/${session.id}/desktop`) },
      { id: "time", label: t.time, icon: <Clock size={14} />, run: () => navigate(`/s/${session.id}/time`) },
      {
        id: "inner",
        label: verbose ? t.hideInner : t.showInner,
        icon: <ScanText size={14} />,
        run: () => setPrefs({ verbose: !verbose }),
      },
      { id: "allowed", label: t.allowedItem, icon: <ShieldCheck size={14} />, run: () => open({ kind: "allowed" }) },
      { id: "export", label: t.exportItem, icon: <Download size={14} />, run: () => open({ kind: "export" }) },
    ];
    if (!owner) return all;
    return [
      { id: "rename", label: t.rename, icon: <Pencil size={14} />, run: () => open({ kind: "rename" }) },
      { id: "share", label: t.share, icon: <Share2 size={14} />, run: () => open({ kind: "share" }) },
      { id: "fork", label: t.fork, icon: <GitFork size={14} />, run: () => open({ kind: "fork" }) },
      "line",
      ...all,
      "line",
      {
        id: "condense",
        label: t.condense,
        icon: <Shrink size={14} />,
        run: () =>
          void session.send("condense_context", {}).then(() => notify({ tone: "run", text: t.condensed }), notifyError),
      },
      archived
        ? {
            id: "archive",
            label: t.bringBack,
            icon: <ArchiveRestore size={14} />,
            run: () => bringBack(session.id, name, () => {}),
          }
        : { id: "archive", label: t.archive, icon: <Archive size={14} />, run: () => open({ kind: "archive" }) },
      { id: "delete", label: t.delete, icon: <Trash2 size={14} />, run: () => open({ kind: "delete" }) },
    ];
  }, [t, f, session, navigate, verbose, open, owner, archived, name]);
  useCommands(
    useMemo(
      () =>
        items
          .filter((i) => i !== "line")
          .map((i) => ({
            id: `session:${i.id}`,
            title: i.label,
            icon: i.icon,
            group: t.parts,
            here: true,
            rank: ranks[i.id],
            keys: i.keys,
            run: i.run,
          })),
      [items, t],
    ),
  );
  return (
    <Menu label={t.more} trigger={<IconButton label={t.more} icon={<MoreHorizontal size={16} />} />} items={items} />
  );
}
