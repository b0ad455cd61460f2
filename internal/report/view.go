package report

import (
	"fmt"
	"strings"
	"time"

	clew "github.com/clew-run/clew"
)

// limits bound the texts of a report, in bytes, and its lists.
type limits struct {
	answer, text, small int // the answer; a paragraph; a word or a name
	task, result        int // per todo: less for each when there are many
	rows, items         int // todos; any other list
	mermaid             int
}

func limitsFor(todos, scale int) limits {
	rows := min(max(todos, 1), max(1000/scale, 1))
	return limits{
		answer:  (128 << 10) / scale,
		text:    (8 << 10) / scale,
		small:   max(1000/scale, 100),
		task:    min(max((128<<10)/scale/rows, 80), 1000),
		result:  min(max((384<<10)/scale/rows, 120), 4096),
		rows:    rows,
		items:   max(100/scale, 10),
		mermaid: (64 << 10) / scale,
	}
}

// view is a report with every text cleaned and cut, ready to be written in any
// form. What is left to each form is its own escaping.
type view struct {
	lim        limits
	Title      string
	Request    string
	Result     clew.RunResult
	Summary    string
	Answer     []block
	Actions    []string
	Files      []fileRef
	Understood string
	Entities   []string
	Facts      []fact
	Todos      []row
	Decisions  []decision
	Mermaid    string
	Chart      chart
	Notes      []string
	Ended      string
	endedMS    int64
	isCut      bool
}

type fact struct{ Name, Value string }

type fileRef struct{ Title, Type, URL string }

type row struct {
	ID, Task, Tool string
	Status         clew.TodoStatus
	Duration       string
	Retries        int
	Result, Error  string
	Earlier        string // an error that a later attempt made good
	DependsOn      string
}

type decision struct{ At, Question, Action, By, Comment string }

func newView(in Input, lim limits) *view {
	v := &view{lim: lim, Result: in.Result, endedMS: in.EndedMS, Ended: stamp(in.EndedMS)}
	v.Request = strings.TrimSpace(v.text(in.Request, lim.text))
	v.Title = v.title(in)
	v.Summary = strings.TrimSpace(v.text(in.Response.Summary, lim.text))
	v.Answer = v.answer(in.Response)
	for _, a := range head(v, in.Response.NextActions) {
		v.Actions = append(v.Actions, v.name(a))
	}
	for _, a := range head(v, in.Response.Attachments) {
		v.Files = append(v.Files, fileRef{v.name(a.Title), v.name(string(a.Type)), fileURL(a.URL)})
	}
	v.understanding(in)
	v.Facts = v.facts(in)
	v.todos(in.Todos)
	v.decisions(in.Decisions)
	v.Mermaid = v.mermaid(in.Mermaid)
	v.Chart = newChart(in.Todos, v.Todos)
	if v.isCut {
		v.Notes = append(v.Notes, "Some texts or lists were too long for a report and are cut. The session has all of them.")
	}
	return v
}

// text cleans and cuts.
func (v *view) text(s string, n int) string {
	if len(s) > n {
		v.isCut = true
	}
	return clean(cut(s, n))
}

// name is a short text on one line.
func (v *view) name(s string) string { return line(v.text(s, v.lim.small)) }

// head is as much of a list as a report shows.
func head[T any](v *view, list []T) []T {
	if len(list) > v.lim.items {
		v.isCut = true
		return list[:v.lim.items]
	}
	return list
}

func (v *view) title(in Input) string {
	for _, s := range []string{in.Title, in.Request} {
		if first, _, _ := strings.Cut(strings.TrimSpace(s), "\n"); first != "" {
			return short(line(clean(cut(first, v.lim.small))), 120)
		}
	}
	return "Report of a run"
}

func (v *view) answer(r clew.Response) []block {
	text := v.text(cutLines(r.Text, maxLines), v.lim.answer)
	v.isCut = v.isCut || len(text) < len(r.Text)
	switch r.Format {
	case clew.FormatText:
		return plain(text)
	case clew.FormatJSON:
		return []block{code{lang: "json", text: strings.TrimSpace(text)}}
	}
	return parse(text)
}

func (v *view) understanding(in Input) {
	if i := in.Intent; i != nil {
		v.Understood = fmt.Sprintf("%s / %s (%s sure)", v.name(i.Domain), v.name(i.Category), percent(i.Confidence))
	}
	for _, e := range head(v, in.Entities) {
		v.Entities = append(v.Entities, fmt.Sprintf("%s: %s", v.name(e.Type), v.name(e.Value)))
	}
}

