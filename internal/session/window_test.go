package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

func text(s string) *string { return &s }

// show has the bench's task do something about a window.
func (b *bench) show(t *testing.T, wish decide.WindowWish) error {
	t.Helper()
	var err error
	b.inject("ann", "", func(tx *decide.Tx) { _, err = decide.ShowWindow(tx, b.s.state, b.task(), wish) })
	return err
}

func (b *bench) openWindow(t *testing.T, id, kind, content string) error {
	t.Helper()
	return b.show(t, decide.WindowWish{Type: clew.ActionWindowCreate, ID: id, Title: text("Title of " + id), Content: &clew.WindowContent{Kind: clew.WindowKind(kind), Text: content}})
}

func windowIDs(s *core.State) (ids []string) {
	for _, w := range s.Windows {
		ids = append(ids, w.ID)
	}
	return ids
}

func shows(w *core.Window, kind clew.WindowKind, text string) bool {
	return w.Content.Kind == kind && w.Content.Text == text
}

// Covers: WIN-05, WS-045, WIN-07
func TestWindowsOfAnAgent(t *testing.T) {
	b := newBench()
	b.atWork()
	done := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	done(b.openWindow(t, "a", "", "# hi"))
	done(b.openWindow(t, "b", "html", "<p>hi"))
	done(b.show(t, decide.WindowWish{Type: clew.ActionWindowUpdate, ID: "a", Title: text("Anew")}))
	done(b.show(t, decide.WindowWish{Type: clew.ActionWindowUpdate, ID: "b", Content: &clew.WindowContent{Text: "<p>ho"}}))
	s := b.s.state
	if a, w := s.Window("a"), s.Window("b"); a.Title != "Anew" || !shows(a, clew.WindowMarkdown, "# hi") || !shows(w, clew.WindowHTML, "<p>ho") || a.Version != 1 || w.Version != 2 ||
		a.MonitorID != clew.MainMonitor || a.AgentID != core.MainAgent {
		t.Errorf("windows %+v %+v", a, w)
	}
	for name, wish := range map[string]decide.WindowWish{
		"open already":   {Type: clew.ActionWindowCreate, ID: "a", Content: &clew.WindowContent{Text: "x"}},
		"there is no":    {Type: clew.ActionWindowUpdate, ID: "c", Content: &clew.WindowContent{Text: "x"}},
		"no window c":    {Type: clew.ActionWindowClose, ID: "c"},
		"letters":        {Type: clew.ActionWindowCreate, ID: "a/b", Content: &clew.WindowContent{Text: "x"}},
		"1 to 64":        {Type: clew.ActionWindowCreate, ID: strings.Repeat("x", 65), Content: &clew.WindowContent{Text: "x"}},
		"120 charac":     {Type: clew.ActionWindowUpdate, ID: "a", Title: text(strings.Repeat("ü", 121))},
		"holds 65536":    {Type: clew.ActionWindowUpdate, ID: "a", Content: &clew.WindowContent{Text: strings.Repeat("x", core.WindowTextMax+1)}},
		"markdown, text": {Type: clew.ActionWindowUpdate, ID: "a", Content: &clew.WindowContent{Kind: "svg"}},
	} {
		before := slices.Clone(s.Windows)
		if err := b.show(t, wish); err == nil || !strings.Contains(err.Error(), name) || !slices.Equal(before, s.Windows) {
			t.Errorf("%s: %v", name, err)
		}
	}
	done(b.show(t, decide.WindowWish{Type: clew.ActionWindowClose, ID: "a"}))
	if got := windowIDs(s); !slices.Equal(got, []string{"b"}) {
		t.Errorf("open %v", got)
	}
	b.verify(t)
}

