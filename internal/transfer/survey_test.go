package transfer

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
)

// What is visible is what the session's own fold says is not hidden, whatever
// way a session was taken back and forth; and the model history of the export is
// the one that a model would be sent, with the hidden ones beside.
//
// Covers: HIS-01
func TestViewsAgreeWithTheSession(t *testing.T) {
	dir := t.TempDir()
	nightly.Check(t, func(t *rapid.T) {
		b := &book{head: clew.Head{TS: 1000}, states: map[uint64][]byte{}, state: &core.State{ID: "s"}}
		b.add(t, &clew.SessionCreatedData{Owner: "ada"})
		ref := clew.TaskRef{TaskID: "t", RootTaskID: "t"}
		b.add(t, &clew.TaskCreatedData{TaskRef: ref, Task: "x"})
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				b.add(t, &clew.ModelMessageData{TaskID: "t", Message: spoke(clew.SpeakerUser, fmt.Sprint("u", i))})
			case 2:
				b.add(t, &clew.ModelMessageData{TaskID: "t", Message: spoke(clew.SpeakerAssistant, fmt.Sprint("a", i))})
			case 3:
				m := spoke(clew.SpeakerAssistant, "")
				m.Content = clew.List[clew.Part]{{Type: clew.PartToolUse, ToolCallID: "c1", Tool: "x"}, {Type: clew.PartToolUse, ToolCallID: "c2", Tool: "x"}}
				b.add(t, &clew.ModelMessageData{TaskID: "t", Message: m})
				b.add(t, &clew.ToolProgressData{TaskID: "t", ToolCallID: "c2", Tool: "x", Status: clew.ToolComplete, Output: fmt.Sprint(i)})
				if rapid.Bool().Draw(t, "idle") {
					b.add(t, &clew.TaskIdleData{TaskRef: ref})
				} else {
					b.add(t, &clew.ToolProgressData{TaskID: "t", ToolCallID: "c1", Tool: "x", Status: clew.ToolError, Error: "no"})
				}
			case 4, 5:
				to := rapid.Uint64Range(1, b.head.Seq).Draw(t, "to")
				b.add(t, &clew.HistoryRewoundData{Return: clew.Return{To: clew.MessageIDOf(to)}})
			}
		}
		s := newSurvey("s")
		sp, err := newSpool(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer sp.close()
		ms := &modelHistories{spool: sp, tasks: map[clew.TaskID]*modelHistory{}}
		for _, r := range b.records {
			if err := s.add(r); err != nil {
				t.Fatal(err)
			}
		}
		s.hidden = hiddenSpans(s.jumps, b.head.Seq)
		for _, r := range b.records {
			if s.visible(r.Seq) == b.state.Hidden(r.Seq) {
				t.Fatalf("record %d of %v: visible %v", r.Seq, b.state.Removed, s.visible(r.Seq))
			}
			ev, err := clew.DecodeEvent(r.Type, r.Data())
			if err == nil && s.visible(r.Seq) {
				err = ms.add(r, ev.Data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		var mine []string
		if known := ms.tasks["t"]; known != nil {
			for _, h := range known.sent {
				m, err := ms.read(h)
				if err != nil {
					t.Fatal(err)
				}
				mine = append(mine, spelled(t, m))
			}
		}
		var theirs []string
		if task := b.state.Task("t"); task != nil {
			for _, m := range task.History {
				theirs = append(theirs, spelled(t, m))
			}
		}
		if !slices.Equal(mine, theirs) {
			t.Fatalf("model history\n%q\nwant\n%q", mine, theirs)
		}
	})
}

func spoke(role clew.Speaker, text string) clew.ModelMessage {
	return clew.ModelMessage{Role: role, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: text}}}
}

func spelled(t *rapid.T, m clew.ModelMessage) string {
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A book is a session and its own fold.
type book struct {
	head    clew.Head
	records []clew.Record
	state   *core.State
	states  map[uint64][]byte
}

func (b *book) add(t *rapid.T, data any) {
	raw, err := clew.MarshalData(data)
	if err != nil {
		t.Fatal(err)
	}
	r := b.head.Next("s", 1, 0, "ada", clew.NewEvent(data).Type, raw)
	f := core.Folder{State: b.state, Past: func(seq uint64) ([]byte, error) { return b.states[seq], nil }}
	if err := f.Add(r); err != nil {
		t.Fatal(err)
	}
	b.state = f.State
	if b.states[r.Seq], err = b.state.Encode(); err != nil {
		t.Fatal(err)
	}
	b.head, b.records = r.After(), append(b.records, r)
}
