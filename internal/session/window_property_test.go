package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// windows has people and agents do something about windows, and strangers' records say
// what no agent could.
func (p *spectacle) windows() {
	id := draw(p.player, "window", "w1", "w2", "w3")
	draw(p.player, "who", p.personAtWindow, p.personAtWindow, p.agentAtWindow, p.agentAtWindow, p.agentAtWindow, p.strangerAtWindow)(id)
}

func (p *spectacle) personAtWindow(id string) {
	place := &clew.Bounds{X: rapid.IntRange(0, 3).Draw(p.t, "x"), W: 10, H: 10}
	in := clew.Interaction{
		Kind:     draw(p.player, "kind", clew.InteractionFocus, clew.InteractionMove, clew.InteractionMove, clew.InteractionResize, clew.InteractionDraw, clew.InteractionClose),
		WindowID: id, Bounds: place, Drawing: "a line", Layout: draw(p.player, "layout", "", clew.LayoutWide, clew.LayoutMedium),
	}
	p.person(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{in}, MonitorID: draw[clew.MonitorID](p.player, "to", "", "monitor-0", "monitor-2")})
	p.person(&clew.RenderingFeedbackData{WindowID: id, Success: rapid.Bool().Draw(p.t, "drawn"), Error: "no"})
	if list := p.s.state.Notices; len(list) > 0 {
		p.person(&clew.ToastActionData{ToastID: list[0].NoticeID, Action: "dismiss"})
	}
}

func (p *spectacle) agentAtWindow(id string) {
	for _, t := range p.s.state.SortedTasks() {
		if t.Turn == nil {
			continue
		}
		wish := decide.WindowWish{
			Type:  draw(p.player, "action", clew.ActionWindowCreate, clew.ActionWindowCreate, clew.ActionWindowUpdate, clew.ActionWindowUpdate, clew.ActionWindowClose),
			ID:    id,
			Title: text(id), Content: p.content(), Append: rapid.Bool().Draw(p.t, "append"),
			IfVersion: draw(p.player, "if", 0, 0, 0, 2),
		}
		if rapid.IntRange(0, 4).Draw(p.t, "locks") == 0 {
			lock := rapid.Bool().Draw(p.t, "lock")
			wish.Lock = &lock
		}
		notice := draw(p.player, "notice", "", "done", strings.Repeat("x", 301))
		must(p.reportAs(t, func(tx *decide.Tx, s *core.State, t *core.Task) {
			_, _ = decide.ShowWindow(tx, s, t, wish)
			_ = decide.ShowNotice(tx, t, "", notice)
		}))
		return
	}
}

func (p *spectacle) content() *clew.WindowContent {
	more := strings.Repeat("line\n", draw(p.player, "lines", 0, 1, 5000, 13200))
	var rows [][]any
	for i := range draw(p.player, "rows", 0, 1, 150, 201) {
		rows = append(rows, []any{fmt.Sprint("row ", i), float64(i)})
	}
	table := []clew.TableColumn{{Name: "a"}, {Name: "n", Numeric: true}}
	return draw(p.player, "content", nil,
		&clew.WindowContent{Text: more}, &clew.WindowContent{Kind: clew.WindowText, Text: more}, &clew.WindowContent{Kind: clew.WindowHTML, Text: more},
		&clew.WindowContent{Kind: clew.WindowTable, Columns: table, Rows: rows}, &clew.WindowContent{Kind: clew.WindowTable, Rows: rows},
		&clew.WindowContent{Kind: clew.WindowImage, Blob: strings.Repeat("a", 64)},
		&clew.WindowContent{Kind: clew.WindowComponents, Root: &clew.Component{Type: clew.ComponentText, Text: "x"}},
		&clew.WindowContent{Kind: clew.WindowComponents, Root: &clew.Component{Type: "blink"}})
}

