import { describe, expect, test } from "vitest";
import { blocksOfText, MarkdownText } from "./markdown";
import { safeLink } from "./markdown_render";

function shown(text: string): HTMLElement {
  const host = document.createElement("div");
  for (const b of blocksOfText(text)) {
    const el = document.createElement("div");
    if (b.kind === "html") el.innerHTML = String(b.html);
    else el.textContent = b.kind === "code" ? b.text : b.raw;
    host.append(el);
  }
  return host;
}

// This is about the first wall: raw HTML is text, and links and images go by a
// list. The sanitiser behind it needs a real browser: e2e/security/sanitiser.spec.ts.
const elementsThatMayNot =
  "script, style, svg, math, iframe, object, embed, form, input, button, link, meta, base, video, audio, template, [id], [name], [style], [srcset], [onerror], [onload], [onclick], [class]";

describe("hostile text", () => {
  const hostile: Record<string, string> = {
    script: "<script>alert(1)</script>",
    "script inside words": "hello <script>alert(1)</script> there",
    onerror: '<img src=x onerror="alert(1)">',
    "javascript link": "[click](javascript:alert(1))",
    "javascript link, spelled with a tab": "[click](java\tscript:alert(1))",
    "javascript link, in entities": "[click](&#106;avascript:alert(1))",
    "javascript link, in capitals": "[click](JaVaScRiPt:alert(1))",
    vbscript: "[x](vbscript:msgbox(1))",
    svg: '<svg onload="alert(1)"><script>alert(1)</script></svg>',
    mathml: "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
    style: "<style>body{display:none}</style>",
    form: '<form action="https://evil.example"><input name="q"><button>Go</button></form>',
    iframe: '<iframe src="https://evil.example" srcdoc="<script>alert(1)</script>"></iframe>',
    "data html": "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "data svg image": "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
    srcset: '<img srcset="https://evil.example/a.png 1x">',
    "clobbering ids": '<a id="location">x</a><form name="body"><input name="attributes"></form>',
    "heading with an id": "# <a name=x id=y>head</a>",
    "link title that breaks out": '[x](https://ok.example "\\"><img src=x onerror=alert(1)>")',
    "image alt that breaks out": '![" onerror="alert(1)](/api/v1/sessions/s/blobs/b)',
    "code info that breaks out": '```"><img src=x onerror=alert(1)>\ncode\n```',
    "table cell": "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
    autolink: "<javascript:alert(1)>",
    reference: "[x][y]\n\n[y]: javascript:alert(1)",
    base: '<base href="https://evil.example/">',
    "meta refresh": '<meta http-equiv="refresh" content="0;url=https://evil.example">',
    comment: "<!--><img src=x onerror=alert(1)>-->",
    "no end": "<img src=x onerror=alert(1) ",
  };
  for (const [name, text] of Object.entries(hostile)) {
    test(name, () => {
      const host = shown(text);
      expect([...host.querySelectorAll(elementsThatMayNot)].map((e) => e.outerHTML)).toEqual([]);
      for (const a of host.querySelectorAll("a")) {
        expect(a.getAttribute("href") ?? "").toMatch(/^(https?:|mailto:|\/s\/|\/reports\/)/);
        expect(a.getAttribute("rel")).toBe("noopener noreferrer");
      }
      for (const i of host.querySelectorAll("img"))
        expect(i.getAttribute("src")).toMatch(/^(\/api\/v1\/sessions\/|data:image\/(png|jpeg|gif|webp|avif);)/);
      for (const e of host.querySelectorAll("*"))
        for (const a of e.attributes) expect(a.name.startsWith("on")).toBe(false);
    });
  }

  test("images from elsewhere are links, never fetched", () => {
    const host = shown("![a cat](https://elsewhere.example/cat.png)");
    expect(host.querySelector("img")).toBeNull();
    expect(host.querySelector("a")?.getAttribute("href")).toBe("https://elsewhere.example/cat.png");
    expect(host.textContent).toContain("a cat");
  });

  test("own blobs and images in the text are shown", () => {
    expect(shown("![plot](/api/v1/sessions/demo/blobs/sha256-abc)").querySelector("img")?.getAttribute("alt")).toBe(
      "plot",
    );
    expect(shown("![dot](data:image/png;base64,iVBORw0KGgo=)").querySelector("img")).not.toBeNull();
  });

  test("links lead to pages only", () => {
    expect(safeLink("https://a.example/x")).toBe("https://a.example/x");
    expect(safeLink("/reports/r1/index.html")).toBe("/reports/r1/index.html");
    expect(safeLink("//evil.example")).toBeNull();
    expect(safeLink("/reports/../api/v1/keys")).toBeNull();
    expect(safeLink("/api/v1/keys")).toBeNull();
    expect(safeLink("file:///etc/passwd")).toBeNull();
    expect(safeLink(" javascript:alert(1)")).toBeNull();
  });

  const heavy: Record<string, string> = {
    "a line of a megabyte": "x".repeat(1 << 20),
    "a megabyte of brackets": "[".repeat(1 << 20),
    "quotes in quotes": ">".repeat(50_000) + " a",
    "quotes in quotes with spaces": "> ".repeat(5_000) + "a",
    "lists in lists": Array.from({ length: 2_000 }, (_, i) => " ".repeat(2 * i) + "- a")
      .join("\n")
      .slice(0, 250_000),
    stars: "*a ".repeat(60_000),
    "under and stars": "_*".repeat(30_000),
    backticks: "`a".repeat(9_000),
    links: "[a](".repeat(4_900),
    "backticks over many lines": "`a\n".repeat(20_000),
  };
  for (const [name, text] of Object.entries(heavy)) {
    test(name + " is shown as it is, since reading it as Markdown would take for ever", () => {
      expect(blocksOfText(text)).toEqual([{ kind: "plain", raw: text }]);
    });
  }
});

