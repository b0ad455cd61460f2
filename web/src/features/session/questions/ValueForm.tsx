import type { Question } from "@clew-run/client";
import { Send, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import { useWords } from "@/i18n";
import { Button, TextArea, TextInput } from "@/ui";
import type { BodyProps } from "./Approval";
import { kernelWords } from "./kernelWords";
import { Revealed } from "./Revealed";
import { readValue, startText, suggestionsOf, type InputType } from "./value";
import { questionWords } from "./words";

type Asks = Extract<Question, { type: "hitl_input_request" | "hitl_clarification" }>;

/** A question for a value: suggestions answer with one click, words are written below. */
export function ValueForm({ question: q, live, busy, give, keys }: BodyProps<Asks>) {
  const t = useWords(questionWords);
  const ofKernel = useWords(kernelWords);
  const id = useId();
  const box = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  const [text, setText] = useState(() => startText(q));
  const [problem, setProblem] = useState<string | null>(null);
  const missing = q.type === "hitl_input_request" ? q.missing_workspace : undefined;
  const kernel = q.type === "hitl_input_request" ? q.kernel : undefined;
  const choices = missing ? t.missingChoices : kernel ? ofKernel.choices : undefined;
  const suggestions = suggestionsOf(q, { yes: t.yes, no: t.no });
  const free =
    !(q.type === "hitl_input_request" && q.strict === true && suggestions.length > 0) && q.input_type !== "boolean";

  keys.current = live ? { e: free ? () => box.current?.focus() : undefined } : {};

  const send = () => {
    const read = readValue(q.input_type, text, q.required);
    if ("problem" in read) return setProblem(t.valueProblems[read.problem]);
    setProblem(null);
    give({ value: read.value });
  };
  return (
    <>
      {q.type === "hitl_clarification" && q.original_input && (
        <p className="border-l-2 border-line pl-3 text-soft">
          <Revealed text={q.original_input} />
        </p>
      )}
      {q.type === "hitl_clarification" && q.ambiguity && (
        <p className="text-soft">
          <Revealed text={q.ambiguity} />
        </p>
      )}
      <p id={`${id}-q`} className="whitespace-pre-wrap">
        <Revealed text={missing ? t.missing(missing) : kernel ? ofKernel.about(kernel) : q.question} />
      </p>
      {live && suggestions.length > 0 && (
        <div role="group" aria-labelledby={`${id}-q`} className="flex flex-wrap gap-2">
          {suggestions.map((s, i) => (
            <Button
              key={i}
              busy={busy}
              onClick={() => give({ value: s.value })}
              className="h-auto min-h-(--row) max-w-full py-1 text-left whitespace-normal"
            >
              <span>
                <Revealed text={choices?.[String(s.value)] ?? s.label} />
              </span>
            </Button>
          ))}
        </div>
      )}
      {live && (
        <form
          className="flex flex-wrap items-end gap-2"
          noValidate
          onSubmit={(e) => {
            e.preventDefault();
            if (!busy) send();
          }}
        >
          {free && (
            <div className="min-w-0 flex-1 basis-56">
              <Input
                type={q.input_type}
                secret={q.type === "hitl_input_request" && q.cell?.password === true}
                ref={box}
                id={`${id}-i`}
                aria-labelledby={`${id}-q`}
                aria-invalid={problem ? true : undefined}
                aria-describedby={problem ? `${id}-p` : undefined}
                placeholder={suggestions.length > 0 ? t.orWrite : t.yourAnswer}
                value={text}
                onValue={setText}
                onSend={send}
              />
              {problem && (
                <p id={`${id}-p`} role="alert" className="pt-1 text-sm text-fail">
                  {problem}
                </p>
              )}
            </div>
          )}
          {free && (
            <Button
              type="submit"
              look={suggestions.length > 0 && text.trim() === "" ? "plain" : "main"}
              icon={<Send size={13} />}
              busy={busy}
            >
              {t.send}
            </Button>
          )}
          <Button look="quiet" icon={<X size={14} />} busy={busy} onClick={() => give({ action: "reject" })}>
            {t.decline}
          </Button>
        </form>
      )}
    </>
  );
}

function Input({
  type,
  secret,
  value,
  onValue,
  onSend,
  ref,
  ...rest
}: {
  type: InputType;
  /** It is shown as dots, and no browser keeps it. */
  secret: boolean;
  value: string;
  onValue(text: string): void;
  onSend(): void;
  ref: React.RefObject<(HTMLTextAreaElement & HTMLInputElement) | null>;
  id: string;
  placeholder: string;
  "aria-labelledby": string;
  "aria-invalid"?: true;
  "aria-describedby"?: string;
}) {
  if (secret)
    return (
      <TextInput
        ref={ref}
        type="password"
        autoComplete="off"
        value={value}
        onChange={(e) => onValue(e.target.value)}
        {...rest}
      />
    );
  if (type === "number" || type === "date") {
    return (
      <TextInput
        ref={ref}
        type={type === "date" ? "date" : "text"}
        inputMode={type === "number" ? "decimal" : undefined}
        value={value}
        onChange={(e) => onValue(e.target.value)}
        {...rest}
      />
    );
  }
  return (
    <TextArea
      ref={ref}
      rows={1}
      value={value}
      onChange={(e) => onValue(e.target.value)}
      onKeyDown={(e) => {
        // Enter sends, but never while an input method composes.
        if (e.key !== "Enter" || e.shiftKey || e.nativeEvent.isComposing || e.keyCode === 229) return;
        e.preventDefault();
        onSend();
      }}
      className="block field-sizing-content max-h-48 min-h-(--row) resize-none"
      {...rest}
    />
  );
}