// strangerAtWindow records what may stand in a journal that came from elsewhere.
func (p *spectacle) strangerAtWindow(id string) {
	typ := draw(p.player, "type", clew.ActionWindowCreate, clew.ActionWindowUpdate, clew.ActionWindowFocus, clew.ActionNotificationShow, clew.ActionAppQuery)
	var params map[string]any
	_ = json.Unmarshal([]byte(draw(p.player, "params", hostileParams...)), &params)
	name := draw(p.player, "id", id, "../x", "")
	p.inject("ann", "", func(tx *decide.Tx) {
		tx.Add(&clew.ActionsData{AgentID: "x", MonitorID: "monitor-9", Actions: clew.List[clew.Action]{{Type: typ, WindowID: name, ActionID: strings.Repeat("a", 65), Params: params}}})
		tx.Add(&clew.UserInteractedData{MonitorID: "elsewhere", Interactions: clew.List[clew.Interaction]{
			{Kind: "jump", WindowID: id}, {Kind: clew.InteractionMove, WindowID: id, Bounds: &clew.Bounds{W: -1}, Layout: "tiny"}, {Kind: clew.InteractionClose, WindowID: id},
		}})
		tx.Add(&clew.RenderingFailedData{WindowID: id, Error: strings.Repeat("x", 1<<12)})
	})
}

// hostileParams are what no server of ours would write.
var hostileParams = []string{
	`null`, `{}`, `{"title":7}`, `{"content":"text"}`, `{"content":{"kind":"svg","text":"x"}}`, `{"bounds":{"x":0,"y":0,"w":0,"h":5}}`,
	`{"layouts":{"medium":{"x":1e9,"y":0,"w":10,"h":5}}}`, `{"title":"` + strings.Repeat("x", 121) + `"}`,
	`{"content":{"kind":"html","text":"` + strings.Repeat("x", core.WindowTextMax+1) + `"}}`,
	`{"content":{"kind":"table","rows":[[1]]}}`, `{"content":{"kind":"table","columns":[{"name":"a"}],"rows":[[{"a":[1]}]]}}`,
	`{"content":{"kind":"table","columns":[{"name":"a"}],"rows":[` + strings.Repeat("[1],", core.TableRowsMax) + `[1]]}}`,
	`{"content":{"kind":"text","text":"","columns":[{"name":"a"}],"rows":[["` + strings.Repeat("x", core.WindowTextMax) + `"]]}}`,
	`{"content":{"kind":"text","root":{"type":"` + strings.Repeat("x", core.WindowTextMax) + `"}}}`,
	`{"content":{"kind":"components","root":` + strings.Repeat(`{"type":"stack","children":[`, 300) + strings.Repeat(`]}`, 300) + `}}`,
	`{"content":{"kind":"image","blob":"../../token"}}`, `{"content":{"kind":"image"}}`, `{"content":{"kind":"components"}}`,
	`{"content":{"kind":"text","text":"","alt":"` + strings.Repeat("x", core.WindowTextMax) + `"}}`,
	`{"content":{"kind":"text","text":"","media_type":"` + strings.Repeat("x", core.WindowTextMax) + `"}}`,
	`{"content":{"kind":"text","text":"","bytes":-1}}`, `{"content":{"kind":"text","text":"","total":-1}}`,
	`{"locked_by":"` + strings.Repeat("x", 500) + `"}`, `{"append":true,"content":{"kind":"image","blob":"` + strings.Repeat("a", 64) + `"}}`,
	`{"notice_id":"../x","text":"x"}`, `{"notice_id":"n","text":""}`, `{"notice_id":"n","text":"` + strings.Repeat("x", 301) + `"}`, `{"notice_id":7}`,
}

// What a stranger's record says changes nothing, if it is no window or notice, or too
// much.
func TestHostileWindows(t *testing.T) {
	s := &core.State{}
	apply := func(typ clew.ActionType, id, params string) {
		var p map[string]any
		if err := json.Unmarshal([]byte(params), &p); err != nil {
			t.Fatal(err)
		}
		core.ApplyActions(s, &clew.ActionsData{Actions: clew.List[clew.Action]{{Type: typ, WindowID: id, Params: p}}})
	}
	apply(clew.ActionWindowCreate, "a", `{"title":"A","content":{"kind":"markdown","text":"x"}}`)
	before, _ := json.Marshal(s)
	for _, bad := range hostileParams {
		apply(clew.ActionNotificationShow, "", bad)
		if bad == "null" || bad == "{}" || strings.Contains(bad, `"notice_id"`) {
			continue // a window without anything, which may be
		}
		apply(clew.ActionWindowUpdate, "a", bad)
		if !strings.Contains(bad, `"append"`) { // which counts where there is something
			apply(clew.ActionWindowCreate, "b", bad)
		}
		if after, _ := json.Marshal(s); string(after) != string(before) {
			t.Fatalf("%.80s made %.300s", bad, after)
		}
	}
}

