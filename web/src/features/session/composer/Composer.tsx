import { newId } from "@clew-run/client";
import type { Arrival, Session, UserMessageData } from "@clew-run/client";
import { useQuestions, useSnapshot } from "@clew-run/client/react";
import { AtSign, Bot, ChevronUp, ClipboardList, ListEnd, MessageSquare, Plus, Slash, Zap } from "lucide-react";
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
} from "react";
import { useCommands, isMac } from "@/app/commands";
import { client } from "@/app/client";
import { announce, notify, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button, cx, IconButton, Menu, SendButton } from "@/ui";
import { column } from "../column";
import { questionsIn } from "../transcript/scope";
import { sessionWords } from "../words";
import { callsCommand, commandIn, type Names } from "./completion";
import { nothing, type Written } from "./draft";
import { problemWords, takeFiles, takenTypes, withFiles } from "./files";
import { intentOf } from "./keys";
import { sendLeftOver, sendMessage, drop } from "./pending";
import { PendingRows } from "./PendingRows";
import { plainYesNo } from "./plainYesNo";
import { Queue } from "./Queue";
import { SessionChips } from "./SessionChips";
import { talking } from "./talking";
import { Thumbs } from "./Thumbs";
import { modeSent, wantedMode, type Choices } from "./useChoices";
import { useCompletion } from "./useCompletion";
import { useDraft } from "./useDraft";
import { composerWords } from "./words";

const busy = new Set(["planning", "executing"]);

interface Props {
  session: Session;
  choices: Choices | undefined;
  /** The monitor whose agent one writes to, on a page that shows one of them; it is one line there, without the chips. */
  monitor?: string;
}

/** Where one writes to the agent. Those who only watch get a note instead. */
export function Composer({ session, choices, monitor }: Props) {
  const t = useWords(composerWords);
  const role = useSnapshot(session, (s) => s.session?.role);
  if (role === "viewer" || role === "admin" || role === "approver") {
    return (
      <div className="shrink-0 border-t border-line bg-sunk">
        <p className={cx(column, "py-3 text-soft")} data-watching>
          {role === "approver" ? t.approver : t.viewer}
        </p>
      </div>
    );
  }
  return <Writing session={session} choices={choices} monitor={monitor} />;
}

