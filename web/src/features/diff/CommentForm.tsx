import { useState } from "react";
import { useWords } from "@/i18n";
import { Button, TextArea } from "@/ui";
import type { LineComment, Place } from "./comments";
import { diffWords } from "./words";

/** Escape leaves it, Ctrl or ⌘ with Enter adds what was written. */
export function CommentForm({
  place,
  text,
  onCancel,
  onComment,
}: {
  place: Place;
  text: string;
  onCancel(): void;
  onComment(c: LineComment): void;
}) {
  const t = useWords(diffWords);
  const [comment, setComment] = useState("");
  const add = () => comment.trim() && onComment({ ...place, text, comment: comment.trim() });
  return (
    <form
      className="flex flex-col gap-2 border-y border-line bg-sheet p-2 pl-12"
      onSubmit={(e) => {
        e.preventDefault();
        add();
      }}
      onKeyDown={(e) => {
        if (e.nativeEvent.isComposing) return;
        if (e.key === "Escape") onCancel();
        if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) add();
      }}
    >
      <TextArea
        autoFocus
        rows={2}
        maxLength={10_000}
        aria-label={`${t.yourComment}: ${place.path}:${place.line}`}
        placeholder={t.yourComment}
        value={comment}
        onChange={(e) => setComment(e.target.value)}
      />
      <span className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t.cancel}</Button>
        <Button look="main" type="submit">
          {t.add}
        </Button>
      </span>
    </form>
  );
}
