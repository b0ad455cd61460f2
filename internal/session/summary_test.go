package session

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/view"
)

func TestSummary(t *testing.T) {
	b := newBench()
	b.asked(1)
	s := b.s.state.Summary()
	if s.Owner != "ann" || s.Questions != 1 || s.LastLine != "hello" || s.TokensIn != 5 || s.TokensOut != 7 || s.CostUSD != 0.001 || s.Plan != nil || s.Status != "awaiting_input" {
		t.Errorf("%+v", s)
	}
	must(b.ann(&clew.AskResponseData{AskResponse: clew.NoButtonClicked, Text: strings.Repeat(" no\n way", 1000)}))
	if s = b.s.state.Summary(); s.Questions != 0 || !strings.HasPrefix(s.LastLine, "no way no way") || len([]rune(s.LastLine)) != core.LineRunes+1 {
		t.Errorf("%+v", s)
	}

	b = newBench()
	b.executing("a", "b", "c")
	if s = b.s.state.Summary(); s.Plan == nil || s.Plan.Done != 0 || s.Plan.Total != 3 {
		t.Errorf("%+v", s.Plan)
	}
	for _, m := range b.s.state.Messages.Tail() {
		if m.Role == clew.SpeakerUser && m.AgentID != "" && m.Text == s.LastLine {
			t.Errorf("the last line %q is what the run told an agent", s.LastLine)
		}
	}
	b.finishTodo("a")
	if s = b.s.state.Summary(); s.Plan == nil || s.Plan.Done != 1 || s.Plan.Total != 3 {
		t.Errorf("%+v", s.Plan)
	}
	must(b.ann(&clew.ControlCancelData{}))
	if s = b.s.state.Summary(); s.Plan != nil {
		t.Errorf("%+v", s.Plan)
	}
}

// A fork of a fork is called a fork once.
func TestForkTitle(t *testing.T) {
	long := strings.Repeat("x", 2*core.TitleRunes)
	for title, want := range map[string]string{"Moods": "Moods (fork)", "Moods (fork)": "Moods (fork)", "": "(fork)", " (fork)": "(fork)", "(fork)": "(fork)"} {
		if got := forkTitle(title); got != want {
			t.Errorf("a fork of %q is called %q", title, got)
		}
	}
	if got := forkTitle(forkTitle(long)); !strings.HasSuffix(got, "… (fork)") || len([]rune(got)) > core.TitleRunes+1 {
		t.Errorf("a fork of a long title is called %q", got)
	}
}

// Marks are thinned out evenly, and what people go back to is left out last.
func TestThin(t *testing.T) {
	var marks []view.Mark
	for i := range 5000 {
		kind := view.MarkTool
		if i%10 == 0 {
			kind = view.MarkUser
		}
		marks = append(marks, view.Mark{TS: int64(i), Kind: kind})
	}
	for most, weighty := range map[int]int{2000: 500, 500: 500, 200: 200, 6000: 500} {
		got := view.Sample(marks, most)
		users, gap, last := 0, int64(0), int64(-1)
		for _, m := range got {
			if m.Kind == view.MarkUser {
				users++
			}
			gap, last = max(gap, m.TS-last), m.TS
		}
		if len(got) != min(most, len(marks)) || users != weighty || gap > int64(2*len(marks)/most+10) || last < 4900 {
			t.Errorf("%d of %d marks, %d of %d weighty, a gap of %d, the last at %d", len(got), most, users, weighty, gap, last)
		}
	}
}
