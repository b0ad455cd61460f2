import type { ModelInfo, ModelList, NamedModelProfile } from "@clew-run/client";
import { expect, test } from "vitest";
import { alike, fieldsOf, freeName, furtherModels, modelName, providersOf, standingOf } from "./providers";

const model = (m: Partial<ModelInfo>): ModelInfo => ({
  profile: "",
  provider: "anthropic",
  model: "m",
  context_window: 0,
  price_in: 0,
  price_out: 0,
  priced: false,
  usable: true,
  ...m,
});
const profile = (p: Partial<NamedModelProfile>): NamedModelProfile => ({
  name: "p",
  in_use: false,
  provider: "anthropic",
  model: "m",
  ...p,
});
const list: ModelList = {
  providers: [
    { id: "anthropic", title: "Anthropic", needs_key: true, model: "m" },
    { id: "openai", title: "OpenAI", needs_key: true, model: "n" },
  ],
  models: [
    model({ profile: "a", model: "sonnet", key_variable: "ANTHROPIC_API_KEY" }),
    model({ profile: "b", model: "haiku" }),
    model({ profile: "own", provider: "openai", local: true }),
    model({ profile: "c", provider: "openai", usable: false, why_not_code: "no_key" }),
    model({ model: "sonnet" }),
    model({ model: "opus" }),
  ],
};
const profiles = [
  profile({ name: "a", model: "sonnet", key_name: "k" }),
  profile({ name: "b", model: "haiku" }),
  profile({ name: "own", provider: "openai", base_url: "http://127.0.0.1:11434/v1" }),
  profile({ name: "c", provider: "openai" }),
  profile({ name: "echo", provider: "echo" }),
  profile({ name: "h", hidden: true }),
];

test("profiles of one provider at one address are one row", () => {
  const groups = providersOf(profiles, list);
  expect(groups.map((g) => [g.title, g.host, g.needsKey, g.local, g.profiles.length, g.variable, g.whyNot])).toEqual([
    ["Anthropic", undefined, true, false, 2, "ANTHROPIC_API_KEY", undefined],
    ["own", "127.0.0.1:11434", false, true, 1, undefined, undefined],
    ["OpenAI", undefined, true, false, 1, undefined, "no_key"],
  ]);
  expect(furtherModels(groups[0]!, list).map((m) => m.model)).toEqual(["opus"]);
  expect(furtherModels(groups[1]!, list)).toEqual([]);
});

test("only a test says that a provider answers", () => {
  const [a, , c] = providersOf(profiles, list);
  expect(standingOf(a!, undefined)).toEqual({ state: "untested" });
  expect(standingOf(c!, undefined)).toEqual({ state: "not_usable", code: "no_key" });
  expect(standingOf(a!, "testing")).toEqual({ state: "testing" });
  expect(standingOf(a!, { ok: true, latency_ms: 820, model: "m" })).toEqual({ state: "connected", seconds: "0.8" });
  expect(
    standingOf(c!, { ok: false, latency_ms: 1, model: "m", error: { kind: "auth", message: "no", next: "" } }),
  ).toEqual({ state: "failed", kind: "auth", message: "no" });
});

test("another model has the same key and address, and a name of its own", () => {
  expect(alike(profile({ name: "a", key_name: "k", api: "chat", base_url: "" }), "opus")).toEqual({
    provider: "anthropic",
    model: "opus",
    api: "chat",
    key_name: "k",
  });
  expect(fieldsOf(profile({ name: "a", variable: "X" }))).toEqual({ provider: "anthropic", model: "m" });
  expect(freeName("some/model:free", [])).toBe("some-model-free");
  expect(freeName("a", profiles)).toBe("a-2");
  expect(modelName(profiles[0]!, list)).toBe("sonnet · Anthropic");
  expect(modelName(profiles[2]!, list)).toBe("m · own");
});