func TestWindowsAreBounded(t *testing.T) {
	b := newBench()
	b.atWork()
	for i := range 4 {
		if err := b.openWindow(t, fmt.Sprint("w", i), "", strings.Repeat("x", core.WindowTextMax)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.openWindow(t, "more", "", "x"); err == nil || !strings.Contains(err.Error(), "all windows together") {
		t.Errorf("too much text: %v", err)
	}
	for i := 4; i < core.WindowsMax; i++ {
		if err := b.openWindow(t, fmt.Sprint("w", i), "", ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.openWindow(t, "more", "", ""); err == nil || !strings.Contains(err.Error(), "16 windows are open") {
		t.Errorf("too many: %v", err)
	}
	if n := len(b.s.state.Windows); n != core.WindowsMax {
		t.Errorf("%d windows", n)
	}
}

// What a stranger's records say is taken as far as it makes sense.
func TestWindowRecordsFromElsewhere(t *testing.T) {
	s := &core.State{}
	do := func(typ clew.ActionType, id, params string) {
		var p map[string]any
		if params != "" {
			if err := json.Unmarshal([]byte(params), &p); err != nil {
				t.Fatal(err)
			}
		}
		core.ApplyActions(s, &clew.ActionsData{MonitorID: "monitor-77", Actions: clew.List[clew.Action]{{Type: typ, WindowID: id, Params: p}}})
	}
	do(clew.ActionWindowCreate, "a", `{"title":"A"}`)
	do(clew.ActionWindowCreate, "b", "")
	before := slices.Clone(s.Windows)
	for _, bad := range []string{
		`{"title":7}`, `{"content":"text"}`, `{"content":{"kind":"svg","text":"x"}}`, `{"bounds":{"x":0,"y":0,"w":0,"h":5}}`,
		`{"bounds":{"x":1e9,"y":0,"w":10,"h":5}}`, `{"title":"` + strings.Repeat("x", 121) + `"}`, `{"content":{"kind":"html","text":"` + strings.Repeat("x", core.WindowTextMax+1) + `"}}`,
	} {
		do(clew.ActionWindowUpdate, "a", bad)
		do(clew.ActionWindowCreate, "c", bad)
		if !slices.Equal(before, s.Windows) {
			t.Errorf("%.60s: %+v", bad, s.Windows)
		}
	}
	do(clew.ActionWindowCreate, "../x", "")
	do(clew.ActionWindowUpdate, "none", `{"title":"x"}`)
	do(clew.ActionWindowClose, "none", "")
	do(clew.ActionWindowFocus, "none", "")
	do(clew.ActionNotificationShow, "a", "")
	do(clew.ActionWindowUpdate, "a", `{"monitor_id":"monitor-9"}`)
	if !slices.Equal(before, s.Windows) || s.Windows[0].MonitorID != clew.MainMonitor {
		t.Errorf("windows %+v", s.Windows)
	}
	do(clew.ActionWindowFocus, "a", "")
	if got := windowIDs(s); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("in front: %v", got)
	}
}

// Covers: WS-081
func TestInteractions(t *testing.T) {
	at := func(x, w int) *clew.Bounds { return &clew.Bounds{X: x, Y: 10, W: w, H: 200} }
	focus := func(id string) clew.Interaction { return clew.Interaction{Kind: clew.InteractionFocus, WindowID: id} }
	move := func(id string, to *clew.Bounds) clew.Interaction {
		return clew.Interaction{Kind: clew.InteractionMove, WindowID: id, Bounds: to}
	}
	closing := func(id string) clew.Interaction { return clew.Interaction{Kind: clew.InteractionClose, WindowID: id} }
	resize := clew.Interaction{Kind: clew.InteractionResize, WindowID: "a", Bounds: at(2, 400)}
	onLaptop := clew.Interaction{Kind: clew.InteractionMove, WindowID: "a", Bounds: at(7, 100), Layout: clew.LayoutMedium}
	drawing := clew.Interaction{Kind: clew.InteractionDraw, WindowID: "a", Drawing: map[string]any{"points": []any{1.0, 2.0}}}
	drag := []clew.Interaction{focus("a"), move("a", at(1, 300)), move("a", at(2, 300)), resize}
	const untouched = `a monitor-0 - -, b monitor-0 - -`
	for name, tt := range map[string]struct {
		batch    []clew.Interaction
		monitor  clew.MonitorID
		code     clew.Code
		recorded string
		want     string
	}{
		"a drag is one record":   {batch: drag, recorded: "move a, resize a", want: `a monitor-0 {2 10 400 200} -, b monitor-0 - -`},
		"each screen its own":    {batch: append(slices.Clone(drag), onLaptop), recorded: "move a, resize a, move a", want: `a monitor-0 {2 10 400 200} {7 10 100 200}, b monitor-0 - -`},
		"the last focus":         {batch: []clew.Interaction{focus("a"), focus("b")}, recorded: "focus b", want: untouched},
		"focus where it was":     {batch: []clew.Interaction{focus("f")}, want: untouched},
		"closed":                 {batch: []clew.Interaction{closing("a")}, recorded: "close a", want: `b monitor-0 - -`},
		"moved and closed":       {batch: append(slices.Clone(drag), closing("a")), recorded: "close a", want: `b monitor-0 - -`},
		"sent to a monitor":      {batch: []clew.Interaction{move("b", nil)}, monitor: "monitor-3", recorded: "move b", want: `a monitor-0 - -, b monitor-3 - -`},
		"where it is":            {batch: []clew.Interaction{move("b", nil)}, monitor: "monitor-0", want: untouched},
		"a resize does not send": {batch: []clew.Interaction{resize}, monitor: "monitor-2", recorded: "resize a", want: `a monitor-0 {2 10 400 200} -, b monitor-0 - -`},
		"drawings":               {batch: []clew.Interaction{focus("a"), drawing, drawing}, recorded: "draw a, draw a", want: untouched},
		"no such monitor":        {batch: []clew.Interaction{move("b", nil)}, monitor: "monitor-4", code: clew.AgentLimit, want: untouched},
		"no such window":         {batch: append(slices.Clone(drag), closing("c")), code: clew.SessionInvalidState, want: untouched},
		"closed twice":           {batch: []clew.Interaction{closing("a"), closing("a")}, code: clew.SessionInvalidState, want: untouched},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			b.atWork()
			for _, id := range []string{"a", "b", "f"} {
				if err := b.openWindow(t, id, "", "x"); err != nil {
					t.Fatal(err)
				}
			}
			must(b.ann(&clew.UserInteractionData{Interactions: []clew.Interaction{focus("f")}}))
			before := len(b.records)
			_, _, err := b.ann(&clew.UserInteractionData{Interactions: tt.batch, MonitorID: tt.monitor})
			if clew.CodeOf(err) != tt.code {
				t.Errorf("gives %v", err)
			}
			if got := recordedInteractions(t, b.records[before:]); got != tt.recorded {
				t.Errorf("recorded %q, want %q", got, tt.recorded)
			}
			var got []string
			for _, w := range core.WindowsBut(b.s.state.Windows, "f") {
				got = append(got, fmt.Sprint(w.ID, " ", w.MonitorID, " ", place(w.Layouts.Wide), " ", place(w.Layouts.Medium)))
			}
			if text := strings.Join(got, ", "); text != tt.want {
				t.Errorf("windows %s, want %s", text, tt.want)
			}
			b.verify(t)
		})
	}
}

func place(b *clew.Bounds) string {
	if b == nil {
		return "-"
	}
	return fmt.Sprint(*b)
}

// recordedInteractions is what a person's batch became, in one record for what was
// closed and one for the rest.
func recordedInteractions(t *testing.T, records []clew.Record) string {
	t.Helper()
	var list []string
	for _, r := range records {
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			t.Fatal(err)
		}
		switch d := ev.Data.(type) {
		case *clew.UserInteractedData:
			for _, in := range d.Interactions {
				list = append(list, fmt.Sprint(in.Kind, " ", in.WindowID))
			}
			if d.UserID != "ann" {
				t.Errorf("by %q", d.UserID)
			}
		case *clew.ActionsData:
			for _, a := range d.Actions {
				list = append(list, strings.TrimPrefix(string(a.Type), "window.")+" "+a.WindowID)
			}
		default:
			t.Errorf("a record of %s", r.Type)
		}
	}
	if len(records) > 1 {
		t.Errorf("%d records", len(records))
	}
	return strings.Join(list, ", ")
}
