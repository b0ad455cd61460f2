import { ArrowUp } from "lucide-react";
import { useState } from "react";
import { notify, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button } from "@/ui";
import { reviewText, type LineComment } from "./comments";
import type { Review } from "./DiffView";
import { changeReview } from "./review";
import { diffWords } from "./words";

/** The comments that wait, and what to do with them: all go as one message. */
export function SendBar({
  review,
  comments,
  onSent,
}: {
  review: Review;
  comments: readonly LineComment[];
  onSent(): void;
}) {
  const t = useWords(diffWords);
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      await review.send(reviewText(t.intro, comments));
      changeReview(review.session, () => []); // only now: a failed send keeps them
      onSent();
    } catch (e) {
      notifyError(e);
    } finally {
      setBusy(false);
    }
  };
  const discard = () => {
    let gone: readonly LineComment[] = [];
    changeReview(review.session, (list) => ((gone = list), []));
    notify({
      tone: "past",
      text: t.discarded,
      action: { label: t.undo, run: () => changeReview(review.session, (list) => [...gone, ...list]) },
    });
    onSent();
  };
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line bg-paper px-3.5 py-2">
      <span className="flex-1 whitespace-nowrap text-soft">{t.notSent(comments.length)}</span>
      <Button look="quiet" disabled={busy} onClick={discard}>
        {t.discard}
      </Button>
      <Button look="main" icon={<ArrowUp size={14} />} busy={busy} onClick={() => void send()}>
        {t.send}
      </Button>
    </div>
  );
}
