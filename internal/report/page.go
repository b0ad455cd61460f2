package report

import (
	_ "embed"
	"fmt"
	"strings"

	clew "github.com/clew-run/clew"
)

//go:embed page.css
var pageCSS string

// markup is HTML. A constant is markup by itself; a text of a run becomes
// markup only by escape or by escapeURL, which the compiler sees to.
//
// The page is written by hand and not by html/template, because a template
// calls methods by their names: with one in the program the linker would have to
// keep every exported method of every package. html/template still is the judge
// of what is escaped, in TestPageIsTheTemplate.
type markup string

var escaper = strings.NewReplacer(
	"\x00", "\uFFFD", `"`, "&#34;", "&", "&amp;", "'", "&#39;", "+", "&#43;", "<", "&lt;", ">", "&gt;",
)

// escape makes a text safe between tags and in a quoted attribute.
func escape(text string) markup { return markup(escaper.Replace(text)) }

// escapeURL makes an address safe in a quoted attribute. fileURL has chosen its
// scheme.
func escapeURL(url string) markup {
	var b strings.Builder
	for i := range len(url) {
		if isURLByte(url[i]) || isEscaped(url[i:]) {
			b.WriteByte(url[i])
		} else {
			fmt.Fprintf(&b, "%%%02x", url[i])
		}
	}
	return escape(b.String())
}

func isURLByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("!#$&*+,/:;=?@[]-._~", c) >= 0
}

// isEscaped says whether an address begins with an escaped byte.
func isEscaped(url string) bool {
	return len(url) > 2 && url[0] == '%' && isHex(url[1]) && isHex(url[2])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' || c >= 'a' && c <= 'f'
}

// A pageWriter writes a page from the top down.
type pageWriter struct{ b strings.Builder }

func (w *pageWriter) put(parts ...markup) {
	for _, p := range parts {
		w.b.WriteString(string(p))
	}
}

// putIf writes a text between before and after if there is one.
func (w *pageWriter) putIf(before markup, text string, after markup) {
	if text != "" {
		w.put(before, escape(text), after)
	}
}

// items writes texts as items of a list.
func (w *pageWriter) items(list []string) {
	for _, s := range list {
		w.put(`<li dir="auto">`, escape(s), "</li>\n")
	}
}

// writeHTML writes report.html: one file, no script, nothing from elsewhere.
func writeHTML(v *view) []byte {
	w := &pageWriter{}
	w.head(v)
	w.answer(v)
	w.files(v.Files)
	w.todos(v)
	w.decisions(v.Decisions)
	w.facts(v.Facts)
	w.request(v)
	w.notes(v.Notes)
	w.put("\n</main>\n</body>\n</html>\n")
	return []byte(w.b.String())
}

const pageHead markup = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="`

func (w *pageWriter) head(v *view) {
	w.put(pageHead, escape(CSP), `">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>`, escape(v.Title), "</title>\n<style>\n", markup(chartCSS+pageCSS), `</style>
</head>
<body>
<main>
<header>
<p class="kind">Report of a run</p>
<h1 dir="auto">`, escape(v.Title), `</h1>
<p class="by"><span class="badge `, tone(v.Result), `">`, escape(resultName(v.Result)), "</span> <span>", escape(v.Ended), `</span></p>
</header>`)
	w.putIf("\n"+`<section class="summary" aria-label="Summary"><p class="pre" dir="auto">`, v.Summary, "</p></section>")
}

// tone is the colour of a result.
func tone(r clew.RunResult) markup {
	switch r {
	case clew.ResultSuccess:
		return "done"
	case clew.ResultFailed:
		return "fail"
	}
	return "skip"
}

func (w *pageWriter) answer(v *view) {
	if body := answerHTML(v.Answer); body != "" {
		w.put("\n", `<section class="answer" aria-labelledby="answer"><h2 id="answer">Answer</h2>`, "\n", markup(body), "</section>") // sanitised
	}
	if len(v.Actions) > 0 {
		w.put("\n", `<section aria-labelledby="next"><h2 id="next">Next actions</h2>`, "\n<ul>")
		w.items(v.Actions)
		w.put("</ul></section>")
	}
}

