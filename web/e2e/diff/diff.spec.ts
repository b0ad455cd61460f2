import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { barriers, expect, live, screenshots, test, until, type World } from "../harness";
import { sayAll, writesFiles } from "../pages/files";

const before = `import money

def checkout(cart, payment, session):
    order = create_order(cart, session)
    reply = payment.charge(order.total)
    save_reply(order, reply)
    return order


def create_order(cart, session):
    order = Order(lines=cart.lines)
    session.add(order)
    session.flush()
    return order

${Array.from({ length: 12 }, (_, i) => `# line ${i + 1} that stays`).join("\n")}

def save_reply(order, reply):
    order.status = reply.status
    order.paid_at = reply.time
`;
const after = before
  .replace(
    "    order = create_order(cart, session)\n    reply = payment.charge(order.total)\n",
    '    key = cart.request_key\n    if find_by_key(session, key) is not None:\n        return "saved"  # a repeated request\n    order = create_order(cart, key, session)\n    reply = payment.charge(order.total, key)\n',
  )
  .replace("session.flush()", "session.commit()")
  .replace("order.status = reply.status", "order.status = Status.of(reply)");

/** A session in which an agent changed three files. */
async function changed(world: World, title: string): Promise<string> {
  await world.model.script(writesFiles);
  const session = await world.session(title, {
    "checkout/orders.py": before,
    "checkout/models.py": 'class Order(Base):\n    lines = relation("Line")\n',
    "README.md": "# Shop\n",
  });
  await sayAll(
    world,
    session,
    `write checkout/orders.py: ${after}`,
    'write checkout/models.py: class Order(Base):\n    request_key = column(String)\n    lines = relation("Line")\n',
    "write README.md: # Shop\n\nRetries are safe.\n",
  );
  return session;
}

async function openChanges(page: Page, width?: number): Promise<Locator> {
  if (width)
    await page.evaluate(
      (w) => localStorage.setItem("clew.side", JSON.stringify({ part: "changes", open: true, width: w })),
      width,
    );
  if (width) await page.reload();
  await live(page);
  await page.getByRole("tab", { name: /^Changes/ }).click();
  const lines = page.getByRole("region", { name: "Changes, line by line" });
  await lines.waitFor();
  return lines;
}

test("counts, words, colours, unchanged lines, both layouts, the list of files", async ({ world, visit }) => {
  const session = await changed(world, "Orders");
  const { page } = await visit({ path: `/s/${session}` });
  const lines = await openChanges(page, 1000);

  // Of each file and of all; the list of files goes to one of them.
  const tree = page.getByRole("navigation", { name: "Changed files" });
  await tree.getByText("3 files").waitFor();
  expect(await tree.getByRole("button", { name: "orders.py" }).textContent()).toContain("+7−4");
  await tree.getByRole("button", { name: "orders.py" }).click();
  await until("the file at the top", async () =>
    (await tree.locator("[aria-current=true]").textContent())?.includes("orders.py"),
  );

  // The words that differ, and the colours of the language, which come later.
  await lines.locator("mark", { hasText: "flush" }).waitFor();
  expect(await lines.locator("mark").allTextContents()).toEqual(expect.arrayContaining(["flush", "commit", "key, "]));
  await lines.locator(".text-s-key", { hasText: "return" }).first().waitFor();
  await lines.locator(".text-s-com", { hasText: "# a repeated request" }).first().waitFor();

  // Lines that stay are folded, and shown when somebody wants them.
  expect(await lines.getByText("# line 6 that stays").count()).toBe(0);
  await lines
    .getByRole("button", { name: /^Show \d+ unchanged lines?$/ })
    .first()
    .click();
  await lines.getByText("# line 6 that stays").first().waitFor();
  await page.getByRole("radio", { name: "Unified" }).check({ force: true });
  await until("one column", async () => (await lines.locator(".grid-cols-2").count()) === 0);
  await page.getByRole("radio", { name: "Split" }).check({ force: true });
  await until("two columns", async () => (await lines.locator(".grid-cols-2").count()) > 0);
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "diff-changes");
});

test("a file that was viewed stays so, until it changes", async ({ world, visit }) => {
  const session = await changed(world, "Viewed");
  const { page } = await visit({ path: `/s/${session}` });
  let lines = await openChanges(page, 1000);
  const tree = page.getByRole("navigation", { name: "Changed files" });
  await lines.getByRole("checkbox", { name: "Viewed" }).first().check();
  await tree.getByText("1 of 3 viewed").waitFor();
  const first = lines.locator("[data-index='0'] button[aria-expanded]").first();
  expect(await first.getAttribute("aria-expanded")).toBe("false");
  lines = await openChanges(page, 1000);
  await tree.getByText("1 of 3 viewed").waitFor();
  const name = (await first.textContent())!;
  await sayAll(world, session, `write ${name.replace(/.*→ /, "")}: something else\n`);
  await tree.getByText("0 of 3 viewed").waitFor();
  await until("it is open again", async () => (await first.getAttribute("aria-expanded")) === "true");
});

test("comments wait below their lines, are discarded and come back", async ({ world, visit }) => {
  const session = await changed(world, "Comments");
  const { page } = await visit({ path: `/s/${session}` });
  const lines = await openChanges(page);
  await lines.locator("[data-line='2'][data-side=after]").first().click();
  await page.getByRole("textbox", { name: /^Comment: / }).fill("Why this?");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await lines.getByText("line 2 · not sent").waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await until("no comments", async () => (await lines.locator("[data-comment]").count()) === 0);
  await page.getByRole("button", { name: "Undo" }).click();
  await lines.getByText("Why this?").waitFor();
  await page.getByText("1 comment not sent").waitFor();
});

test("the head of a file stays in view while its lines pass", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Long");
  await sayAll(world, session, `write long.txt: ${Array.from({ length: 300 }, (_, i) => `line ${i}`).join("\n")}\n`);
  const { page } = await visit({ path: `/s/${session}` });
  const lines = await openChanges(page);
  const head = lines.getByRole("button", { name: "long.txt", exact: true });
  await head.waitFor();
  await lines.evaluate((b) => void (b.scrollTop = 2_500));
  await lines.getByText("line 140", { exact: true }).waitFor();
  const [box, at] = [(await lines.boundingBox())!, (await head.boundingBox())!];
  expect(at.y - box.y).toBeLessThan(12);
  expect(at.y - box.y).toBeGreaterThan(-2);
});

test("in the transcript: the first lines, and the way to the rest", async ({ world, visit }) => {
  const session = await changed(world, "Row");
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await page.locator("[data-call]").first().getByRole("button").first().click();
  const block = page.locator("[data-call] [data-diff]").first();
  await block.getByText(/^7 of \d+ lines$/).waitFor();
  await block.locator(".text-s-key").first().waitFor();
  expect(await block.getByText(/@@|\+\+\+ /).count()).toBe(0);
  await screenshots(page, "diff-row");
  await block.getByRole("button", { name: "Open in Changes" }).click();
  await page.getByRole("region", { name: "Changes, line by line" }).waitFor();
});

test("a work tree is compared with the commit that it began with", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const repository = world.workspace(await world.session("Repository", { "a.txt": "one\n" }));
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
      stdio: "ignore",
    });
  git("init", "-b", "main");
  git("add", ".");
  git("commit", "-m", "one");
  const { session_id: session } = await world.rest.sessions.create({
    workspace: repository,
    worktree: true,
    title: "Tree",
  } as never);
  await sayAll(world, session, "write a.txt: two\n");
  const { page } = await visit({ path: `/s/${session}` });
  const lines = await openChanges(page);
  await page.getByRole("button", { name: "Since the session started" }).click();
  await page.getByRole("menuitemradio", { name: "Since the work tree began" }).click();
  await page.getByRole("button", { name: "Since the work tree began" }).waitFor();
  await lines.getByText("two", { exact: true }).waitFor();
  await writeFile(join(repository, "b.txt"), "of somebody else\n"); // not in the tree
  expect(await lines.getByText("of somebody else").count()).toBe(0);
});
