package ask

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/term"
)

// A PreviewGroup is one kind of thing that a rewind would change.
type PreviewGroup struct {
	Text    string
	Warning bool     // nobody should overlook it
	Files   bool     // the files of the answer belong to it
	Items   []string // a line each
	Total   int      // of the items; there may be more than the server names
}

// Preview is what a rewind would change, in order. files says whether files are to
// go back, too.
func Preview(r *clew.RewindPreviewAnswer, files bool) []PreviewGroup {
	groups := []PreviewGroup{{Text: term.Goes(r.Count, "message", "goes", "go")}}
	if r.Running {
		groups = append(groups, PreviewGroup{Text: "agents are at work and will be stopped", Warning: true})
	}
	groups = append(groups, previewFiles(r, files))
	for _, g := range []PreviewGroup{
		{Text: term.Goes(len(r.Todos), "todo", "changes", "change"), Items: todoChanges(r.Todos)},
		{Text: term.Count(len(r.Reopened), "question") + " will be open again", Items: lines(r.Reopened)},
		{Text: term.Count(len(r.Withdrawn), "question") + " will be gone", Items: lines(r.Withdrawn)},
		{Text: "no longer allowed without asking, not even after an undo:", Items: rules(r.Forgotten), Warning: true},
		{Text: term.Count(len(r.Kernels), "kernel") + " cannot go back:", Items: kernels(r.Kernels), Warning: true},
	} {
		if g.Total = len(g.Items); g.Total > 0 {
			groups = append(groups, g)
		}
	}
	if u := r.Usage; u != nil {
		groups = append(groups, PreviewGroup{Text: "the session's total goes down by " + spent(u) + "; they stay spent"})
	}
	if n := r.IrreversibleCount; n > 0 {
		groups = append(groups, PreviewGroup{Text: term.Count(n, "step") + " cannot be undone", Warning: true, Items: irreversible(r.Irreversible), Total: n})
	}
	return groups
}

func previewFiles(r *clew.RewindPreviewAnswer, wanted bool) PreviewGroup {
	switch {
	case r.FilesProblem != "":
		return PreviewGroup{Text: "files stay as they are: " + r.FilesProblem, Warning: true}
	case !wanted:
		return PreviewGroup{Text: "files stay as they are"}
	case r.FilesCount == 0:
		return PreviewGroup{Text: "no files change"}
	}
	return PreviewGroup{Text: term.Goes(r.FilesCount, "file", "changes", "change"), Files: true}
}

// name is a text before a colon.
func name(text string) string { return term.Cut(strings.TrimRight(term.FirstLine(text), ". "), 80) }

func todoChanges(todos []clew.TodoChange) (items []string) {
	for _, t := range todos {
		from, to := cmp.Or(string(t.From), "not there"), cmp.Or(string(t.To), "gone")
		items = append(items, fmt.Sprintf("%s: %s → %s", name(cmp.Or(t.Task, t.ID)), from, to))
	}
	return items
}

func lines(questions []clew.Question) (items []string) {
	for _, q := range questions {
		items = append(items, Line(q))
	}
	return items
}

func rules(list []clew.RememberedRule) (items []string) {
	for _, r := range list {
		items = append(items, strings.TrimSpace(r.Tool+" "+r.Pattern))
	}
	return items
}

// kernelPolicies say what becomes of a kernel after a rewind.
var kernelPolicies = map[clew.KernelPolicy]string{
	clew.KernelAsk:   "you are asked whether to run again what ran before, start a fresh one or keep it",
	clew.KernelRerun: "a fresh one runs again what ran before",
	clew.KernelFresh: "a fresh, empty one starts",
	clew.KernelKeep:  "it stays, ahead of the notebook",
}

func kernels(list []clew.KernelPreview) (items []string) {
	for _, k := range list {
		what := cmp.Or(kernelPolicies[k.Policy], "it stays as it is")
		switch {
		case k.Ends:
			what = "it is shut down, its notebook is not open there"
		case k.Cells > 0 && (k.Policy == clew.KernelAsk || k.Policy == clew.KernelRerun):
			what += fmt.Sprintf(" (%s, %s)", term.Count(k.Cells, "cell"), term.Duration(time.Duration(k.DurationMS)*time.Millisecond))
		}
		items = append(items, name(cmp.Or(k.Path, "the notebook"))+": "+what)
	}
	return items
}

func irreversible(steps []clew.IrreversibleStep) (items []string) {
	for _, s := range steps {
		item := name(cmp.Or(s.Summary, s.Tool)) + ": " + s.Reason
		if s.MessageID != "" {
			item += fmt.Sprintf(" (%s)", s.MessageID)
		}
		items = append(items, item)
	}
	return items
}

func spent(u *clew.Usage) string {
	text := term.Tokens(u.TokensIn + u.TokensOut + u.CacheReads + u.CacheWrites)
	if u.CostUSD != 0 {
		text += " and " + term.Dollars(u.CostUSD)
	}
	return text
}