func (w *pageWriter) files(list []fileRef) {
	if len(list) == 0 {
		return
	}
	w.put("\n", `<section aria-labelledby="files"><h2 id="files">Attachments</h2>`, "\n<ul>")
	for _, f := range list {
		title := escape(f.Title)
		if f.URL != "" {
			title = `<a href="` + escapeURL(f.URL) + `" rel="noopener nofollow">` + title + "</a>"
		}
		w.put(`<li dir="auto">`, title)
		w.putIf(` <span class="mute">`, f.Type, "</span>")
		w.put("</li>\n")
	}
	w.put("</ul></section>")
}

func (w *pageWriter) todos(v *view) {
	if len(v.Todos) == 0 {
		return
	}
	w.put("\n", `<section aria-labelledby="time"><h2 id="time">Timeline</h2>`, "\n<figure>", markup(writeSVG(v.Chart, true)), // escaped where it is drawn
		`</figure></section>
<section aria-labelledby="todos"><h2 id="todos">Todos</h2>
<table class="todos">
<thead><tr><th scope="col">Todo</th><th scope="col">Status</th><th scope="col" class="num">Duration</th><th scope="col">Result</th></tr></thead>
<tbody>`)
	for _, r := range v.Todos {
		w.todo(r)
	}
	w.put("\n</tbody>\n</table></section>")
}

func (w *pageWriter) todo(r row) {
	w.put("\n<tr>\n", `<td class="task" dir="auto"><b>`, escape(r.Task), `</b><span class="mute">`, escape(r.ID))
	w.putIf(" · ", r.Tool, "")
	w.putIf(" · after ", r.DependsOn, "")
	w.put("</span></td>\n", `<td><span class="badge `, escape(class(r.Status)), `">`, escape(statusName(r.Status)), "</span>")
	if r.Retries != 0 {
		w.put(`<span class="mute">`, escape(retries(r.Retries)), "</span>")
	}
	w.put("</td>\n", `<td class="num">`)
	if r.Duration != "" {
		w.put(escape(r.Duration))
	} else {
		w.put(`<span class="mute">–</span>`)
	}
	w.put("</td>\n", `<td class="what">`)
	w.putIf(`<p class="pre" dir="auto">`, r.Result, "</p>")
	w.putIf(`<p class="pre err" dir="auto">`, r.Error, "</p>")
	w.putIf(`<p class="pre mute" dir="auto">`, r.Earlier, "</p>")
	w.put("</td>\n</tr>")
}

func (w *pageWriter) decisions(list []decision) {
	if len(list) == 0 {
		return
	}
	w.put("\n", `<section aria-labelledby="people"><h2 id="people">Decisions by people</h2>`, "\n", `<ol class="people">`)
	for _, d := range list {
		w.put("\n", `<li><p dir="auto"><b>`, escape(d.Action), "</b>")
		w.putIf(" by <span>", d.By, "</span>")
		w.put(` <span class="mute">`, escape(d.At), "</span></p>\n", `<p dir="auto">`, escape(d.Question), "</p>")
		w.putIf(`<p class="said" dir="auto">`, d.Comment, "</p>")
		w.put("</li>")
	}
	w.put("\n</ol></section>")
}

func (w *pageWriter) facts(list []fact) {
	w.put("\n", `<section aria-labelledby="facts"><h2 id="facts">Statistics</h2>`, "\n<dl>")
	for _, f := range list {
		w.put("<div><dt>", escape(f.Name), "</dt><dd>", escape(f.Value), "</dd></div>\n")
	}
	w.put("</dl></section>")
}

func (w *pageWriter) request(v *view) {
	if v.Request == "" && v.Understood == "" {
		return
	}
	w.put("\n", `<section aria-labelledby="request"><h2 id="request">Request</h2>`)
	w.putIf("\n"+`<blockquote class="pre" dir="auto">`, v.Request, "</blockquote>")
	w.putIf("\n"+`<p dir="auto"><span class="mute">Understood as</span> `, v.Understood, "</p>")
	if len(v.Entities) > 0 {
		w.put("\n", `<ul class="tags">`)
		w.items(v.Entities)
		w.put("</ul>")
	}
	w.put("</section>")
}

func (w *pageWriter) notes(list []string) {
	if len(list) == 0 {
		return
	}
	w.put("\n<footer>")
	for _, n := range list {
		w.put("<p>", escape(n), "</p>\n")
	}
	w.put("</footer>")
}