func (v *view) facts(in Input) []fact {
	s := in.Statistics
	facts := []fact{
		{"Todos", thousands(int64(s.TotalTodos))},
		{"Completed", thousands(int64(s.Completed))},
		{"Failed", thousands(int64(s.Failed))},
		{"Skipped", thousands(int64(s.Skipped))},
		{"Time of work", duration(s.ExecutionTimeMS)},
		{"Tokens", thousands(s.TokensUsed)},
		{"Cost", fmt.Sprintf("%.4f USD", s.CostUSD)},
		{"Started", stamp(in.StartedMS)},
		{"Ended", stamp(in.EndedMS)},
	}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, fact{name, value})
		}
	}
	plan := v.name(in.PlanID)
	if in.Version > 0 {
		plan = strings.TrimSpace(fmt.Sprintf("%s, version %d", plan, in.Version))
	}
	add("Plan", plan)
	add("Run", v.name(in.RunID))
	add("Session", v.name(string(in.SessionID)))
	return facts
}

func (v *view) todos(list []clew.Todo) {
	if len(list) > v.lim.rows {
		v.Notes = append(v.Notes, fmt.Sprintf("Of %s todos the first %s are listed.", thousands(int64(len(list))), thousands(int64(v.lim.rows))))
		list = list[:v.lim.rows]
	}
	for _, t := range list {
		r := row{
			ID: v.name(t.ID), Task: line(v.text(t.Task, v.lim.task)), Tool: v.name(t.Tool),
			Status: t.Status, Retries: t.RetryCount,
			Result:    v.text(strings.TrimSpace(readable(t.ResultSummary)), v.lim.result),
			DependsOn: v.name(strings.Join(t.DependsOn, ", ")),
		}
		if t.StartedMS > 0 {
			r.Duration = duration(t.DurationMS)
		}
		if t.Error != nil {
			r.Error = v.text(strings.TrimSpace(fmt.Sprintf("%s: %s", t.Error.Code, t.Error.Message)), v.lim.result)
			if t.Status == clew.TodoCompleted {
				r.Earlier, r.Error = "An earlier attempt failed. "+r.Error, ""
			}
		}
		v.Todos = append(v.Todos, r)
	}
}

// statusName is a status for people. A status this package does not know is not
// trusted either.
func statusName(s clew.TodoStatus) string {
	switch s {
	case clew.TodoPending, clew.TodoCompleted, clew.TodoFailed, clew.TodoSkipped:
		return string(s)
	case clew.TodoInProgress:
		return "in progress"
	}
	return "unknown"
}

// resultName says how the run ended.
func resultName(r clew.RunResult) string {
	switch r {
	case clew.ResultSuccess:
		return "Success"
	case clew.ResultFailed:
		return "Failed"
	case clew.ResultCancelled:
		return "Cancelled"
	}
	return "Unknown end"
}

func (v *view) decisions(list []Decision) {
	for _, d := range head(v, list) {
		by := v.name(d.By)
		if d.ByTimeout {
			by = "the deadline"
		}
		v.Decisions = append(v.Decisions, decision{
			stamp(d.AtMS), line(v.text(d.Question, v.lim.small)), v.name(d.Action), by, line(v.text(d.Comment, v.lim.small)),
		})
	}
}

// mermaid leaves out the lines by which a diagram could bind links and set its
// own options: a plan needs neither.
func (v *view) mermaid(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > v.lim.mermaid {
		v.isCut = true
		return "" // half a diagram is none
	}
	var keep []string
	for l := range strings.SplitSeq(clean(s), "\n") {
		t := strings.ToLower(strings.TrimSpace(l))
		if !strings.HasPrefix(t, "click") && !strings.HasPrefix(t, "href") && !strings.Contains(t, "%%{") {
			keep = append(keep, l)
		}
	}
	return strings.Join(keep, "\n")
}

func stamp(ms int64) string {
	if ms <= 0 {
		return "unknown"
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05 UTC")
}

func percent(f float64) string { return fmt.Sprintf("%.0f %%", f*100) }

// duration writes a time span in the two units that matter.
func duration(ms int64) string {
	switch s := ms / 1000; {
	case ms < 0:
		return "unknown"
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case s < 60:
		return fmt.Sprintf("%.1f s", float64(ms/100)/10)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	case s < 86400:
		return fmt.Sprintf("%d h %02d min", s/3600, s/60%60)
	default:
		return fmt.Sprintf("%d d %d h", s/86400, s/3600%24)
	}
}
