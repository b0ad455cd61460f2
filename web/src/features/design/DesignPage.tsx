import { Inbox, Pause, RotateCw } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useWords } from "@/i18n";
import {
  Badge,
  Button,
  Dialog,
  Empty,
  ErrorNote,
  Field,
  IconButton,
  Kbd,
  Loading,
  Mark,
  Menu,
  PageHead,
  Pre,
  Progress,
  Segmented,
  Select,
  Status,
  Switch,
  Tabs,
  TextArea,
  TextInput,
  type Tone,
} from "@/ui";
import { designWords } from "./words";

const colours = [
  "paper",
  "sheet",
  "sunk",
  "well",
  "hover",
  "press",
  "ink",
  "soft",
  "faint",
  "line",
  "line2",
  "edge",
  "run",
  "run-hi",
  "run-wash",
  "run-line",
  "ask",
  "ask-wash",
  "ask-line",
  "fail",
  "fail-wash",
  "fail-line",
  "past",
  "add",
  "add-wash",
  "add-word",
  "del",
  "del-wash",
  "del-word",
  "found",
  "found-now",
  "c1",
  "c2",
  "c3",
  "c4",
  "c5",
  "s-key",
  "s-str",
  "s-num",
  "s-com",
  "s-fn",
];
const tones: Tone[] = ["run", "ask", "fail", "done", "wait", "past"];

/** The design system on a page of its own: tokens, components and their states. */
export function DesignPage() {
  const t = useWords(designWords);
  const [tab, setTab] = useState("a");
  const [on, setOn] = useState(true);
  const [choice, setChoice] = useState("a");
  const [open, setOpen] = useState(false);
  return (
    <>
      <PageHead title={t.title} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-4xl flex-col gap-8 p-4">
          <p className="max-w-prose text-soft">{t.intro}</p>
          <Part title={t.colours}>
            <ul className="grid grid-cols-2 gap-2 sm:grid-cols-4 lg:grid-cols-6">
              {colours.map((c) => (
                <li key={c} className="overflow-hidden rounded border border-line text-sm">
                  <div className="h-10" style={{ background: `var(--c-${c})` }} />
                  <div className="bg-sheet px-2 py-1 font-mono text-xs">{c}</div>
                </li>
              ))}
            </ul>
          </Part>
          <Part title={t.type}>
            {["text-3xl", "text-2xl", "text-xl", "text-lg", "text-md", "text-base", "text-sm", "text-xs"].map(
              (size) => (
                <p key={size} className={`${size} flex items-baseline gap-4`}>
                  <code className="w-20 font-mono text-xs text-soft">{size}</code>
                  {t.sample} 0123456789
                </p>
              ),
            )}
            <p className="flex items-baseline gap-4 font-mono text-sm">
              <code className="w-20 text-xs text-soft">font-mono</code>go test ./... 0O 1lI
            </p>
          </Part>
          <Part title={t.spacing}>
            <p className="max-w-prose">{t.spacingHelp}</p>
          </Part>
          <Part title={t.marks}>
            <ul className="flex flex-wrap gap-5">
              {tones.map((tone) => (
                <li key={tone} className="flex items-center gap-2">
                  <Mark tone={tone} live={tone === "run"} />
                  {t.names[tone]}
                </li>
              ))}
            </ul>
          </Part>
          <Part title={t.thread}>
            <ol className="relative ml-1.5 border-l-2 border-line">
              {tones.map((tone) => (
                <li key={tone} className="relative pb-3 pl-5">
                  <span className="absolute top-1 -left-[7px] flex bg-paper py-0.5">
                    <Mark tone={tone} />
                  </span>
                  {t.names[tone]}
                </li>
              ))}
            </ol>
          </Part>
          <Part title={t.buttons}>
            <div className="flex flex-wrap items-center gap-2">
              <Button look="main" keys="A">
                {t.example}
              </Button>
              <Button>{t.example}</Button>
              <Button look="quiet">{t.example}</Button>
              <Button look="danger">{t.example}</Button>
              <Button busy>{t.example}</Button>
              <Button disabled>{t.example}</Button>
              <IconButton label={t.example} icon={<Pause size={15} />} />
              <IconButton label={t.example} icon={<RotateCw size={15} />} pressed />
              <Menu
                label={t.example}
                trigger={<Button>…</Button>}
                items={[
                  { id: "a", label: t.example, keys: "E", run() {} },
                  "line",
                  { id: "b", label: t.example, danger: true, run() {} },
                ]}
              />
              <Button onClick={() => setOpen(true)}>{t.openDialog}</Button>
              <Kbd>⌘</Kbd>
              <Kbd>K</Kbd>
            </div>
            <Dialog
              open={open}
              onClose={() => setOpen(false)}
              title={t.example}
              footer={
                <Button look="main" onClick={() => setOpen(false)}>
                  {t.example}
                </Button>
              }
            >
              {t.dialogText}
            </Dialog>
          </Part>
          <Part title={t.fields}>
            <div className="grid gap-4 sm:grid-cols-2">
              <Field label={t.example} hint={t.sample}>
                {(p) => <TextInput {...p} placeholder={t.sample} />}
              </Field>
              <Field label={t.example} error={t.sample}>
                {(p) => <TextInput {...p} defaultValue={t.sample} />}
              </Field>
              <Field label={t.example}>{(p) => <TextArea {...p} rows={2} defaultValue={t.sample} />}</Field>
              <Field label={t.example}>
                {(p) => (
                  <Select {...p}>
                    <option>{t.example}</option>
                  </Select>
                )}
              </Field>
              <Switch label={t.example} hint={t.sample} checked={on} onChange={setOn} />
              <div>
                <Segmented
                  label={t.example}
                  value={choice}
                  onChange={setChoice}
                  options={[
                    { id: "a", name: t.names.run! },
                    { id: "b", name: t.names.wait! },
                  ]}
                />
              </div>
            </div>
          </Part>
          <Part title={t.states}>
            <div className="flex flex-wrap items-center gap-3">
              {["idle", "planning", "awaiting_input", "executing", "paused", "completed", "failed", "cancelled"].map(
                (s) => (
                  <Status key={s} status={s} />
                ),
              )}
            </div>
            <div className="flex flex-wrap items-center gap-2">
              <Badge>12</Badge>
              <Badge tone="ask">3</Badge>
              <Badge tone="run">run</Badge>
              <Badge tone="fail">1</Badge>
            </div>
            <div className="max-w-xs">
              <Progress done={2} total={6} label={t.example} />
            </div>
            <ErrorNote
              error={{ message: t.sample, code: "PROVIDER_ERROR", suggestedAction: "retry" }}
              retry={() => {}}
            />
            <Pre label={t.example}>{"$ go test ./...\nok  \tgithub.com/clew-run/clew\t0.4s"}</Pre>
            <div data-sample className="h-36 rounded border border-line">
              <Tabs
                label={t.example}
                value={tab}
                onChange={setTab}
                tabs={[
                  { id: "a", label: t.names.run, content: <Loading /> },
                  { id: "b", label: t.names.wait, content: <p className="p-3">{t.sample}</p> },
                ]}
              />
            </div>
            <Empty icon={<Inbox size={28} />} title={t.sample}>
              {t.intro}
            </Empty>
          </Part>
          <Part title={t.motion}>
            <p className="max-w-prose">{t.motionHelp}</p>
          </Part>
          <Part title={t.say}>
            <p className="max-w-prose">{t.sayHelp}</p>
          </Part>
        </div>
      </div>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-3">
      <h2 className="border-b border-line pb-1 font-semibold">{title}</h2>
      {children}
    </section>
  );
}
