package report

import (
	"bytes"
	"html/template"
	"path/filepath"
	"strings"
	"testing"

	clew "github.com/clew-run/clew"
)

// byTemplate writes the page with html/template, which knows by itself what has
// to be escaped where.
func byTemplate(t testing.TB, v *view) []byte {
	t.Helper()
	page, err := template.New("page.html").Funcs(template.FuncMap{
		"status": statusName, "class": class, "retries": retries, "result": resultName,
		"tone": func(r clew.RunResult) string { return string(tone(r)) },
	}).ParseFiles(filepath.Join("testdata", "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	err = page.Execute(&b, struct {
		*view
		CSP   string
		CSS   template.CSS
		Body  template.HTML
		Chart template.HTML
	}{v, CSP, template.CSS(chartCSS + pageCSS), template.HTML(answerHTML(v.Answer)), template.HTML(writeSVG(v.Chart, true))})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func samePage(t testing.TB, in Input) {
	t.Helper()
	v := newView(in, limitsFor(len(in.Todos), 1))
	got, want := writeHTML(v), byTemplate(t, v)
	if bytes.Equal(got, want) {
		return
	}
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	from := max(0, i-60)
	t.Errorf("after %d bytes:\n got %q\nwant %q", i, got[from:min(len(got), i+60)], want[from:min(len(want), i+60)])
}

func TestPageIsTheTemplate(t *testing.T) {
	for name, in := range map[string]Input{
		"sample": sample(), "hostile": hostile(), "gaps": withGaps(), "many": many(80, 2000), "empty": {},
	} {
		t.Run(name, func(t *testing.T) { samePage(t, in) })
	}
}

// everywhere puts a text into each place of a report that holds one.
func everywhere(text string) Input {
	in := hostile()
	in.Title, in.Request, in.RunID, in.PlanID = text, text, text, text
	in.Response.Text, in.Response.Summary = text, text
	in.Response.NextActions = []string{text}
	in.Response.Attachments = clew.List[clew.Attachment]{
		{Type: clew.AttachmentType(text), Title: text, URL: text},
		{Title: text, URL: "https://ok.example/" + text},
		{Title: text, URL: "/v1/files/" + text},
	}
	in.Entities = []clew.Entity{{Type: text, Value: text}}
	in.Intent = &clew.Intent{Domain: text, Category: text}
	for i := range in.Todos {
		x := &in.Todos[i]
		x.ID, x.Task, x.Tool, x.ResultSummary, x.DependsOn = text, text, text, text, []string{text}
		x.Status, x.RetryCount = clew.TodoStatus(text), i
	}
	for i := range in.Decisions {
		x := &in.Decisions[i]
		x.Question, x.Action, x.By, x.Comment = text, text, text, text
	}
	return in
}

func FuzzPage(f *testing.F) {
	for _, a := range answers {
		f.Add(a)
	}
	f.Add("a+b 'c' \"d\" &amp; %41 %zz %4 ( ) \\ \x00 \x7f \xff ü 한 😀 \u2028")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 10_000 {
			samePage(t, everywhere(strings.Repeat(text, 2)))
		}
	})
}
