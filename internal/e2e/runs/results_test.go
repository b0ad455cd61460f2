package runs

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// An answer has the files with it that the agent names, as they were then. A name
// that leads nowhere, or out of the workspace, is told to the agent, and the run
// does not end with it. The layers say in fields of their own what they did.
//
// Covers: RUN-31, WS-023
func TestResults(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	s := short(t, llmtest.Anthropic, nil, nil)
	const chart, page = "<svg xmlns='http://www.w3.org/2000/svg'/>", "<script>alert(1)</script>"
	s.Write("work/chart.svg", chart)
	s.Write("work/data/all of it.csv", "month,sales\n1,2\n")
	s.Write("work/page.html", page)
	e, id := s.reviewed(ctx, clew.UserMessageData{Text: "Do both things, with files."})
	s.approve(ctx, id)
	var d clew.CompleteData
	decode(t, e.await(clew.EventComplete, nil).Data, &d)
	s.Write("work/chart.svg", "another one")

	list := s.over(t, clew.StatusCompleted, clew.EventComplete)
	layers(t, list, len(d.Reports))
	said := ""
	for _, r := range list {
		if r.Event.Type == clew.EventToolProgress && strings.Contains(r.Frame, "c_files") {
			said += r.Frame
		}
	}
	if !strings.Contains(said, "nowhere.csv does not exist") || !strings.Contains(said, "must not contain ..") {
		t.Errorf("the agent hears %s", said)
	}
	results := d.Response.Attachments[:3]
	var got []string
	for _, a := range results {
		got = append(got, string(a.Type)+" "+a.Title+" "+a.URL[strings.LastIndex(a.URL, "/")+1:])
	}
	want := []string{"chart Sales by month 1-chart.svg", "table all of it.csv 2-all_of_it.csv", "file page.html 3-page.html"}
	if !slices.Equal(got, want) {
		t.Errorf("the answer has %q", got)
	}

	s.Start()
	if text, h := s.fetched(results[0].URL); text != chart || h.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("the chart is %q, %v", text, h)
	}
	if text, h := s.fetched(results[1].URL); text != "month,sales\n1,2\n" || h.Get("Content-Disposition") != "attachment" {
		t.Errorf("the table is %q, %v", text, h)
	}
	if text, h := s.fetched(results[2].URL); text != page || !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox; default-src 'none'") {
		t.Errorf("the page is %q, %v", text, h)
	}
	if text, _ := s.fetched(d.ReportPaths[slices.IndexFunc(d.ReportPaths, func(p string) bool { return strings.HasSuffix(p, "/report.md") })]); !strings.Contains(text, "Sales by month") {
		t.Errorf("the report does not name the chart: %s", text)
	}
}

// layers checks the results of a run's layers.
func layers(t *testing.T, list []record, reports int) {
	t.Helper()
	found := map[clew.Layer]clew.LayerResult{}
	for _, r := range list {
		if d, ok := r.Event.Data.(*clew.LayerCompleteData); ok {
			if d.Result == nil || d.Result.Extra != nil {
				t.Errorf("%s ends with %s", d.Layer, r.Frame)
				continue
			}
			found[d.Layer] = *d.Result
		}
	}
	if r := found[clew.LayerCognitive]; r.Intent == nil || r.Intent.Category != "short" {
		t.Errorf("understood %+v", r)
	}
	if r := found[clew.LayerPlanning]; r.PlanID == "" || r.Version != 1 || r.TotalTodos != 2 {
		t.Errorf("planned %+v", r)
	}
	if r := found[clew.LayerExecution]; r.Completed != 2 || r.Skipped != 0 || r.TotalTodos != 2 {
		t.Errorf("done %+v", r)
	}
	if r := found[clew.LayerResponse]; r.Format != clew.FormatMixed || r.Reports != reports || reports < 3 {
		t.Errorf("answered %+v, with %d reports", r, reports)
	}
}

// fetched gets a file of an answer.
func (s *stage) fetched(path string) (string, http.Header) {
	s.T.Helper()
	r, err := s.Call("", http.MethodGet, path, nil)
	proc.Must(s.T, err)
	defer func() { _ = r.Body.Close() }()
	b, err := io.ReadAll(r.Body)
	proc.Must(s.T, err)
	if r.StatusCode != http.StatusOK {
		s.T.Errorf("%s: %s %s", path, r.Status, b)
	}
	return string(b), r.Header
}