// A record that was made before there were layouts counts for wide screens.
func TestOldBoundsAreWide(t *testing.T) {
	s := &core.State{}
	core.ApplyActions(s, &clew.ActionsData{Actions: clew.List[clew.Action]{
		{Type: clew.ActionWindowCreate, WindowID: "a", Params: map[string]any{"title": "A", "content": map[string]any{"kind": "html", "text": "x"}}},
		{Type: clew.ActionWindowUpdate, WindowID: "a", Params: map[string]any{"bounds": map[string]any{"x": 1.0, "y": 2.0, "w": 3.0, "h": 4.0}}},
	}})
	if w := s.Window("a"); w.Layouts.Wide == nil || *w.Layouts.Wide != (clew.Bounds{X: 1, Y: 2, W: 3, H: 4}) || w.Layouts.Medium != nil || w.Version != 1 {
		t.Errorf("it is %+v", w)
	}
}

// desktopOf is all of the state that is about windows.
func desktopOf(s *core.State) string {
	b, _ := json.Marshal(&core.State{Windows: s.Windows, FocusedWindow: s.FocusedWindow, Notices: s.Notices})
	return string(b)
}

// Whatever is done to windows: a fold of any part of the journal is what the session was
// then, a rewind and an undo take windows exactly to what they were, and the state stays
// small.
//
// Covers: WIN-05, WIN-19
func TestWindowsFromAnyPrefix(t *testing.T) {
	opened, returned := 0, 0
	nightly.Check(t, func(t *rapid.T) {
		p := newSpectacle(t)
		p.message()
		then := map[uint64]string{}
		note := func() { then[p.s.state.Seq] = desktopOf(p.s.state) }
		note()
		for range 40 {
			if rapid.IntRange(0, 5).Draw(t, "goes back") == 0 {
				at := p.s.state.LastRewindSeq
				p.travel()
				if s := p.s.state; s.LastRewindSeq != at {
					returned++
					p.cameBack(then)
				}
			} else {
				draw(p.player, "step", p.windows, p.windows, p.windows, func() { p.message() }, func() { p.agent() })()
			}
			note()
			opened += len(p.s.state.Windows)
			boundedWindows(t, p.s.state)
		}
		for n := 1; n < len(p.records); n += 1 + len(p.records)/10 {
			p.sameFrom(uint64(n))
		}
	})
	if opened == 0 || returned == 0 {
		t.Errorf("%d windows, %d returns", opened, returned)
	}
}

// cameBack holds the windows after a return against those that were there then, where
// the moment was looked at.
func (p *spectacle) cameBack(then map[uint64]string) {
	p.t.Helper()
	ok := false
	var to uint64
	for i := len(p.records) - 1; i >= 0 && !ok; i-- {
		switch d := p.decoded(p.records[i]).(type) {
		case *clew.HistoryRewoundData:
			to, _ = d.To.Seq()
			ok = true
		case *clew.RewindUndoneData:
			to, _ = d.To.Seq()
			ok = true
		}
	}
	if want, seen := then[to]; seen && desktopOf(p.s.state) != want {
		p.t.Fatalf("back at %d there are\n%s\nthere were\n%s", to, desktopOf(p.s.state), want)
	}
}

// sameFrom takes the session up from a snapshot of a moment.
func (p *spectacle) sameFrom(n uint64) {
	p.t.Helper()
	snapshot, err := p.fresh(n)
	if err != nil {
		p.t.Fatalf("fold: %v", err)
	}
	s, err := core.Restore("s", core.Loaded{State: snapshot, StateSeq: n, Tail: p.records[n:]}, p.fresh)
	if err != nil {
		p.t.Fatalf("restore: %v", err)
	}
	if got, want := desktopOf(s), desktopOf(p.s.state); got != want {
		p.t.Fatalf("from record %d:\n%s\nlive:\n%s", n, got, want)
	}
}

