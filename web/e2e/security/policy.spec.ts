import { expect, test, until } from "../harness";

const pages = [
  "/",
  "/inbox",
  "/history",
  "/settings",
  "/settings/tools",
  "/settings/people",
  "/s/none",
  "/s/none/time",
  "/s/none/desktop",
  "/design",
];

test("every page comes with a policy that lets nothing of others in", async ({ world }) => {
  for (const path of pages) {
    const answer = await fetch(world.direct + path);
    expect(answer.status, path).toBe(200);
    const policy = new Map(
      (answer.headers.get("content-security-policy") ?? "").split(";").map((d) => {
        const [name, ...values] = d.trim().split(/\s+/);
        return [name!, values.join(" ")] as const;
      }),
    );
    expect(policy.get("default-src"), path).toBe("'none'");
    expect(policy.get("script-src"), path).toBe("'self'");
    expect(policy.get("style-src"), path).toBe("'self'");
    expect(policy.get("connect-src"), path).toBe("'self'");
    for (const name of ["base-uri", "frame-ancestors", "form-action"])
      expect(policy.get(name), `${path} ${name}`).toBe("'none'");
    expect(policy.get("require-trusted-types-for"), path).toBe("'script'");
    for (const value of policy.values()) expect(value, path).not.toMatch(/unsafe|\*|https?:/);
    expect(answer.headers.get("x-content-type-options"), path).toBe("nosniff");
    expect(answer.headers.get("referrer-policy"), path).toBe("no-referrer");
  }
});

test("no text becomes markup or code, whoever tries", async ({ visit }) => {
  const v = await visit();
  await v.page.getByRole("navigation", { name: "Main" }).first().waitFor();
  v.allow(/TrustedHTML|TrustedScript|Trusted Type|trusted-types|content policy: script-src|Content Security Policy/i);
  const tried = await v.page.evaluate(() => {
    const refused = (run: () => unknown): boolean => {
      try {
        run();
        return false;
      } catch {
        return true;
      }
    };
    const div = document.createElement("div");
    const script = document.createElement("script");
    return {
      innerHTML: refused(() => (div.innerHTML = "<b>x</b>")),
      insert: refused(() => div.insertAdjacentHTML("beforeend", "<b>x</b>")),
      write: refused(() => document.write("<b>x</b>")),
      fragment: refused(() => document.createRange().createContextualFragment("<b>x</b>")),
      scriptText: refused(() => (script.text = "1")),
      scriptSource: refused(() => (script.src = "/x.js")),
      newPolicy: refused(() =>
        (window as unknown as { trustedTypes: { createPolicy(n: string, r: object): void } }).trustedTypes.createPolicy(
          "mine",
          {},
        ),
      ),
      worker: refused(() => new Worker("data:text/javascript,1")),
    };
  });
  expect(tried).toEqual(Object.fromEntries(Object.keys(tried).map((k) => [k, true])));
});

test("inline scripts, handlers and styles, and what is elsewhere, do not load", async ({ visit }) => {
  const v = await visit();
  await v.page.getByRole("navigation", { name: "Main" }).first().waitFor();
  v.allow(/./s);
  await v.page.evaluate(() => {
    const broken: string[] = [];
    (window as unknown as { broken: string[] }).broken = broken;
    document.addEventListener("securitypolicyviolation", (e) => broken.push(e.effectiveDirective));
    const style = document.createElement("style");
    style.textContent = "body{display:none}";
    const image = document.createElement("img");
    image.src = "https://elsewhere.example/x.png";
    const button = document.createElement("button");
    try {
      button.setAttribute("onclick", "window.ran=1");
    } catch {
      broken.push("onclick"); // refused even before it could be clicked
    }
    const frame = document.createElement("iframe");
    frame.src = "https://elsewhere.example/";
    document.body.append(style, image, button, frame);
    button.click();
  });
  const broken = () => v.page.evaluate(() => (window as unknown as { broken: string[] }).broken);
  for (const directive of ["style-src-elem", "img-src", "onclick", "frame-src"]) {
    await until(directive, async () => (await broken()).includes(directive));
  }
  expect(await v.page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined();
  expect(await v.page.evaluate(() => getComputedStyle(document.body).display)).not.toBe("none");
});

test("the page cannot be framed", async ({ visit, world }) => {
  const v = await visit({ path: "/openapi.json" });
  v.allow(/./s);
  await v.page.setContent(`<iframe src="${world.url}/"></iframe>`).catch(() => {});
  const frame = v.page.frames()[1];
  if (frame) expect(await frame.locator("#app").count()).toBe(0);
});
