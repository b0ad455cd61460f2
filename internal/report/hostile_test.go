package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	ghtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	clew "github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

// answers are texts of a model that try to get out, each alone, since one may
// hide the next in a code block.
var answers = []string{
	evil,
	"[click](javascript:alert(1)) [d](data:text/html,x) [v](vbscript:x) [f](file:///etc/passwd) [rel](../../x) [p](//evil.example)",
	"[r][1] ![i][1]\n\n[1]: JaVaScRiPt:alert(7)",
	"[e](java&#x73;cript:alert(1)) [t](java&Tab;script:alert(1)) [n](\u0001javascript:alert(1))",
	"![p](http://evil.example/pixel.png) ![q](data:image/svg+xml,x)",
	"<script>alert(1)</script>\n\n<style>*{display:none}</style>\n\n<iframe src=//x></iframe> text <b onclick=x>b</b>",
	"```html\" onload=\"x\n</code></pre><script>x</script>\n```",
	"`` ` </code><script>x</script> `` and `\u202E`",
	"&lt;script&gt;alert(1)&lt;/script&gt; &#x202E;rtl &#0;",
	"| a<script> | b |\n|---|---|\n| `x|y</td><script>` | [l](javascript:x) |",
	"<http://ok.example/\"onmouseover=\"x> https://ok.example/'\"><script>",
	"# <img src=x onerror=y>\n\n> <svg/onload=z>\n\n- <math><mi//xlink:href=\"data:x,<script>\">",
	"]]> <![CDATA[ <script> ]]> <?php x ?> <!-- --!> <script>",
	"[a](https://user:pw@ok.example/<script>) [b](mailto:x@y?subject=<b>) [c](https://ok.example \"t\\\" onclick=x\")",
}

var active = strings.Fields("script iframe img object embed form input link base math foreignobject use image audio video")

// inert fails unless an HTML or SVG text has only what a report may have.
func inert(t *testing.T, name string, data []byte) {
	t.Helper()
	z := html.NewTokenizer(bytes.NewReader(data))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				t.Fatal(z.Err())
			}
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			if slices.Contains(active, strings.ToLower(tok.Data)) {
				t.Errorf("%s has <%s>", name, tok.Data)
			}
			for _, a := range tok.Attr {
				inertAttr(t, name, tok.Data, a)
			}
		}
	}
}

var follow = regexp.MustCompile(`^(https?://[^/]|mailto:|/[^/\\])`)

func inertAttr(t *testing.T, name, tag string, a html.Attribute) {
	t.Helper()
	key := strings.ToLower(a.Key)
	switch {
	case strings.HasPrefix(key, "on"), key == "style", key == "src", key == "srcset", key == "action":
		t.Errorf("%s: <%s %s=%q>", name, tag, a.Key, a.Val)
	case strings.Contains(key, "href") && !follow.MatchString(a.Val):
		t.Errorf("%s: <%s %s=%q>", name, tag, a.Key, a.Val)
	}
}

// viewer is a reader's Markdown program that allows everything.
var viewer = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(ghtml.WithUnsafe()))

func TestHostile(t *testing.T) {
	nightly.Alone(t)
	for _, text := range answers {
		in := hostile()
		in.Response.Text = text
		files := made(t, in, Options{})
		inert(t, "report.html", files["report.html"].Data)
		inert(t, "chart.svg", files["chart.svg"].Data)
		var shown bytes.Buffer
		md := files["report.md"].Data
		if err := viewer.Convert(md, &shown); err != nil {
			t.Fatal(err)
		}
		// Our own picture and the boxes of task lists are fine.
		inert(t, "report.md", bytes.Replace(shown.Bytes(), []byte(`<img src="chart.svg" alt="Timeline of the todos">`), nil, 1))
		for name, f := range files {
			if i := bytes.IndexFunc(f.Data, func(r rune) bool { return r != '\n' && hidden(r) }); i >= 0 && name != "report.pdf" {
				t.Errorf("%s: a hidden character after %q", name, f.Data[max(0, i-40):i])
			}
		}
		if !json.Valid(files["report.json"].Data) {
			t.Error("report.json is not JSON")
		}
		if err := wellFormed(files["chart.svg"].Data); err != nil {
			t.Errorf("chart.svg: %v", err)
		}
	}
}

