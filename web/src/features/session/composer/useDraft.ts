import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { client } from "@/app/client";
import { DraftKeeper, nothing, type Written } from "./draft";
import { onTheirWay, whenOver } from "./pending";

/** A store that never throws: private windows may have none. */
function storageOf(): Storage {
  try {
    return window.localStorage;
  } catch {
    return { length: 0, clear() {}, getItem: () => null, key: () => null, removeItem() {}, setItem() {} };
  }
}

/**
 * What is written in a session's composer, kept while it is not sent. The words are in
 * the box itself and in `now`: a key renders nothing, unless it is the first or the last.
 */
export function useDraft(sessionId: string, box: RefObject<HTMLTextAreaElement | null>) {
  const now = useRef<Written>(nothing);
  const [images, setImages] = useState<readonly string[]>(nothing.images);
  const [empty, setEmpty] = useState(true);
  const show = useCallback(
    (w: Written) => {
      now.current = w;
      if (box.current && box.current.value !== w.text) box.current.value = w.text;
      grow(box.current);
      setImages(w.images);
      setEmpty(isEmpty(w));
    },
    [box],
  );
  const keeper = useMemo(() => {
    const at = client.rest.sessions.draft;
    return new DraftKeeper({
      key: `clew.draft.${sessionId}`,
      server: {
        get: () => at.get(sessionId),
        put: (c) => at.put(sessionId, c),
        delete: (r) => at.delete(sessionId, r),
      },
      storage: storageOf(),
      onFound: show,
    });
  }, [sessionId, show]);
  useEffect(() => {
    const sent = onTheirWay(sessionId);
    show(keeper.load(sent.map(({ data }) => ({ text: data.text, images: data.images ?? [] }))));
    const stop = whenOver(sessionId, sent, (ok) => (ok ? keeper.acknowledged() : keeper.failed()));
    const hidden = () => void (document.hidden ? keeper.flush() : keeper.refresh());
    const leaving = () => void keeper.flush();
    document.addEventListener("visibilitychange", hidden);
    window.addEventListener("pagehide", leaving);
    return () => {
      stop();
      document.removeEventListener("visibilitychange", hidden);
      window.removeEventListener("pagehide", leaving);
      leaving();
    };
  }, [keeper, show, sessionId]);
  const write = useCallback(
    (w: Written) => {
      show(w);
      keeper.change(w);
    },
    [keeper, show],
  );
  /** Somebody wrote in the box. */
  const typed = useCallback(() => {
    now.current = { ...now.current, text: box.current?.value ?? "" };
    grow(box.current);
    setEmpty(isEmpty(now.current));
    keeper.change(now.current);
  }, [keeper, box]);
  return { now, images, empty, write, typed, keeper };
}

function isEmpty(w: Written): boolean {
  return w.images.length === 0 && w.text.trim() === "";
}

const growsItself = typeof CSS !== "undefined" && CSS.supports("field-sizing", "content");

/** Makes the box as high as what is in it where the style sheet cannot: measuring with each key costs a layout. */
function grow(el: HTMLTextAreaElement | null): void {
  if (!el || growsItself) return;
  el.style.height = "auto";
  el.style.height = `${el.scrollHeight}px`;
}