func boundedWindows(t tester, s *core.State) {
	t.Helper()
	size := 0
	for _, w := range s.Windows {
		size += w.Size
	}
	if n := len(desktopOf(s)); len(s.Windows) > core.WindowsMax || len(s.Notices) > core.NoticesMax || size > 256<<10 || n > 300<<10 {
		t.Fatalf("%d windows of %d bytes, %d notices, %d bytes in all", len(s.Windows), size, len(s.Notices), n)
	}
}

// Another agent does not change what is locked, unless the one that locked it is gone;
// people close it all the same.
func TestLockedWindow(t *testing.T) {
	b := newBench()
	b.atWork()
	lock := true
	must0 := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must0(b.show(t, decide.WindowWish{Type: clew.ActionWindowCreate, ID: "a", Title: text("A"), Content: &clew.WindowContent{Text: "x"}, Lock: &lock}))
	as := func(agent clew.AgentID, wish decide.WindowWish) error {
		var err error
		b.inject("ann", "", func(tx *decide.Tx) {
			other := *b.task()
			other.AgentID, other.MonitorID = agent, "monitor-2"
			_, err = decide.ShowWindow(tx, b.s.state, &other, wish)
		})
		return err
	}
	for _, typ := range []clew.ActionType{clew.ActionWindowUpdate, clew.ActionWindowClose} {
		if err := as("task-other", decide.WindowWish{Type: typ, ID: "a", Title: text("B")}); err == nil || !strings.Contains(err.Error(), "locked by main-monitor-0") {
			t.Errorf("%s: %v", typ, err)
		}
	}
	must0(as("task-gone", decide.WindowWish{Type: clew.ActionWindowCreate, ID: "b", Title: text("B"), Content: &clew.WindowContent{Text: "x"}, Lock: &lock}))
	if w := b.s.state.Window("b"); w.MonitorID != "monitor-2" || w.LockedBy != "task-gone" {
		t.Errorf("the other's window is %+v", w)
	}
	must0(b.show(t, decide.WindowWish{Type: clew.ActionWindowUpdate, ID: "b", Title: text("C")}))
	must(b.ann(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: "a"}}}))
	if got := windowIDs(b.s.state); len(got) != 1 {
		t.Errorf("open %v", got)
	}
	b.verify(t)
}

// What is appended beyond the limit drops the oldest: whole lines and rows.
func TestAppendDropsTheOldest(t *testing.T) {
	b := newBench()
	b.atWork()
	for i := range 20 {
		more := strings.Repeat(fmt.Sprintf("line %05d\n", i), 500)
		typ := clew.ActionWindowUpdate
		if i == 0 {
			typ = clew.ActionWindowCreate
		}
		if err := b.show(t, decide.WindowWish{Type: typ, ID: "log", Title: text("L"), Append: true, Content: &clew.WindowContent{Kind: clew.WindowText, Text: more}}); err != nil {
			t.Fatal(err)
		}
		var rows [][]any
		for j := range 30 {
			rows = append(rows, []any{float64(30*i + j)})
		}
		if err := b.show(t, decide.WindowWish{Type: typ, ID: "rows", Title: text("R"), Append: true, Content: &clew.WindowContent{Kind: clew.WindowTable, Columns: []clew.TableColumn{{Name: "n"}}[:1-min(i, 1)], Rows: rows}}); err != nil {
			t.Fatal(err)
		}
	}
	log, rows := b.s.state.Window("log").Content.Text, b.s.state.Window("rows").Content
	if len(log) > core.WindowTextMax || len(log) < core.WindowTextMax-20 || !strings.HasPrefix(log, "line 000") || !strings.HasSuffix(log, "line 00019\n") {
		t.Errorf("the log has %d bytes, from %q", len(log), log[:20])
	}
	if n := len(rows.Rows); n != core.TableRowsMax || rows.Rows[0][0] != 400.0 || rows.Rows[n-1][0] != 599.0 || rows.Total != 600 {
		t.Errorf("%d rows of %d, from %v", n, rows.Total, rows.Rows[0])
	}
	b.verify(t)
}
