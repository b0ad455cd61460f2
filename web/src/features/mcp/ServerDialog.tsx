import type { ToolServerForm, ToolServerTried } from "@clew-run/client";
import { useState } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { Button, Dialog, ErrorNote, Field, Mark, Pre, Segmented, TextArea, TextInput } from "@/ui";
import { BadLine, empty, filledOf, formOf, pasted, type Filled } from "./form";
import { mcpWords } from "./words";

interface Problem {
  name?: string;
  env?: string;
  headers?: string;
  server?: unknown;
}

/** Adds a tool server or changes one: a form, or JSON that fills it in. */
export function ServerDialog({
  name: known,
  definition,
  taken,
  onClose,
  onSaved,
}: {
  name?: string;
  definition?: ToolServerForm;
  /** The names that there are. */
  taken: string[];
  onClose(): void;
  onSaved(): void;
}) {
  const t = useWords(mcpWords);
  const [name, setName] = useState(known ?? "");
  const [filled, setFilled] = useState<Filled>(() => (definition ? filledOf(definition) : empty));
  const [problem, setProblem] = useState<Problem>({});
  const [tried, setTried] = useState<ToolServerTried | "testing">();
  const [busy, setBusy] = useState(false);
  const [pasting, setPasting] = useState(false);

  const change = (to: Partial<Filled>) => {
    setFilled({ ...filled, ...to });
    setTried(undefined);
  };
  /** The form as the server takes it; undefined if it cannot be read, which it says. */
  const read = (): ToolServerForm | undefined => {
    setProblem({});
    try {
      return formOf(filled);
    } catch (e) {
      if (!(e instanceof BadLine)) throw e;
      setProblem({ [e.field]: t.badLine(e.line) });
    }
  };
  const test = async () => {
    const form = read();
    if (!form) return;
    setTried("testing");
    try {
      setTried(await client.rest.mcp.test(name.trim() || "new", form));
    } catch (e) {
      setTried(undefined);
      setProblem({ server: e });
    }
  };
  const save = async () => {
    const form = read();
    if (!form) return;
    if (!known && taken.includes(name.trim())) return setProblem({ name: t.taken });
    setBusy(true);
    try {
      await client.rest.mcp.save(name.trim(), form);
      onSaved();
    } catch (e) {
      setProblem({ server: e });
    } finally {
      setBusy(false);
    }
  };
  if (pasting)
    return (
      <PasteDialog
        onClose={onClose}
        onBack={() => setPasting(false)}
        onUse={(p) => {
          if (!known && p.name) setName(p.name);
          change(filledOf(p.server));
          setPasting(false);
        }}
      />
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={known ? t.changeTitle(known) : t.add}
      footer={
        <>
          <Button look="quiet" className="mr-auto" onClick={() => setPasting(true)}>
            {t.paste}
          </Button>
          <Button busy={tried === "testing"} onClick={() => void test()}>
            {tried === "testing" ? t.testing : t.test}
          </Button>
          <Button look="main" type="submit" form="tool-server" busy={busy}>
            {t.save}
          </Button>
        </>
      }
    >
      <form
        id="tool-server"
        className="flex flex-col gap-3"
        onSubmit={(e) => {
          e.preventDefault();
          if (!busy) void save();
        }}
      >
        <Field label={t.name} hint={known ? undefined : t.nameHint} error={problem.name}>
          {(p) => (
            <TextInput
              {...p}
              required
              readOnly={known !== undefined}
              spellCheck={false}
              autoCapitalize="off"
              value={name}
              onChange={(e) => setName(e.target.value)}
            />
          )}
        </Field>
        <Segmented
          label={t.kind}
          value={filled.kind}
          onChange={(kind) => change({ kind })}
          options={[
            { id: "program", name: t.program },
            { id: "address", name: t.address },
          ]}
        />
        {filled.kind === "program" ? (
          <ProgramFields filled={filled} change={change} problem={problem} />
        ) : (
          <AddressFields filled={filled} change={change} problem={problem} />
        )}
        <Field label={t.timeout} hint={t.timeoutHint}>
          {(p) => (
            <TextInput
              {...p}
              type="number"
              min={1}
              max={86400}
              className="max-w-36"
              value={filled.timeout}
              onChange={(e) => change({ timeout: e.target.value })}
            />
          )}
        </Field>
        {tried !== undefined && tried !== "testing" && <Outcome tried={tried} />}
        {problem.server !== undefined && <ErrorNote error={problem.server} />}
      </form>
    </Dialog>
  );
}

