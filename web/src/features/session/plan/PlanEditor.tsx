import {
  ArrowDown,
  ArrowUp,
  ChevronDown,
  MessageSquare,
  MoreHorizontal,
  Pencil,
  Plus,
  Trash2,
  Undo2,
} from "lucide-react";
import { useState } from "react";
import { useWords } from "@/i18n";
import { Button, cx, Field, IconButton, Mark, Menu, Select, TextArea, TextInput, toneOf, type MenuItem } from "@/ui";
import { Revealed } from "../questions/Revealed";
import { money } from "@/lib/format";
import { whenReleased } from "@/lib/press";
import { addStep, isFixed, move, setComment, setTask, toggleRemoved, type DraftStep, type PlanDraft } from "./edits";
import { besideLine } from "./TodoRow";
import { planWords } from "./words";

/** The steps of a plan in the order in which they would begin, to read and to change. */
export function PlanEditor({
  draft,
  onChange,
  readOnly,
  comments = true,
  fold,
}: {
  draft: PlanDraft;
  onChange(draft: PlanDraft): void;
  readOnly: boolean;
  /** Steps can be commented on, for whoever makes the next version. */
  comments?: boolean;
  /** Of a plan that is much longer, so many steps are shown at first. */
  fold?: number;
}) {
  const t = useWords(planWords);
  const [all, setAll] = useState(false);
  const folds = fold !== undefined && !all && draft.steps.length > fold * 1.5;
  const number = new Map(draft.steps.map((s, i) => [s.id, i + 1]));
  return (
    <div className="flex flex-col gap-1">
      <ol aria-label={t.steps} className="flex flex-col">
        {draft.steps.slice(0, folds ? fold : undefined).map((s, i) => (
          <Step
            key={s.id}
            step={s}
            number={i + 1}
            waitsFor={s.depends_on.map((id) => number.get(id)).filter((n) => n !== undefined)}
            last={i === draft.steps.length - 1}
            readOnly={readOnly || isFixed(s)}
            comments={comments}
            draft={draft}
            onChange={onChange}
          />
        ))}
      </ol>
      {folds && (
        <Button
          look="quiet"
          icon={<ChevronDown size={14} />}
          className="-ml-2.5 self-start"
          onClick={() => setAll(true)}
        >
          {t.showAll(draft.steps.length)}
        </Button>
      )}
      {!readOnly && !folds && <Adder draft={draft} onChange={onChange} />}
    </div>
  );
}

