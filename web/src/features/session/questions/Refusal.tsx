import { useState } from "react";
import { useWords } from "@/i18n";
import { Button, Field, TextArea } from "@/ui";
import { questionWords } from "./words";

/**
 * Words with an answer: why not (`deny`, `reject`), what to do instead
 * (`instead`), or what the planner shall change (`tell`). An approval covers what
 * is shown and nothing else, so a change of it is a no with advice.
 */
export function Refusal({
  purpose,
  start,
  busy,
  onSend,
  onCancel,
}: {
  purpose: "deny" | "instead" | "reject" | "tell";
  start: string;
  busy: boolean;
  onSend(words: string): void;
  onCancel(): void;
}) {
  const t = useWords(questionWords);
  const [text, setText] = useState(start);
  const words = text.trim();
  const optional = purpose === "deny" || purpose === "reject";
  const ready = !busy && (optional || (words !== "" && words !== start.trim()));
  const say = t.refusals[purpose];
  const leave = (from: Element) => {
    from.closest<HTMLElement>("[data-question]")?.focus();
    onCancel();
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(e) => {
        e.preventDefault();
        if (ready) onSend(words);
      }}
      onKeyDown={(e) => {
        if (e.nativeEvent.isComposing || e.keyCode === 229) return;
        if (e.key === "Escape") {
          e.preventDefault();
          leave(e.currentTarget);
        }
        if (e.key === "Enter" && !e.shiftKey && e.target instanceof HTMLTextAreaElement) {
          e.preventDefault();
          if (ready) onSend(words);
        }
      }}
    >
      <Field label={say.label} hint={say.hint}>
        {(props) => (
          <TextArea
            {...props}
            autoFocus
            rows={optional ? 2 : 3}
            value={text}
            onChange={(e) => setText(e.target.value)}
            className={start ? "font-mono" : undefined}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look={purpose === "tell" ? "main" : "danger"} busy={busy} disabled={!ready && !busy}>
          {say.button}
        </Button>
        <Button look="quiet" onClick={(e) => leave(e.currentTarget)}>
          {t.cancel}
        </Button>
      </div>
    </form>
  );
}
