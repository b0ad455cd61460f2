package report

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
)

// policy is the second wall. The blocks can hold no markup but their own; if a
// mistake here ever let some through, this drops it.
var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "hr", "br", "pre", "code",
		"strong", "em", "del", "table", "thead", "tbody", "tr", "th", "td", "div", "a")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("rel").Matching(regexp.MustCompile(`^noopener nofollow$`)).OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(scroll|num)$`)).OnElements("div", "th", "td")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("pre", "div")
	p.AllowAttrs("dir").Matching(regexp.MustCompile(`^auto$`)).Globally()
	return p
}()

func answerHTML(list []block) string {
	w := &htmlWriter{}
	w.blocks(list)
	return policy.Sanitize(w.b.String())
}

type htmlWriter struct{ b strings.Builder }

func (w *htmlWriter) f(format string, args ...any) { fmt.Fprintf(&w.b, format, args...) }

func (w *htmlWriter) blocks(list []block) {
	for _, b := range list {
		w.block(b)
	}
}

func (w *htmlWriter) block(b block) {
	switch b := b.(type) {
	case heading:
		w.f(`<h%d dir="auto">`, b.level)
		w.spans(b.text)
		w.f("</h%d>\n", b.level)
	case para:
		w.f(`<p dir="auto">`)
		w.spans(b.text)
		w.f("</p>\n")
	case code:
		w.f(`<pre tabindex="0"><code>%s</code></pre>`+"\n", html.EscapeString(b.text))
	case quote:
		w.f("<blockquote>")
		w.blocks(b.body)
		w.f("</blockquote>\n")
	case list:
		w.list(b)
	case table:
		w.table(b)
	case rule:
		w.f("<hr>\n")
	}
}

func (w *htmlWriter) list(l list) {
	tag := "ul"
	if l.ordered {
		tag = "ol"
		w.f(`<ol start="%d">`, min(max(l.start, 0), 1e6))
	} else {
		w.f("<ul>")
	}
	for _, item := range l.items {
		w.f("<li>")
		// A lone paragraph needs no box of its own.
		if p, ok := lonePara(item); ok {
			w.spans(p.text)
		} else {
			w.blocks(item)
		}
		w.f("</li>\n")
	}
	w.f("</%s>\n", tag)
}

func lonePara(item []block) (para, bool) {
	if len(item) != 1 {
		return para{}, false
	}
	p, ok := item[0].(para)
	return p, ok
}

func (w *htmlWriter) table(t table) {
	w.f(`<div class="scroll" tabindex="0"><table><thead>`)
	w.row("th", t.head, t.right)
	w.f("</thead><tbody>")
	for _, r := range t.rows {
		w.row("td", r, t.right)
	}
	w.f("</tbody></table></div>\n")
}

func (w *htmlWriter) row(tag string, cells [][]span, right []bool) {
	w.f("<tr>")
	for i, c := range cells {
		if i < len(right) && right[i] {
			w.f(`<%s class="num">`, tag)
		} else {
			w.f(`<%s dir="auto">`, tag)
		}
		w.spans(c)
		w.f("</%s>", tag)
	}
	w.f("</tr>\n")
}

func (w *htmlWriter) spans(list []span) {
	for _, s := range list {
		if s.br {
			w.f("<br>")
			continue
		}
		w.span(s)
	}
}

func (w *htmlWriter) span(s span) {
	text := html.EscapeString(s.text)
	for _, x := range []struct {
		on  bool
		tag string
	}{{s.style.code, "code"}, {s.style.strike, "del"}, {s.style.italic, "em"}, {s.style.bold, "strong"}} {
		if x.on {
			text = "<" + x.tag + ">" + text + "</" + x.tag + ">"
		}
	}
	if s.link != "" {
		text = fmt.Sprintf(`<a href="%s" rel="noopener nofollow">%s</a>`, html.EscapeString(s.link), text)
	}
	w.b.WriteString(text)
}
