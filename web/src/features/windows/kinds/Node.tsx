import type { Component, Session } from "@clew-run/client";
import { useId } from "react";
import { imageUrl } from "@/features/session/transcript/Images";
import { useWords } from "@/i18n";
import { Markdown } from "@/lib/Markdown";
import { Button, cx, Field, Progress, Select, TextArea, TextInput } from "@/ui";
import { windowWords } from "../words";
import type { Press } from "./Components";
import type { Rows } from "./table";
import { Grid } from "./TableView";

interface Props {
  session: Session;
  node: Component;
  /** Where it stands in the tree: "0.2.1". */
  path: string;
  press: Press;
  /** The buttons whose press the server has not answered. */
  pressed: ReadonlySet<string>;
}

const tones: Record<string, string> = {
  neutral: "text-soft",
  info: "font-semibold",
  success: "text-run",
  warning: "text-ask",
  danger: "text-fail",
};

/** The types that an input may have; others are text. */
const inputTypes = new Set(["number", "date", "time", "email", "url"]);

/** One component of the tree. A type that is not known is left out, so that newer trees show what they can. */
export function Node(p: Props) {
  const { node, session, path } = p;
  switch (node.type) {
    case "row":
      return (
        <div className="flex flex-wrap items-end gap-x-3 gap-y-2 [&>*]:min-w-0 [&>[data-grows]]:flex-1 [&>p]:flex [&>p]:min-h-(--row) [&>p]:items-center">
          <Children {...p} />
        </div>
      );
    case "stack":
      return (
        <div className="flex flex-col gap-3" data-grows>
          <Children {...p} />
        </div>
      );
    case "text":
      return (
        <p dir="auto" className={cx("whitespace-pre-wrap", tones[node.tone ?? ""])}>
          {node.text}
        </p>
      );
    case "markdown":
      return (
        <div data-grows>
          <Markdown text={node.text ?? ""} />
        </div>
      );
    case "button": {
      const busy = p.pressed.has(path);
      const look = node.tone === "danger" ? "danger" : node.submit || node.tone === "success" ? "main" : "plain";
      return (
        <Button look={look} busy={busy} onClick={() => p.press(node, path)} className="self-start">
          {node.label ?? node.text}
        </Button>
      );
    }
    case "input":
    case "select":
      return <Control node={node} />;
    case "checkbox":
      return <Tick node={node} />;
    case "image":
      return <Picture session={session} node={node} />;
    case "table":
      return (
        <div
          data-grows
          tabIndex={0}
          role="group"
          aria-label={node.label || node.alt || node.id || "table"}
          className="overflow-x-auto rounded border border-line"
        >
          <Grid columns={node.columns ?? []} rows={(node.rows ?? []) as Rows} caption={node.label ?? ""} />
        </div>
      );
    case "progress":
      return <Bar node={node} />;
    default:
      return null;
  }
}

function Children(p: Props) {
  return (
    <>
      {p.node.children?.map((child, i) => (
        <Node key={child.id ?? i} {...p} node={child} path={`${p.path}.${i}`} />
      ))}
    </>
  );
}

function Control({ node }: { node: Component }) {
  const t = useWords(windowWords);
  const value = node.value === undefined || node.value === null ? "" : String(node.value);
  // A value that the agent set anew takes the place of what was typed.
  const shared = { name: node.name ?? node.id, defaultValue: value };
  const control = (field: object) =>
    node.type === "select" ? (
      <Select key={value} {...field} {...shared}>
        {node.options?.map((o) => (
          <option key={o.value} value={o.value}>
            {o.label || o.value}
          </option>
        ))}
      </Select>
    ) : node.input_type === "multiline" ? (
      <TextArea key={value} {...field} {...shared} rows={4} placeholder={node.placeholder} />
    ) : (
      <TextInput
        key={value}
        {...field}
        {...shared}
        type={inputTypes.has(node.input_type ?? "") ? node.input_type : "text"}
        step="any"
        placeholder={node.placeholder}
        autoComplete="off"
        className={cx(
          node.input_type === "number" &&
            "text-right [appearance:textfield] [&::-webkit-inner-spin-button]:appearance-none",
        )}
      />
    );
  // Without a label it stands beside words that say what it is: small, at the end of its row.
  if (!node.label)
    return <div className="ml-auto w-28">{control({ "aria-label": node.placeholder || node.name || t.field })}</div>;
  return (
    <div data-grows className="min-w-32">
      <Field label={node.label}>{control}</Field>
    </div>
  );
}

function Tick({ node }: { node: Component }) {
  const id = useId();
  return (
    <span className="flex min-h-(--row) items-center gap-2">
      <input
        key={String(node.value)}
        id={id}
        type="checkbox"
        name={node.name ?? node.id}
        defaultChecked={node.value === true || node.value === "true"}
        className="size-4 accent-run"
      />
      <label htmlFor={id}>{node.label ?? node.text}</label>
    </span>
  );
}

function Picture({ session, node }: { session: Session; node: Component }) {
  const t = useWords(windowWords);
  const url = imageUrl(session.id, node.blob ?? "");
  return url ? (
    <img src={url} alt={node.alt || t.image} className="max-h-80 max-w-full self-start rounded" />
  ) : (
    <p className="text-soft">{node.alt || t.noImage}</p>
  );
}

function Bar({ node }: { node: Component }) {
  const total = node.max ?? 100;
  const done = Math.max(0, Math.min(total, Number(node.value) || 0));
  return (
    <div data-grows className="flex flex-col gap-1.5">
      <span className="flex justify-between gap-3 text-sm">
        <span>{node.label}</span>
        <span className="text-soft">{Math.round((100 * done) / (total || 1))}%</span>
      </span>
      <Progress done={done} total={total} label={node.label || "progress"} />
    </div>
  );
}
