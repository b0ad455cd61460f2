import { newId } from "@clew-run/client";
import type { ModelInUse } from "@clew-run/client";
import { Check, Compass, FilePen, FlaskConical, Folder, FolderGit2, FolderOpen, Sparkles } from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { client } from "@/app/client";
import { NewSession } from "@/features/inbox/NewSession";
import { keptWork, keepWork, noWork, start, type Begun } from "@/features/inbox/start";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Button, cx, ErrorNote } from "@/ui";
import { ConnectModel } from "./ConnectModel";
import { FolderDialog } from "./FolderDialog";
import { baseName } from "./names";
import { startWords } from "./words";

interface Props {
  model: ModelInUse;
  /** No model is set up, or it cannot be used. */
  missing: boolean;
  /** Whether this person can connect one. */
  mayConnect: boolean;
  onModel(now: ModelInUse): void;
  onSkip(): void;
}

/** The first page of a new server: a model, a folder, a task. Each step is done here. */
export function FirstRun({ model, missing, mayConnect, onModel, onSkip }: Props) {
  const t = useWords(startWords);
  const [again, setAgain] = useState(false); // another model is wanted
  const [folder, setFolder] = useState<string | null>(() => keptWork().workspace || null); // "" is a new one
  const connecting = missing || again;
  return (
    <div className="flex flex-col gap-8">
      <div>
        <h1 className="text-[26px] leading-[34px] font-semibold tracking-[-0.022em]">
          {connecting ? t.welcome : t.ready}
        </h1>
        <p className="pt-1 text-md text-soft">{connecting ? t.welcomeHelp : t.readyHelp}</p>
      </div>
      <ol>
        {connecting ? (
          <Step n={1} state="current" title={t.connect}>
            {mayConnect ? (
              <ConnectModel
                onSkip={missing ? onSkip : undefined}
                onDone={(now) => {
                  setAgain(false);
                  onModel(now);
                }}
              />
            ) : (
              <p className="text-soft">{t.askAdmin}</p>
            )}
          </Step>
        ) : (
          <Step
            n={1}
            state="done"
            title={t.modelDone}
            fact={model.model ? t.from(model.model, model.profile || model.provider) : model.provider}
            action={
              mayConnect && (
                <Button look="quiet" aria-label={t.changeModel} onClick={() => setAgain(true)}>
                  {t.change}
                </Button>
              )
            }
          />
        )}
        {folder === null ? (
          <Step n={2} state={connecting ? "next" : "current"} title={t.folder}>
            <ChooseFolder choose={setFolder} />
          </Step>
        ) : (
          <Step
            n={2}
            state="done"
            title={t.folderDone}
            fact={folder === "" ? t.ownFolder : baseName(folder)}
            action={
              <Button look="quiet" aria-label={t.changeFolder} onClick={() => setFolder(null)}>
                {t.change}
              </Button>
            }
          />
        )}
        <Step n={3} state={connecting || folder === null ? "next" : "current"} title={t.task} last>
          {connecting ? <p className="text-soft">{t.taskHelp}</p> : <Tasks folder={folder ?? ""} model={model} />}
        </Step>
      </ol>
    </div>
  );
}

function Step({
  n,
  state,
  title,
  fact,
  action,
  last,
  children,
}: {
  n: number;
  state: "done" | "current" | "next";
  title: string;
  fact?: string;
  action?: ReactNode;
  last?: boolean;
  children?: ReactNode;
}) {
  return (
    <li
      className={cx(
        "relative pb-5 pl-11 max-sm:pl-9",
        !last && "before:absolute before:top-8 before:bottom-1 before:left-[13px] before:w-0.5 before:bg-line",
        !last && state === "done" && "before:bg-run",
      )}
      aria-current={state === "current" ? "step" : undefined}
    >
      <span
        aria-hidden
        className={cx(
          "absolute top-0 left-0 flex size-7 items-center justify-center rounded-full font-semibold",
          state === "done"
            ? "bg-run-wash text-run"
            : state === "current"
              ? "bg-run text-on-run"
              : "border border-edge/60 bg-paper text-soft",
        )}
      >
        {state === "done" ? <Check size={15} /> : n}
      </span>
      <div className="flex min-h-7 items-center gap-2 pb-1.5">
        <h2 className={cx("shrink-0 text-xl font-semibold", state === "next" && "text-soft")}>{title}</h2>
        {fact && (
          <span className="min-w-0 flex-1 truncate text-soft" title={fact}>
            {fact}
          </span>
        )}
        {action}
      </div>
      {children}
    </li>
  );
}

