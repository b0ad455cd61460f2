import { expect, test } from "vitest";
import { BadLine, empty, filledOf, formOf, pasted } from "./form";

test("fields and definition are each other's way back", () => {
  const program = {
    command: "/bin/notes",
    args: ["--file", "/home/me/my notes.txt"],
    env: { PATH: "/bin", KEY: "$SECRET:key=1" },
    dir: "/tmp",
    timeout_sec: 90,
  };
  expect(formOf(filledOf(program))).toEqual(program);
  const address = { url: "https://mcp.example.org/", headers: { Authorization: "Bearer $SECRET:tickets" } };
  expect(formOf(filledOf(address))).toEqual(address);
  expect(formOf({ ...empty, command: " sh " })).toEqual({ command: "sh" });
});

test("what the other kind had is left out", () => {
  expect(
    formOf({ ...filledOf({ command: "sh", env: { A: "b" } }), kind: "address", url: "https://a.example" }),
  ).toEqual({ url: "https://a.example" });
});

test("a line that is no pair is named", () => {
  expect(() => formOf({ ...empty, env: "A=1\nnonsense" })).toThrow(new BadLine("env", "nonsense"));
  expect(() => formOf({ ...empty, kind: "address", headers: ": x" })).toThrow(BadLine);
});

test("a definition is found in what people paste", () => {
  const server = { command: "npx", args: ["-y", "notes"] };
  expect(pasted(JSON.stringify(server)).server).toMatchObject(server);
  for (const key of ["mcpServers", "mcp_servers", "servers"])
    expect(pasted(JSON.stringify({ [key]: { notes: server } }))).toMatchObject({ name: "notes", server });
  expect(pasted(JSON.stringify({ notes: server }))).toMatchObject({ name: "notes", server });
  for (const bad of ["{", "[]", "{}", '{"a":{},"b":{}}', '{"a":{"x":1}}'])
    expect(() => pasted(bad)).toThrow(SyntaxError);
});