function Writing({ session, choices, monitor }: Props) {
  const compact = monitor !== undefined;
  const t = useWords(composerWords);
  const act = useWords(sessionWords);
  const box = useRef<HTMLTextAreaElement>(null);
  const { now: latest, images, empty, write, typed, keeper } = useDraft(session.id, box);
  const [planFirst, setPlanFirst] = useState(false);
  const [dropping, setDropping] = useState(false);
  const [held, setHeld] = useState(false); // a plain yes or no that was not sent
  const status = useSnapshot(session, (s) => s.session?.status);
  const monitorWorks = useSnapshot(session, (s) => s.monitors.some((m) => m.monitor_id === monitor && m.busy));
  const open = useQuestions(session);
  const questions = useMemo(() => questionsIn(open, monitor), [open, monitor]);
  const files = useRef<HTMLInputElement>(null);
  const composing = useComposing(box);
  const expanding = useRef(false);
  const names = useMemo<Names>(
    () => ({
      files: (q, over) => client.rest.sessions.files(session.id, q, over),
      slashCommands: () => client.rest.sessions.slashCommands(session.id),
    }),
    [session.id],
  );
  const completion = useCompletion(names, box, typed);
  /** Writes a sign that calls something, as if it was typed. */
  const begin = (sign: "@" | "/") => {
    const el = box.current;
    if (!el) return;
    el.focus();
    if (sign === "/") el.setSelectionRange(0, 0);
    const before = el.value.slice(0, el.selectionStart);
    el.setRangeText(
      sign === "@" && before !== "" && !/\s$/.test(before) ? " @" : sign,
      el.selectionStart,
      el.selectionEnd,
      "end",
    );
    typed();
    completion.look();
  };

  const asked = talking(questions);
  // Where only steps of a plan ask, the words are for work that goes on.
  const working = compact ? monitorWorks : busy.has(status ?? "") || (status === "awaiting_input" && asked === null);
  const steerable = working && !asked; // words can be for this turn or for the next
  const effect = planFirst ? null : asked; // what sending does to the open question
  useEffect(() => sendLeftOver(session), [session]);

  const putBack = useCallback(
    (w: Written) => {
      const now = latest.current;
      write({ text: now.text ? `${w.text}\n\n${now.text}` : w.text, images: [...w.images, ...now.images].slice(0, 4) });
      box.current?.focus();
    },
    [write, latest],
  );

  /** What a command stands for; "no" if it must not go out. */
  const expanded = async (w: Written): Promise<{ text: string; mode?: string } | "no" | undefined> => {
    if (!callsCommand(w.text)) return undefined;
    if (expanding.current) return "no";
    expanding.current = true;
    try {
      const command = await commandIn(client.rest.sessions, session.id, w.text);
      return latest.current === w ? command : "no"; // somebody wrote on meanwhile
    } catch (e) {
      notifyError(e);
      return "no";
    } finally {
      expanding.current = false;
    }
  };
  const send = async (delivery?: Arrival) => {
    const w = latest.current;
    if (w.text.trim() === "" && w.images.length === 0) return;
    // A yes or a no is for the card's buttons: as words it would not be taken as it is meant.
    if (asked !== null && asked !== "answers" && !planFirst && plainYesNo(w.text) !== null) {
      setHeld(true);
      announce(t.hintPlain);
      return;
    }
    // The words answer what is seen here, and nothing that is asked in the meantime.
    completion.close();
    const command = await expanded(w);
    if (command === "no") return;
    const data: UserMessageData = { text: command?.text ?? w.text, may_answer: questions.map((q) => q.request_id) };
    if (w.images.length > 0) data.images = w.images;
    if (monitor) data.monitor_id = monitor;
    if (planFirst) data.mode = "run";
    else {
      const mode = command?.mode ?? wantedMode(session.id);
      if (mode) data.mode = mode as UserMessageData["mode"];
    }
    if (delivery && working) data.delivery = delivery;
    const id = newId();
    keeper.sending();
    write(nothing);
    setPlanFirst(false);
    box.current?.focus();
    const outcome = await sendMessage(session, data, id);
    if (outcome.ok) {
      keeper.acknowledged();
      if (!planFirst) modeSent(session.id);
      announce(outcome.waits ? t.queued : t.sent);
      return;
    }
    keeper.failed();
    if (latest.current.text === "" && latest.current.images.length === 0 && box.current) {
      drop(session.id, id); // its words are back where they were written
      write(w);
      notify({ tone: "fail", text: `${t.failed} ${(outcome.error as Error).message}` });
    }
  };

  const addFiles = async (list: readonly File[]) => {
    const taken = await takeFiles(list, latest.current.images);
    const { images, text } = taken;
    const now = latest.current;
    if (images.length > 0 || text !== "")
      write({ text: withFiles(now.text, text), images: [...now.images, ...images] });
    const problem = problemWords(t, taken);
    if (problem) notify({ tone: "ask", text: problem });
  };
  const onKeyDown = (e: KeyboardEvent<HTMLTextAreaElement>) => {
    if (!composing.current && completion.key(e)) return;
    const intent = intentOf(
      { ...pick(e), isComposing: e.nativeEvent.isComposing, keyCode: e.keyCode },
      composing.current,
    );
    if (!intent) return;
    e.preventDefault();
    void send(intent === "steer" ? "steer" : compact ? undefined : "queue"); // where several agents work, the server knows who is free
  };
  const onPaste = (e: ClipboardEvent) => {
    const list = [...e.clipboardData.files];
    if (list.length === 0) return;
    e.preventDefault();
    void addFiles(list);
  };
  const onDrop = (e: DragEvent) => {
    setDropping(false);
    if (e.dataTransfer.files.length === 0) return;
    e.preventDefault();
    void addFiles([...e.dataTransfer.files]);
  };

  useCommands(
    useMemo(
      () => [
        {
          id: "compose",
          title: t.label,
          icon: <MessageSquare size={16} />,
          group: act.chat,
          here: true,
          rank: 35,
          keys: "c",
          run: () => box.current?.focus(),
        },
      ],
      [t, act],
    ),
  );

  return (
    <div
      className={cx("shrink-0", !compact && "bg-paper")}
      onDragOver={(e) => {
        if (e.dataTransfer.types.includes("Files")) {
          e.preventDefault();
          setDropping(true);
        }
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={onDrop}
    >
      <div className={compact ? undefined : "mx-auto w-full max-w-[800px] px-10 pb-3 max-sm:px-2 max-sm:pb-2"}>
        <Queue session={session} monitor={monitor} />
        <PendingRows session={session} putBack={putBack} />
        {held && effect && !empty && (
          <p className="pb-1.5 text-sm text-ask" data-hint="held">
            {t.hintPlain}
          </p>
        )}
        <div
          data-composer-box
          className={cx(
            "relative border bg-sheet shadow-raised focus-within:border-run focus-within:outline-3 focus-within:outline-run/20",
            compact ? "flex items-end gap-1 rounded-xl p-1.5" : "rounded-2xl",
            dropping ? "border-run" : "border-edge",
          )}
        >
          {completion.list}
          {images.length > 0 && (
            <Thumbs
              images={images}
              remove={(i) => write({ ...latest.current, images: images.filter((_, n) => n !== i) })}
            />
          )}
          <textarea
            ref={box}
            rows={1}
            aria-label={t.label}
            placeholder={dropping ? t.dropHere : effect ? t.effects[effect].placeholder : t.placeholder}
            onInput={() => {
              typed();
              setHeld(false);
              completion.look();
            }}
            onSelect={completion.look}
            onBlur={completion.close}
            {...completion.aria}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            data-composer
            className={cx(
              "block field-sizing-content max-h-[38dvh] w-full resize-none bg-transparent text-md outline-none pointer-coarse:min-h-11 pointer-coarse:text-[16px] pointer-coarse:leading-[22px]",
              compact ? "min-h-8 min-w-0 flex-1 px-2 py-1" : "min-h-10 px-3.5 pt-2.5 pb-1",
            )}
          />
          {compact && (
            <span className="flex shrink-0 items-center gap-0.5" onMouseDown={(e) => e.preventDefault()}>
              <IconButton
                label={t.mention}
                icon={<AtSign size={15} />}
                onClick={() => begin("@")}
                className="max-sm:hidden"
              />
              {steerable && !empty && (
                <Menu
                  label={t.deliver}
                  trigger={<IconButton label={t.deliver} icon={<ChevronUp size={15} />} />}
                  items={[
                    {
                      id: "steer",
                      label: t.steer,
                      note: t.steerNote,
                      icon: <Zap size={14} />,
                      run: () => void send("steer"),
                    },
                    {
                      id: "queue",
                      label: t.queue,
                      note: t.queueNote,
                      icon: <ListEnd size={14} />,
                      run: () => void send("queue"),
                    },
                    {
                      id: "ephemeral",
                      label: t.helper,
                      note: t.helperNote,
                      icon: <Bot size={14} />,
                      run: () => void send("ephemeral"),
                    },
                  ]}
                />
              )}
              {effect && !empty ? (
                <Button look="main" onClick={() => void send()} data-effect={effect}>
                  {t.effects[effect].send}
                </Button>
              ) : (
                <SendButton label={t.send} keys="⏎" disabled={empty} onClick={() => void send()} />
              )}
            </span>
          )}
          {!compact && (
            <div
              className="flex flex-wrap items-center gap-x-0.5 gap-y-1 px-2 pb-2"
              onMouseDown={(e) => e.preventDefault() /* the keyboard on the screen stays */}
            >
              <input
                ref={files}
                type="file"
                accept={takenTypes}
                multiple
                hidden
                onChange={(e) => {
                  void addFiles([...(e.target.files ?? [])]);
                  e.target.value = "";
                }}
              />
              <IconButton label={t.addImage} icon={<Plus size={16} />} onClick={() => files.current?.click()} />
              <IconButton
                label={t.mention}
                icon={<AtSign size={15} />}
                onClick={() => begin("@")}
                className="max-sm:hidden"
              />
              <IconButton
                label={t.command}
                icon={<Slash size={15} />}
                onClick={() => begin("/")}
                className="max-sm:hidden"
              />
              <span aria-hidden className="mx-1.5 h-4 w-px bg-line2 max-sm:hidden" />
              <SessionChips now={choices} />
              <Button
                look="quiet"
                aria-pressed={planFirst}
                aria-label={t.planFirst}
                title={t.planFirstHelp}
                icon={<ClipboardList size={14} />}
                onClick={() => setPlanFirst(!planFirst)}
                className={cx(
                  planFirst ? "bg-run-wash text-run" : "text-soft",
                  steerable ? "w-(--row) px-0!" : "max-lg:w-(--row) max-lg:px-0!",
                  effect && !empty && "max-sm:hidden",
                )}
              >
                <span className={steerable ? "sr-only" : "max-lg:sr-only"}>{t.planFirst}</span>
              </Button>
              {steerable ? (
                <span className="ml-auto flex shrink-0 gap-1">
                  <Button
                    disabled={empty}
                    title={t.hintQueue}
                    keys={isMac ? "⌘⏎" : "Ctrl ⏎"}
                    icon={<Zap size={15} aria-hidden className="sm:hidden" />}
                    onClick={() => void send("steer")}
                    className="max-sm:w-(--row) max-sm:px-0! max-sm:[&>kbd]:hidden!"
                  >
                    <span className="max-sm:sr-only">{t.steer}</span>
                  </Button>
                  <Button look="main" disabled={empty} title={t.hintQueue} keys="⏎" onClick={() => void send("queue")}>
                    {t.queue}
                  </Button>
                </span>
              ) : effect && !empty ? (
                <Button look="main" keys="⏎" onClick={() => void send()} data-effect={effect}>
                  {t.effects[effect].send}
                </Button>
              ) : (
                <SendButton label={t.send} keys="⏎" disabled={empty} onClick={() => void send()} />
              )}
            </div>
          )}
        </div>
      </div>
    </div>
  );
}

/** Whether an input method composes, or ended to do so just now. */
function useComposing(box: React.RefObject<HTMLTextAreaElement | null>): React.RefObject<boolean> {
  const composing = useRef(false);
  useEffect(() => {
    const el = box.current;
    if (!el) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      clearTimeout(timer);
      composing.current = true;
    };
    const end = () => {
      timer = setTimeout(() => (composing.current = false)); // after the key press that ended it
    };
    el.addEventListener("compositionstart", begin);
    el.addEventListener("compositionend", end);
    return () => {
      clearTimeout(timer);
      el.removeEventListener("compositionstart", begin);
      el.removeEventListener("compositionend", end);
    };
  }, [box]);
  return composing;
}

function pick(e: KeyboardEvent): {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
} {
  return { key: e.key, shiftKey: e.shiftKey, ctrlKey: e.ctrlKey, metaKey: e.metaKey, altKey: e.altKey };
}