describe("what Markdown is for", () => {
  test("emphasis before a Korean particle", () => {
    expect(shown("**세션(session)**을 연다").querySelector("strong")?.textContent).toBe("세션(session)");
    expect(shown('그는 **"세션"**이라고 했다').querySelector("strong")?.textContent).toBe('"세션"');
    expect(shown("*값(value)*은 둘").querySelector("em")?.textContent).toBe("값(value)");
    expect(shown("plain **bold** word").querySelector("strong")?.textContent).toBe("bold");
    expect(shown("2**(n)**3").querySelector("strong")).toBeNull();
  });

  test("code, tables, lists and tasks", () => {
    expect(blocksOfText("```go\nfunc main() {}\n```")[0]).toMatchObject({
      kind: "code",
      lang: "go",
      text: "func main() {}",
    });
    expect(shown("| a | b |\n|---|--:|\n| 1 | 2 |").querySelectorAll("td").length).toBe(2);
    expect(shown("- [x] done\n- [ ] open").textContent).toMatch(/☑ done\s*☐ open/);
  });

  test("raw HTML is shown as the text it is", () => {
    expect(shown("a <b>word</b>").textContent).toContain("<b>word</b>");
  });
});

describe("growing text", () => {
  const text =
    "# Head\r\n\r\nFirst **part**.\r\n\r\n- one\r\n- two\r\n\r\n```go\r\nx := 1\r\n```\r\n\r\nSecond part with `code`.\r\n\r\n> said\r\n\r\nThe end.";

  test("blocks that are settled stay the same objects", () => {
    const stream = new MarkdownText();
    const firsts = new Set<unknown>();
    for (let n = 30; n <= text.length; n += 3) firsts.add(stream.update(text.slice(0, n), true)[0]);
    firsts.add(stream.update(text, false)[0]);
    expect(firsts.size).toBe(1);
  });

  test("a block before the one that grows is left alone", () => {
    const stream = new MarkdownText();
    const [before] = stream.update("One.\n\nTwo gro", true);
    expect(stream.update("One.\n\nTwo grows", true)[0]).toBe(before);
  });

  test("at the end it is what the whole text is, wherever it was cut", () => {
    const whole = blocksOfText(text);
    for (const step of [1, 2, 5, 7, 13]) {
      const stream = new MarkdownText();
      for (let n = 1; n < text.length; n += step) stream.update(text.slice(0, n), true);
      expect(stream.update(text, false)).toEqual(whole);
    }
  });

  test("a reference defined at the end is found", () => {
    const stream = new MarkdownText();
    const given = "See [the page][p].\n\nMore.\n\nAnd more.\n\nAnd more.\n\n[p]: https://a.example/";
    for (let n = 1; n < given.length; n += 4) stream.update(given.slice(0, n), true);
    expect(stream.update(given, false)).toEqual(blocksOfText(given));
    expect(shown(given).querySelector("a")?.getAttribute("href")).toBe("https://a.example/");
  });

  test("a text that starts anew is shown anew", () => {
    const stream = new MarkdownText();
    stream.update("One.\n\nTwo.\n\nThree.\n\nFour.", true);
    expect(stream.update("Other.", true)).toHaveLength(1);
  });

  test("open marks are closed for show", () => {
    const [b] = new MarkdownText().update("This is **bold and", true);
    expect(String(b?.kind === "html" && b.html)).toContain("<strong>");
  });
});