interface Fields {
  filled: Filled;
  change(to: Partial<Filled>): void;
  problem: Problem;
}

function ProgramFields({ filled, change, problem }: Fields) {
  const t = useWords(mcpWords);
  return (
    <>
      <Field label={t.command} hint={t.commandHint}>
        {(p) => (
          <TextInput
            {...p}
            required
            spellCheck={false}
            autoCapitalize="off"
            className="font-mono"
            value={filled.command}
            onChange={(e) => change({ command: e.target.value })}
          />
        )}
      </Field>
      <Field label={t.args} hint={t.onePerLine}>
        {(p) => (
          <TextArea
            {...p}
            rows={2}
            spellCheck={false}
            className="font-mono text-sm"
            value={filled.args}
            onChange={(e) => change({ args: e.target.value })}
          />
        )}
      </Field>
      <Field label={t.env} hint={t.envHint} error={problem.env}>
        {(p) => (
          <TextArea
            {...p}
            rows={2}
            spellCheck={false}
            className="font-mono text-sm"
            value={filled.env}
            onChange={(e) => change({ env: e.target.value })}
          />
        )}
      </Field>
      <Field label={t.dir}>
        {(p) => (
          <TextInput
            {...p}
            spellCheck={false}
            className="font-mono"
            value={filled.dir}
            onChange={(e) => change({ dir: e.target.value })}
          />
        )}
      </Field>
    </>
  );
}

function AddressFields({ filled, change, problem }: Fields) {
  const t = useWords(mcpWords);
  return (
    <>
      <Field label={t.url}>
        {(p) => (
          <TextInput
            {...p}
            required
            type="url"
            spellCheck={false}
            placeholder="https://mcp.example.org/"
            className="font-mono"
            value={filled.url}
            onChange={(e) => change({ url: e.target.value })}
          />
        )}
      </Field>
      <Field label={t.headers} hint={t.headersHint} error={problem.headers}>
        {(p) => (
          <TextArea
            {...p}
            rows={2}
            spellCheck={false}
            className="font-mono text-sm"
            value={filled.headers}
            onChange={(e) => change({ headers: e.target.value })}
          />
        )}
      </Field>
    </>
  );
}

function Outcome({ tried }: { tried: ToolServerTried }) {
  const t = useWords(mcpWords);
  return (
    <div role="status" className="flex flex-col gap-1">
      {tried.ok ? (
        <p className="flex items-center gap-2 text-run">
          <Mark tone="done" />
          {t.works((tried.latency_ms / 1000).toFixed(1), tried.tools.length)}
        </p>
      ) : (
        <>
          <p className="flex items-center gap-2 text-fail">
            <Mark tone="fail" />
            {t.testFailed}
          </p>
          <Pre label={t.testFailed} className="wrap-anywhere whitespace-pre-wrap">
            {tried.error}
          </Pre>
        </>
      )}
    </div>
  );
}

function PasteDialog({
  onClose,
  onBack,
  onUse,
}: {
  onClose(): void;
  onBack(): void;
  onUse(p: ReturnType<typeof pasted>): void;
}) {
  const t = useWords(mcpWords);
  const [text, setText] = useState("");
  const [bad, setBad] = useState(false);
  const use = () => {
    try {
      onUse(pasted(text));
    } catch {
      setBad(true);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.paste}
      footer={
        <>
          <Button look="quiet" onClick={onBack}>
            {t.back}
          </Button>
          <Button look="main" onClick={use}>
            {t.usePasted}
          </Button>
        </>
      }
    >
      <Field label={t.pasteLabel} hint={t.pasteHint} error={bad ? t.notJson : undefined}>
        {(p) => (
          <TextArea
            {...p}
            rows={10}
            spellCheck={false}
            className="font-mono text-sm"
            value={text}
            onChange={(e) => {
              setText(e.target.value);
              setBad(false);
            }}
          />
        )}
      </Field>
    </Dialog>
  );
}
