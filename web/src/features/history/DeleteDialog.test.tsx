import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setPrefs } from "@/app/prefs";
import { DeleteDialog } from "./DeleteDialog";

const server = vi.hoisted(() => ({ preview: {} as object, deleted: [] as string[] }));

vi.mock("@/app/client", () => ({
  client: {
    rest: {
      sessions: {
        deletion: async () => server.preview,
        delete: async (id: string) => {
          server.deleted.push(id);
          return { session_id: id, deleted_ms: 1, erase_ms: 2 };
        },
      },
    },
  },
}));

const inAWeek = Date.now() + 7 * 86_400_000;

async function show(preview: object) {
  server.preview = {
    session_id: "s",
    title: "Plums",
    owner: "ada",
    records: 12,
    forks: [],
    erase_ms: inAWeek,
    ...preview,
  };
  const changes: boolean[] = [];
  render(<DeleteDialog sessionId="s" title="Plums" onClose={() => {}} onChange={(d) => changes.push(d)} />);
  const button = screen.getByRole<HTMLButtonElement>("button", { name: "Delete" });
  expect(button.disabled).toBe(true); // nobody has read yet what it does
  await act(async () => {});
  return { button, changes };
}

beforeEach(() => {
  setPrefs({ language: "en" });
  server.deleted = [];
});
afterEach(cleanup);

test("it says what is erased, what stays and until when it can be undone, before it is done", async () => {
  const { button, changes } = await show({
    questions: 2,
    checkpoints: 1,
    directory: "/home/ada/w",
    forks: [{ session_id: "sess_fork", owner: "ada" }],
  });
  for (const text of [
    /all 12 records/,
    /2 open questions/,
    /1 checkpoint of its files/,
    /sess_fork/,
    /copies in backups/,
    /You can bring it back until/,
  ]) {
    expect(screen.getByText(text)).toBeTruthy();
  }
  expect(screen.getByText("/home/ada/w").closest("li")?.textContent).toContain("the files in");
  expect(server.deleted).toEqual([]);
  await act(async () => fireEvent.click(button));
  expect(server.deleted).toEqual(["s"]);
  expect(changes).toEqual([true]);
});

test("without a time to bring it back it says so, and that its own folder goes", async () => {
  await show({ erase_ms: Date.now() - 1, directory: "/data/workspaces/s", directory_erased: true });
  expect(screen.getByText(/cannot be brought back/)).toBeTruthy();
  expect(screen.getByText(/the folder that the server made/)).toBeTruthy();
  expect(screen.queryByText(/the files in/)).toBeNull();
});