const suggestionsShown = 3;

function ChooseFolder({ choose }: { choose(path: string): void }) {
  const t = useWords(startWords);
  const [browsing, setBrowsing] = useState(false);
  const found = useLoaded("folders", () => client.rest.folders());
  const folders = (found.value?.folders ?? [])
    .toSorted((a, b) => Number(b.git ?? false) - Number(a.git ?? false))
    .slice(0, suggestionsShown);
  return (
    <div className="flex flex-col gap-2.5">
      <p className="text-soft">{t.folderHelp}</p>
      <div className="flex flex-wrap gap-2">
        {folders.map((f) => (
          <Button
            key={f.path}
            title={f.path}
            icon={f.git ? <FolderGit2 size={15} aria-hidden /> : <Folder size={15} aria-hidden />}
            onClick={() => choose(f.path)}
          >
            {f.name}
          </Button>
        ))}
        <Button icon={<FolderOpen size={15} aria-hidden />} onClick={() => setBrowsing(true)}>
          {t.browse}
        </Button>
        <Button look="quiet" icon={<Sparkles size={15} aria-hidden />} onClick={() => choose("")}>
          {t.emptyFolder}
        </Button>
      </div>
      {browsing && (
        <FolderDialog
          onClose={() => setBrowsing(false)}
          onChoose={(path) => {
            setBrowsing(false);
            choose(path);
          }}
        />
      )}
    </div>
  );
}

const icons = [Compass, FlaskConical, FilePen];

function Tasks({ folder, model }: { folder: string; model: ModelInUse }) {
  const t = useWords(startWords);
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState(-1);
  const [error, setError] = useState<unknown>(null);
  const begun = useRef<Begun & { text?: string }>({ messageId: newId() });
  const begin = async (i: number, text: string) => {
    if (busy >= 0) return;
    setBusy(i);
    setError(null);
    if (begun.current.text !== text) begun.current = { messageId: newId(), text };
    try {
      const id = await start(client.rest.sessions, { ...noWork, text, workspace: folder }, begun.current);
      keepWork(noWork);
      navigate(`/s/${id}`);
    } catch (e) {
      setError(e);
      setBusy(-1);
    }
  };
  const list = folder === "" ? t.newTasks : t.tasks;
  return (
    <div className="flex flex-col gap-4">
      <NewSession folder={folder} model={model} />
      <section
        aria-label={folder === "" ? t.suggestedNew : t.suggested(baseName(folder))}
        className="flex flex-col gap-2"
      >
        <h3 className="text-xs font-semibold text-soft">
          {folder === "" ? t.suggestedNew : t.suggested(baseName(folder))}
        </h3>
        {list.map((task, i) => {
          const Icon = icons[i]!;
          return (
            <button
              key={task.title}
              type="button"
              aria-busy={busy === i || undefined}
              onClick={() => void begin(i, task.title)}
              className="flex items-center gap-3 rounded border border-line bg-sheet p-3 text-left hover:bg-hover"
            >
              <span
                aria-hidden
                className="flex size-8 shrink-0 items-center justify-center rounded bg-run-wash text-run"
              >
                <Icon size={16} />
              </span>
              <span>
                <span className="block font-semibold">{task.title}</span>
                <span className="block text-sm text-soft">{task.help}</span>
              </span>
            </button>
          );
        })}
        {error !== null && <ErrorNote error={error} />}
      </section>
    </div>
  );
}
