import { build } from "vite";
import { expect, test } from "../harness";
import { web } from "../harness/build";

/*
 * Text of agents has two walls before it becomes elements. The first, that raw
 * HTML is shown as text, is tested beside the code; this is the second one, the
 * sanitiser, alone and in a real browser under the real content policy.
 */

const hostile = [
  '<p>a<script>window.ran = 1</script><img src=x onerror="window.ran = 1"></p>',
  '<svg onload="window.ran = 1"><script>window.ran = 1</script></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror="window.ran = 1"></style></mglyph></table></mtext></math>',
  '<form action="https://evil.example"><input name="q"><button>Go</button></form>',
  "<style>body { display: none }</style><link rel=stylesheet href=https://evil.example/a.css>",
  '<iframe src="https://evil.example" srcdoc="<script>parent.ran = 1</script>"></iframe><object data=x></object><embed src=x>',
  '<a id=location name=body href="javascript:window.ran = 1">x</a><a href=" java\tscript:window.ran = 1">y</a>',
  '<a href="data:text/html,<script>1</script>">x</a><img src="data:image/svg+xml,<svg onload=1>"><img srcset="https://evil.example/a.png 1x">',
  '<img src="https://evil.example/a.png"><img src="//evil.example/a.png"><div style="background: url(https://evil.example)" class="fixed">x</div>',
  '<noscript><p title="</noscript><img src=x onerror=window.ran=1>"></noscript>',
  '<template><img src=x onerror="window.ran = 1"></template><base href=https://evil.example><meta http-equiv=refresh content=0>',
  '<div><table><td><a href=/s/x target=_top onclick="window.ran = 1">x</a></td></table></div>',
];

test("nothing hostile passes the sanitiser", async ({ visit }) => {
  const visitor = await visit({ stranger: true });
  const { page } = visitor;
  // The sanitiser reads what it is given into a document of its own; the browser
  // reports what the policy would not let run there.
  visitor.allow(/Content Security Policy|content policy/);
  await page.evaluate(await bundle());
  const found = await page.evaluate((list) => {
    const { clean } = (window as unknown as { walls: { clean(html: string): string } }).walls;
    return list.map((html) => {
      const host = document.createElement("div");
      host.innerHTML = clean(html); // a TrustedHTML: a string would throw here
      document.body.append(host);
      const bad = [...host.querySelectorAll("*")].flatMap((el) => {
        const names = el
          .getAttributeNames()
          .filter((n) => /^on|^(?:id|name|style|class|srcset|srcdoc|action)$/.test(n));
        const leads = ["href", "src"].map((n) => el.getAttribute(n) ?? "").filter((v) => v !== "" && !/^\/s\//.test(v));
        const tag = /^(?:P|BR|A|IMG|DIV|TABLE|THEAD|TBODY|TR|TD|TH)$/.test(el.tagName) ? [] : [el.tagName];
        return [...tag, ...names, ...leads];
      });
      host.remove();
      return bad;
    });
  }, hostile);
  expect(found).toEqual(hostile.map(() => []));
  expect(await page.evaluate(() => "ran" in window)).toBe(false);
});

async function bundle(): Promise<string> {
  const made = await build({
    root: web,
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      minify: false,
      lib: { entry: "src/lib/markdown_render.ts", formats: ["iife"], name: "walls" },
    },
  });
  const outputs = Array.isArray(made) ? made : [made];
  for (const o of outputs)
    if ("output" in o)
      for (const chunk of o.output) if (chunk.type === "chunk") return `${chunk.code};window.walls = walls;`;
  throw new Error("nothing was built");
}