func wellFormed(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// The headings and the mermaid block of the report are ours alone: nothing in a
// text makes one.
func TestMarkdownStructureHolds(t *testing.T) {
	plainRun, evilRun := sample(), hostile()
	plainRun.Response.Text, evilRun.Response.Text = "x", "x"
	count := func(in Input) [3]int {
		var b bytes.Buffer
		if err := viewer.Convert(made(t, in, Options{})["report.md"].Data, &b); err != nil {
			t.Fatal(err)
		}
		s := b.String()
		return [3]int{strings.Count(s, "<h2"), strings.Count(s, "<pre>"), strings.Count(s, "<tr>")}
	}
	if a, b := count(plainRun), count(evilRun); a[0] != b[0] || a[1] != b[1] || a[2]-1 != b[2] { // one decision less
		t.Errorf("headings, code blocks and rows: %v, with evil texts %v", a, b)
	}
}

func TestHTMLSaysItsPolicy(t *testing.T) {
	doc := string(made(t, sample(), Options{})["report.html"].Data)
	if !strings.Contains(html.UnescapeString(doc), `<meta http-equiv="Content-Security-Policy" content="`+CSP+`">`) {
		t.Error("no policy in the page")
	}
	if strings.Contains(doc, "ZgotmplZ") {
		t.Error("the template refused a value")
	}
}

// A report stays small whatever a run did, and does not take long to make.
func TestHuge(t *testing.T) {
	nightly.Alone(t)
	wide := many(500, 0)
	for i := range wide.Todos {
		wide.Todos[i].ResultSummary = strings.Repeat("\u202e<\"&\x01", 64<<10/7)
		wide.Todos[i].Task = strings.Repeat("<&한", 4000)
		wide.Todos[i].DependsOn = make([]string, 500)
	}
	bloated := sample()
	bloated.Response.Text = "|" + strings.Repeat("a|", 5000) + "\n|" + strings.Repeat("-|", 5000) + "\n" + strings.Repeat("|a\n", 30000)
	inputs := map[string]Input{"500 todos of 64 KiB": many(500, 64<<10), "20,000 todos": many(20_000, 100), "all escapes": wide, "a table": bloated}
	for name, text := range map[string]string{
		"quotes":    strings.Repeat(">", 1<<20),
		"lists":     strings.Repeat("- ", 1<<19),
		"deep":      strings.Repeat("- a\n", 10) + strings.Repeat(" ", 100_000) + "x",
		"brackets":  strings.Repeat("[", 1<<20),
		"links":     strings.Repeat("[a](", 1<<18),
		"stars":     strings.Repeat("*a _b ", 1<<17),
		"backticks": strings.Repeat("`a``b```c", 1<<16),
		"html":      strings.Repeat("<a <!-- <?x ", 1<<16),
		"images":    strings.Repeat("![a](b)", 1<<16),
		"one word":  strings.Repeat("x", 1<<20),
		"entities":  strings.Repeat("&#x202e;", 1<<17),
	} {
		in := sample()
		in.Response.Text = text
		inputs[name] = in
	}
	for name, in := range inputs {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			for file, f := range made(t, in, Options{}) {
				if len(f.Data) > MaxSize {
					t.Errorf("%s has %d bytes", file, len(f.Data))
				}
			}
			t.Logf("%v", time.Since(began).Round(time.Millisecond))
		})
	}
}

func TestCutSaysSo(t *testing.T) {
	nightly.Alone(t)
	in := many(500, 64<<10)
	files := made(t, in, Options{})
	for _, name := range []string{"report.md", "report.html"} {
		if !strings.Contains(string(files[name].Data), "bytes more)") || !strings.Contains(string(files[name].Data), "too long for a report") {
			t.Errorf("%s does not say that it is cut", name)
		}
	}
	var d document
	if err := json.Unmarshal(files["report.json"].Data, &d); err != nil || !d.Truncated || len(d.Todos) != 500 {
		t.Errorf("report.json: %v, truncated %v, %d todos", err, d.Truncated, len(d.Todos))
	}
}

func FuzzAnswer(f *testing.F) {
	for _, a := range answers {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := newView(Input{Response: clew.Response{Format: clew.FormatMarkdown, Text: text}}, limitsFor(0, 1))
		inert(t, "html", []byte(answerHTML(v.Answer)))
		var shown bytes.Buffer
		if err := viewer.Convert(writeMarkdown(v), &shown); err != nil {
			t.Fatal(err)
		}
		inert(t, "markdown", shown.Bytes())
	})
}
