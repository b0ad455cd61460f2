import { Plus, SlidersHorizontal } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { client } from "@/app/client";
import { newId, type ModelInUse } from "@clew-run/client";
import { notify } from "@/app/notices";
import { Thumbs } from "@/features/session/composer/Thumbs";
import type { Names } from "@/features/session/composer/completion";
import { useCompletion } from "@/features/session/composer/useCompletion";
import { composerWords } from "@/features/session/composer/words";
import { useWords } from "@/i18n";
import { ErrorNote, Field, IconButton, SendButton, Switch, TextInput } from "@/ui";
import { NewChips } from "./NewChips";
import { keepWork, keptWork, noWork, start, type Begun, type NewWork } from "./start";
import { inboxWords } from "./words";

/** Begins a session with its first words. Nothing that was written is lost if that fails. */
export function NewSession({ folder, model }: { folder?: string; model: ModelInUse | undefined }) {
  const t = useWords(inboxWords);
  const pictures = useWords(composerWords);
  const [, navigate] = useLocation();
  const asked = new URLSearchParams(useSearch()).has("new");
  const box = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const [work, setWork] = useState(keptWork);
  const [images, showImages] = useState<readonly string[]>([]); // too large for the browser's storage
  const held = useRef(images); // as they are now, also for what was begun earlier
  const setImages = (list: readonly string[]) => showImages((held.current = list));
  const [more, setMore] = useState(work.title !== "" || work.workspace !== "");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const begun = useRef<Begun>({ messageId: newId() });

  useEffect(() => {
    if (!asked) return;
    box.current?.focus();
    navigate("/", { replace: true });
  }, [asked, navigate]);

  useEffect(() => {
    if (folder !== undefined && folder !== work.workspace) change({ workspace: folder });
    // oxlint-disable-next-line react/exhaustive-deps -- only another address changes it, not another work
  }, [folder]);
  const change = (to: Partial<NewWork>) => {
    const next = { ...work, ...to };
    setWork(next);
    keepWork(next);
    // Other words are another message; the session that is there already can take them.
    if ("text" in to || "plan" in to) another();
  };
  const another = () => {
    begun.current = { ...begun.current, messageId: newId() };
  };
  const add = async (list: readonly File[]) => {
    if (busy) return;
    const [{ mostImages }, { problemWords, takeFiles, withFiles }] = await Promise.all([
      import("@/features/session/composer/images"),
      import("@/features/session/composer/files"),
    ]);
    const taken = await takeFiles(list, held.current);
    const { images, text } = taken;
    setImages([...held.current, ...images].slice(0, mostImages));
    if (text !== "") change({ text: withFiles(box.current?.value ?? "", text) });
    else another();
    const problem = problemWords(pictures, taken);
    if (problem) notify({ tone: "ask", text: problem });
  };
  // A folder that is being typed may not be there: then nothing is offered.
  const names = useMemo<Names>(
    () => ({
      files: (q, over) => client.rest.before("files", { path: work.workspace, ...q }, over),
      slashCommands: () => client.rest.before("slash-commands", { path: work.workspace }),
    }),
    [work.workspace],
  );
  const completion = useCompletion(names, box, () => change({ text: box.current!.value }), "below");
  const empty = work.text.trim() === "" && images.length === 0;
  const send = async () => {
    if (busy || empty) return;
    completion.close();
    setBusy(true);
    setError(null);
    try {
      const id = await start(client.rest.sessions, work, begun.current, images);
      keepWork(noWork);
      navigate(`/s/${id}`);
    } catch (e) {
      setError(e);
      setBusy(false);
    }
  };
  return (
    <form
      aria-label={t.newSession}
      className="flex flex-col gap-2"
      onSubmit={(e) => {
        e.preventDefault();
        void send();
      }}
    >
      <div
        className="relative rounded-2xl border border-edge bg-sheet shadow-raised focus-within:border-run focus-within:outline-3 focus-within:outline-run/20"
        onDragOver={(e) => e.dataTransfer.types.includes("Files") && e.preventDefault()}
        onDrop={(e) => {
          if (e.dataTransfer.files.length === 0) return;
          e.preventDefault(); // the browser would go to the file
          void add([...e.dataTransfer.files]);
        }}
      >
        {completion.list}
        {images.length > 0 && (
          <Thumbs images={images} remove={(i) => (setImages(images.filter((_, n) => n !== i)), another())} />
        )}
        <textarea
          ref={box}
          rows={2}
          aria-label={t.whatToDo}
          placeholder={t.whatToDoHint}
          value={work.text}
          readOnly={busy}
          onChange={(e) => {
            change({ text: e.target.value });
            completion.look();
          }}
          onSelect={completion.look}
          onBlur={completion.close}
          {...completion.aria}
          onPaste={(e) => {
            if (e.clipboardData.files.length === 0) return;
            e.preventDefault();
            void add([...e.clipboardData.files]);
          }}
          onKeyDown={(e) => {
            if (completion.key(e)) return;
            // Enter sends, but never while an input method composes.
            if (e.key !== "Enter" || e.shiftKey || e.nativeEvent.isComposing || e.keyCode === 229) return;
            e.preventDefault();
            void send();
          }}
          className="block field-sizing-content max-h-[40dvh] min-h-17 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-md outline-none pointer-coarse:text-[16px]"
        />
        {more && (
          <div className="grid gap-3 border-t border-line px-3 py-2.5 sm:grid-cols-2">
            <Field label={t.title}>
              {(p) => (
                <TextInput
                  {...p}
                  value={work.title}
                  onChange={(e) => change({ title: e.target.value })}
                  placeholder={t.titleHint}
                />
              )}
            </Field>
            <Field label={t.workspace}>
              {(p) => (
                <TextInput
                  {...p}
                  value={work.workspace}
                  onChange={(e) => change({ workspace: e.target.value })}
                  placeholder={t.workspaceHint}
                  className="font-mono"
                  spellCheck={false}
                  autoCapitalize="off"
                />
              )}
            </Field>
          </div>
        )}
        <div className="flex flex-wrap items-center gap-x-0.5 gap-y-1 px-2 pb-2">
          <input
            ref={files}
            type="file"
            multiple
            hidden
            onChange={(e) => {
              void add([...(e.target.files ?? [])]);
              e.target.value = "";
            }}
          />
          <IconButton label={pictures.addImage} icon={<Plus size={16} />} onClick={() => files.current?.click()} />
          <span aria-hidden className="mx-1.5 h-4 w-px bg-line2 phone:hidden" />
          <NewChips work={work} model={model} change={change} />
          <IconButton
            label={t.options}
            icon={<SlidersHorizontal size={15} />}
            pressed={more}
            aria-expanded={more}
            onClick={() => setMore(!more)}
          />
          <span className="ml-auto flex items-center gap-2 text-soft">
            <Switch
              checked={work.plan}
              onChange={(plan) => change({ plan })}
              label={t.planFirst}
              title={t.planFirstHelp}
            />
            <SendButton type="submit" label={busy ? t.starting : t.start} busy={busy} disabled={empty} />
          </span>
        </div>
      </div>
      {error !== null && <ErrorNote error={error} retry={() => void send()} />}
    </form>
  );
}
