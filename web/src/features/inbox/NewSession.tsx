import { ArrowUp, Paperclip, SlidersHorizontal } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { client } from "@/app/client";
import { newId } from "@clew-run/client";
import { notify } from "@/app/notices";
import { Thumbs } from "@/features/session/composer/Thumbs";
import { composerWords } from "@/features/session/composer/words";
import { useWords } from "@/i18n";
import { Button, ErrorNote, Field, IconButton, Switch, TextInput } from "@/ui";
import { NewChips } from "./NewChips";
import { keepWork, keptWork, noWork, start, type Begun, type NewWork } from "./start";
import { inboxWords } from "./words";

/** Begins a session with its first words. Nothing that was written is lost if that fails. */
export function NewSession({ folder }: { folder?: string }) {
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
    const [{ mostImages }, { takeFiles, withFiles }] = await Promise.all([import("@/features/session/composer/images"), import("@/features/session/composer/files")]);
    const { images: taken, text, problem } = await takeFiles(list, held.current);
    setImages([...held.current, ...taken].slice(0, mostImages));
    if (text !== "") change({ text: withFiles(box.current?.value ?? "", text) });
    else another();
    if (problem) notify({ tone: "ask", text: pictures[problem] });
  };
  const empty = work.text.trim() === "" && images.length === 0;
  const send = async () => {
    if (busy || empty) return;
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
        className="rounded border border-edge/60 bg-sheet focus-within:border-run focus-within:outline-1 focus-within:outline-run"
        onDragOver={(e) => e.dataTransfer.types.includes("Files") && e.preventDefault()}
        onDrop={(e) => {
          if (e.dataTransfer.files.length === 0) return;
          e.preventDefault(); // the browser would go to the file
          void add([...e.dataTransfer.files]);
        }}
      >
        {images.length > 0 && <Thumbs images={images} remove={(i) => (setImages(images.filter((_, n) => n !== i)), another())} />}
        <textarea
          ref={box}
          rows={2}
          aria-label={t.whatToDo}
          placeholder={t.whatToDo}
          value={work.text}
          readOnly={busy}
          onChange={(e) => change({ text: e.target.value })}
          onPaste={(e) => {
            if (e.clipboardData.files.length === 0) return;
            e.preventDefault();
            void add([...e.clipboardData.files]);
          }}
          onKeyDown={(e) => {
            // Enter sends, but never while an input method composes.
            if (e.key !== "Enter" || e.shiftKey || e.nativeEvent.isComposing || e.keyCode === 229) return;
            e.preventDefault();
            void send();
          }}
          className="block field-sizing-content max-h-[40dvh] min-h-16 w-full resize-none bg-transparent px-3 py-2.5 text-lg outline-none"
        />
        {more && (
          <div className="grid gap-3 border-t border-line px-3 py-2.5 sm:grid-cols-2">
            <Field label={t.title}>{(p) => <TextInput {...p} value={work.title} onChange={(e) => change({ title: e.target.value })} placeholder={t.titleHint} />}</Field>
            <Field label={t.workspace}>{(p) => <TextInput {...p} value={work.workspace} onChange={(e) => change({ workspace: e.target.value })} placeholder={t.workspaceHint} className="font-mono" spellCheck={false} autoCapitalize="off" />}</Field>
          </div>
        )}
        <NewChips work={work} change={change} />
        <div className="flex items-center gap-3 border-t border-line py-1 pr-1 pl-3">
          <Switch checked={work.plan} onChange={(plan) => change({ plan })} label={t.planFirst} />
          <span className="hidden min-w-0 flex-1 truncate text-sm text-soft sm:inline">{work.plan ? t.planFirstHelp : ""}</span>
          <span className="flex-1 sm:hidden" />
          <input ref={files} type="file" multiple hidden onChange={(e) => { void add([...(e.target.files ?? [])]); e.target.value = ""; }} />
          <IconButton label={pictures.addImage} icon={<Paperclip size={15} />} onClick={() => files.current?.click()} />
          <IconButton label={t.options} icon={<SlidersHorizontal size={15} />} pressed={more} aria-expanded={more} onClick={() => setMore(!more)} />
          <Button type="submit" look="main" icon={<ArrowUp size={14} />} busy={busy} disabled={empty}>{busy ? t.starting : t.start}</Button>
        </div>
      </div>
      {error !== null && <ErrorNote error={error} retry={() => void send()} />}
    </form>
  );
}
