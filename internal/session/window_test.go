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
	b.inject("ann", "", func(tx *decide.Tx) { err = decide.ShowWindow(tx, b.s.state, b.task(), wish) })
	return err
}

func (b *bench) openWindow(t *testing.T, id, kind, content string) error {
	t.Helper()
	return b.show(t, decide.WindowWish{Type: clew.ActionWindowCreate, ID: id, Title: text("Title of " + id), Kind: core.WindowKind(kind), Text: text(content)})
}

func windowIDs(s *core.State) (ids []string) {
	for _, w := range s.Windows {
		ids = append(ids, w.ID)
	}
	return ids
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
	done(b.show(t, decide.WindowWish{Type: clew.ActionWindowUpdate, ID: "b", Text: text("<p>ho")}))
	s := b.s.state
	if a, w := s.Window("a"), s.Window("b"); a.Title != "Anew" || *a.Content != (core.WindowContent{Kind: core.WindowMarkdown, Text: "# hi"}) || *w.Content != (core.WindowContent{Kind: core.WindowHTML, Text: "<p>ho"}) ||
		a.MonitorID != clew.MainMonitor || a.AgentID != core.MainAgent {
		t.Errorf("windows %+v %+v", a, w)
	}
	for name, wish := range map[string]decide.WindowWish{
		"open already":  {Type: clew.ActionWindowCreate, ID: "a", Text: text("x")},
		"there is no":   {Type: clew.ActionWindowUpdate, ID: "c", Text: text("x")},
		"no window c":   {Type: clew.ActionWindowClose, ID: "c"},
		"letters":       {Type: clew.ActionWindowCreate, ID: "a/b", Text: text("x")},
		"1 to 64":       {Type: clew.ActionWindowCreate, ID: strings.Repeat("x", 65), Text: text("x")},
		"120 charac":    {Type: clew.ActionWindowUpdate, ID: "a", Title: text(strings.Repeat("ü", 121))},
		"holds 65536":   {Type: clew.ActionWindowUpdate, ID: "a", Text: text(strings.Repeat("x", core.WindowTextMax+1))},
		"markdown or h": {Type: clew.ActionWindowUpdate, ID: "a", Kind: "svg"},
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

func TestInteractions(t *testing.T) {
	at := func(x, w int) *clew.Bounds { return &clew.Bounds{X: x, Y: 10, W: w, H: 200} }
	drag := []clew.Interaction{
		{Kind: clew.InteractionFocus, WindowID: "a"},
		{Kind: clew.InteractionMove, WindowID: "a", Bounds: at(1, 300)},
		{Kind: clew.InteractionMove, WindowID: "a", Bounds: at(2, 300)},
		{Kind: clew.InteractionResize, WindowID: "a", Bounds: at(2, 400)},
	}
	for name, tt := range map[string]struct {
		batch   []clew.Interaction
		monitor clew.MonitorID
		code    clew.Code
		records int
		want    string
	}{
		"a drag is one record":   {batch: drag, records: 1, want: `a monitor-0 {2 10 400 200}, b monitor-0 -`},
		"focus is one's own":     {batch: drag[:1], want: `a monitor-0 -, b monitor-0 -`},
		"closed":                 {batch: []clew.Interaction{{Kind: clew.InteractionClose, WindowID: "a"}}, records: 1, want: `b monitor-0 -`},
		"moved and closed":       {batch: append(slices.Clone(drag), clew.Interaction{Kind: clew.InteractionClose, WindowID: "a"}), records: 1, want: `b monitor-0 -`},
		"sent to a monitor":      {batch: []clew.Interaction{{Kind: clew.InteractionMove, WindowID: "b"}}, monitor: "monitor-3", records: 1, want: `a monitor-0 -, b monitor-3 -`},
		"where it is":            {batch: []clew.Interaction{{Kind: clew.InteractionMove, WindowID: "b"}}, monitor: "monitor-0", want: `a monitor-0 -, b monitor-0 -`},
		"a resize does not send": {batch: drag[3:], monitor: "monitor-2", records: 1, want: `a monitor-0 {2 10 400 200}, b monitor-0 -`},
		"no such monitor":        {batch: []clew.Interaction{{Kind: clew.InteractionMove, WindowID: "b"}}, monitor: "monitor-4", code: clew.AgentLimit, want: `a monitor-0 -, b monitor-0 -`},
		"no such window":         {batch: append(slices.Clone(drag), clew.Interaction{Kind: clew.InteractionClose, WindowID: "c"}), code: clew.SessionInvalidState, want: `a monitor-0 -, b monitor-0 -`},
		"closed twice":           {batch: []clew.Interaction{{Kind: clew.InteractionClose, WindowID: "a"}, {Kind: clew.InteractionClose, WindowID: "a"}}, code: clew.SessionInvalidState, want: `a monitor-0 -, b monitor-0 -`},
		"drawings":               {batch: []clew.Interaction{{Kind: clew.InteractionDraw, WindowID: "a"}}, code: clew.SessionInvalidState, want: `a monitor-0 -, b monitor-0 -`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			b.atWork()
			for _, id := range []string{"a", "b"} {
				if err := b.openWindow(t, id, "", "x"); err != nil {
					t.Fatal(err)
				}
			}
			_, types, err := b.ann(&clew.UserInteractionData{Interactions: tt.batch, MonitorID: tt.monitor})
			if clew.CodeOf(err) != tt.code || len(types) != tt.records {
				t.Errorf("gives %v, %v", types, err)
			}
			var got []string
			for _, w := range b.s.state.Windows {
				place := "-"
				if w.Bounds != nil {
					place = fmt.Sprint(*w.Bounds)
				}
				got = append(got, fmt.Sprint(w.ID, " ", w.MonitorID, " ", place))
			}
			if text := strings.Join(got, ", "); text != tt.want {
				t.Errorf("windows %s, want %s", text, tt.want)
			}
			b.verify(t)
		})
	}
}
