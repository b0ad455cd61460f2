import { expect, test, until } from "../harness";

test("a ticket in the fragment signs in once, and is gone from address and history", async ({ world, visit }) => {
  const { ticket } = await world.rest.ticket();
  const v = await visit({ stranger: true, path: `/inbox#ticket=${ticket}` });
  await v.page.getByRole("navigation", { name: "Main" }).first().waitFor();
  expect(v.page.url()).toBe(`${world.url}/inbox`);
  const entries = await v.page.evaluate(() =>
    (window as unknown as { navigation: { entries(): { url: string }[] } }).navigation.entries().map((e) => e.url),
  );
  expect(entries.join(" ")).not.toContain(ticket);
  const kept = await v.page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie);
  expect(kept).not.toContain(ticket);

  const second = await visit({ stranger: true, path: `/#ticket=${ticket}` });
  second.allow(/status of 40[01].*\/sign-in/);
  await second.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await second.page.getByRole("alert").getByText("This link was used already, or is too old.").waitFor();
  expect(await second.page.getByLabel("Token").getAttribute("aria-invalid")).toBeNull();
});

test("the cookie cannot be read by scripts and goes to this site alone", async ({ visit }) => {
  const v = await visit();
  await v.page.getByRole("navigation", { name: "Main" }).first().waitFor();
  const cookies = await v.context.cookies();
  expect(cookies.length).toBe(1);
  expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
  expect(await v.page.evaluate(() => document.cookie)).toBe("");
});

test("a wrong token is refused with a reason, the right one is taken and not kept", async ({ world, visit }) => {
  const v = await visit({ stranger: true });
  v.allow(/status of 401.*\/sign-in/);
  const field = v.page.getByLabel("Token");
  await field.fill("clew_wrong");
  await v.page.getByRole("button", { name: "Sign in" }).click();
  await until("the field is marked", async () => (await field.getAttribute("aria-invalid")) === "true");
  await v.page.getByText("The server does not know this token.").waitFor();
  expect(
    await field.evaluate(
      (f: HTMLInputElement) =>
        f
          .getAttribute("aria-describedby")
          ?.split(" ")
          .map((id) => document.getElementById(id)?.textContent ?? "")
          .join(" ")
          .trim() ?? "",
    ),
  ).not.toBe("");

  await field.fill(world.token);
  await field.press("Enter");
  await v.page.getByRole("navigation", { name: "Main" }).first().waitFor();
  expect(await v.page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(
    world.token,
  );
});

test("who is signed in by a key that is taken back is told so, wherever they are", async ({ world, visit }) => {
  const { token, id } = await world.rest.keys.create({ user: "ann", role: "owner" });
  const v = await visit({ stranger: true, path: `/history#token=${token}` });
  v.allow(/status of 401/);
  v.allow(/WebSocket connection/);
  await v.page.getByRole("navigation", { name: "Main" }).first().waitFor();
  await world.rest.keys.revoke(id);
  await v.page.getByRole("alert").getByText("Your key was revoked or has expired").waitFor();
  await v.page.getByLabel("Token").waitFor();
});

test("signing out ends the visit in every tab, and the cookie is worth nothing", async ({ world, visit }) => {
  const session = await world.session("Left open");
  const v = await visit();
  v.allow(/status of 401/);
  v.allow(/WebSocket connection/);
  const other = await v.context.newPage();
  await other.goto(`/s/${session}`);
  await other.locator("[data-connection=active]").first().waitFor();
  const [cookie] = await v.context.cookies();

  await v.page.keyboard.press("Control+k");
  await v.page.getByRole("combobox").fill("sign out");
  await v.page.keyboard.press("Enter");
  await v.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await until("the other tab is not live", async () => (await other.locator("[data-connection=active]").count()) === 0);
  const answer = await fetch(`${world.direct}/api/v1/me`, { headers: { Cookie: `${cookie!.name}=${cookie!.value}` } });
  expect(answer.status).toBe(401);
});