function Step({
  step: s,
  number,
  waitsFor,
  last,
  readOnly,
  comments,
  draft,
  onChange,
}: {
  step: DraftStep;
  number: number;
  waitsFor: number[];
  last: boolean;
  readOnly: boolean;
  comments: boolean;
  draft: PlanDraft;
  onChange(draft: PlanDraft): void;
}) {
  const t = useWords(planWords);
  const [writing, setWriting] = useState<"task" | "comment" | null>(null);
  const changed =
    !s.was || s.removed || s.task !== s.was.task || s.priority !== s.was.priority || s.comment.trim() !== "";
  const items: MenuItem[] = s.removed
    ? [{ id: "back", label: t.putBack, icon: <Undo2 size={14} />, run: () => onChange(toggleRemoved(draft, s.id)) }]
    : [
        { id: "edit", label: t.editStep, icon: <Pencil size={14} />, run: () => setWriting("task") },
        ...(comments
          ? [{ id: "comment", label: t.comment, icon: <MessageSquare size={14} />, run: () => setWriting("comment") }]
          : []),
        {
          id: "up",
          label: t.earlier,
          icon: <ArrowUp size={14} />,
          disabled: number === 1,
          run: () => onChange(move(draft, s.id, -1)),
        },
        {
          id: "down",
          label: t.later,
          icon: <ArrowDown size={14} />,
          disabled: last,
          run: () => onChange(move(draft, s.id, 1)),
        },
        {
          id: "remove",
          label: t.remove,
          icon: <Trash2 size={14} />,
          danger: true,
          run: () => onChange(toggleRemoved(draft, s.id)),
        },
      ];
  return (
    <li
      data-step={s.id}
      className={cx(
        "relative flex gap-2.5 py-1.5",
        !last && "before:absolute before:top-6 before:-bottom-2 before:left-[5px] before:w-0.5 before:bg-line",
      )}
    >
      <span className="z-10 mt-1 h-3 bg-sheet">
        <Mark tone={toneOf(s.was?.status ?? "pending")} />
      </span>
      <div className="min-w-0 flex-1">
        {writing === "task" ? (
          <TextArea
            autoFocus
            rows={2}
            aria-label={t.stepNumber(number)}
            value={s.task}
            onChange={(e) => onChange(setTask(draft, s.id, e.target.value))}
            onBlur={() => whenReleased(() => setWriting(null))}
            onKeyDown={(e) => leaves(e) && (e.preventDefault(), setWriting(null))}
          />
        ) : (
          <p className={cx(s.removed && "text-soft line-through", changed && !s.removed && "text-run")}>
            <span className="mr-1.5 text-soft">{number}.</span>
            <Revealed text={s.task} />
            {s.removed && <span className="sr-only"> ({t.removed})</span>}
          </p>
        )}
        <p className="flex flex-wrap gap-x-3 text-sm text-soft">
          {s.was?.tool && s.was.tool !== "agent" && <span className="font-mono">{s.was.tool}</span>}
          {waitsFor.length > 0 && <span>{t.after(waitsFor.join(", "))}</span>}
          {s.was?.estimated_cost_usd !== undefined && s.was.estimated_cost_usd > 0 && (
            <span>≈ {money(s.was.estimated_cost_usd)}</span>
          )}
          {changed && <span className="text-run">{!s.was ? t.isNew : s.removed ? t.removed : t.changed}</span>}
        </p>
        {writing === "comment" ? (
          <TextArea
            autoFocus
            rows={2}
            aria-label={t.commentOn(number)}
            placeholder={t.commentHint}
            value={s.comment}
            onChange={(e) => onChange(setComment(draft, s.id, e.target.value))}
            onBlur={() => whenReleased(() => setWriting(null))}
            onKeyDown={(e) => leaves(e) && (e.preventDefault(), setWriting(null))}
            className="mt-1"
          />
        ) : (
          s.comment.trim() !== "" && (
            <p className="mt-0.5 border-l-2 border-run pl-2 text-soft">
              <Revealed text={s.comment} />
            </p>
          )
        )}
      </div>
      {!readOnly && (
        <Menu
          label={t.stepNumber(number)}
          trigger={
            <IconButton label={t.changeStep(number)} icon={<MoreHorizontal size={15} />} className={besideLine} />
          }
          items={items}
        />
      )}
    </li>
  );
}

/** Enter and Escape end the writing; both keep it. */
function leaves(e: React.KeyboardEvent): boolean {
  if (e.nativeEvent.isComposing || e.keyCode === 229) return false;
  return e.key === "Escape" || (e.key === "Enter" && !e.shiftKey);
}

function Adder({ draft, onChange }: { draft: PlanDraft; onChange(draft: PlanDraft): void }) {
  const t = useWords(planWords);
  const [open, setOpen] = useState(false);
  const [task, setTaskText] = useState("");
  const [after, setAfter] = useState("");
  if (!open)
    return (
      <Button look="quiet" icon={<Plus size={14} />} className="-ml-2.5 self-start" onClick={() => setOpen(true)}>
        {t.addStep}
      </Button>
    );
  const add = () => {
    if (task.trim() === "") return;
    onChange(addStep(draft, task.trim(), after || undefined));
    setTaskText("");
    setAfter("");
    setOpen(false);
  };
  return (
    <form
      className="flex flex-col gap-2 border-l-2 border-line pl-3"
      onSubmit={(e) => {
        e.preventDefault();
        add();
      }}
    >
      <Field label={t.newStep}>
        {(p) => <TextInput {...p} autoFocus value={task} onChange={(e) => setTaskText(e.target.value)} />}
      </Field>
      <Field label={t.beginsAfter}>
        {(p) => (
          <Select {...p} value={after} onChange={(e) => setAfter(e.target.value)}>
            <option value="">{t.anyTime}</option>
            {draft.steps
              .filter((s) => s.was && !s.removed)
              .map((s) => (
                <option key={s.id} value={s.id}>
                  {s.task}
                </option>
              ))}
          </Select>
        )}
      </Field>
      <div className="flex gap-2">
        <Button type="submit" disabled={task.trim() === ""}>
          {t.add}
        </Button>
        <Button look="quiet" onClick={() => setOpen(false)}>
          {t.cancel}
        </Button>
      </div>
    </form>
  );
}
