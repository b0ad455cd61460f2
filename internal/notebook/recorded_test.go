package notebook

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/notebook/kernel"
)

// A transcript is what a server put on record of a run.
type transcript struct{ messages []clew.Message }

// keep puts on record what is due, as execution.flush does, and the first n batches only if
// the server dies then.
func (tr *transcript) keep(o *outputs, all bool, batches int) {
	for range batches {
		b := o.due(time.Hour, all)
		if len(b.created)+len(b.updated) == 0 {
			return
		}
		for _, it := range b.updated {
			it.dirty = false
			for i, m := range tr.messages {
				if m.MessageID == it.m.MessageID {
					tr.messages[i] = it.m
				}
			}
		}
		for _, it := range b.created {
			it.m.MessageID = clew.MessageIDOf(uint64(len(tr.messages) + 1))
			it.dirty = false
			tr.messages = append(tr.messages, it.m)
		}
	}
}

// seen is what a person sees in the end: what was cleared is not.
func (tr *transcript) seen() string {
	var b strings.Builder
	for _, m := range tr.messages {
		if !m.Cell.Cleared {
			fmt.Fprintf(&b, "%s %v %q partial=%v\n", m.Cell.Output, m.Metadata["stream"], m.Text, m.Partial)
		}
	}
	return b.String()
}

func newOutputs(t *rapid.T, whole bool) *outputs {
	return &outputs{
		displays: map[string]*item{}, spool: spool{dir: "/nonexistent"}, whole: whole,
		put: func(context.Context, []byte) (string, error) { t.Fatal("nothing is so large"); return "", nil },
	}
}

var someOutput = rapid.Custom(func(t *rapid.T) kernel.Message {
	text := rapid.SampledFrom([]string{".", ".", "a", "line\n", "other\n"}).Draw(t, "text")
	id := rapid.SampledFrom([]string{"", "", "d1", "d2"}).Draw(t, "display")
	bundle := map[string]any{"data": map[string]any{"text/plain": text}, "transient": map[string]any{"display_id": id}}
	say := func(kind string, content map[string]any) kernel.Message {
		b, _ := json.Marshal(content)
		return kernel.Message{Channel: kernel.IOPub, Type: kind, Content: b}
	}
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0, 1, 2, 3:
		return say("stream", map[string]any{"name": rapid.SampledFrom([]string{"stdout", "stdout", "stderr"}).Draw(t, "name"), "text": text})
	case 4, 5:
		return say("display_data", bundle)
	case 6:
		return say("update_display_data", bundle)
	case 7:
		return say("clear_output", map[string]any{"wait": rapid.Bool().Draw(t, "wait")})
	case 8:
		return say("error", map[string]any{"ename": "E", "evalue": text})
	}
	return say("execute_result", bundle)
})

// A server dies at any point of a run, with any part of it on record, several times. The
// next one replays what the kernel published, and the transcript is that of a server that
// never died: nothing is missing, nothing is there twice.
func TestReplay(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		busy := kernel.Message{Type: "status", Content: json.RawMessage(`{"execution_state":"busy"}`)}
		published := append([]kernel.Message{busy}, rapid.SliceOfN(someOutput, 0, 30).Draw(t, "published")...)
		calm, calmly := newOutputs(t, false), &transcript{}
		for _, m := range published {
			if err := calm.take(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			calmly.keep(calm, false, 99) // so that whatever is cleared was seen
		}
		calm.finish()
		calmly.keep(calm, true, 99)

		o, tr, at := newOutputs(t, false), &transcript{}, 0
		for deaths := rapid.IntRange(1, 3).Draw(t, "deaths"); ; deaths-- {
			end := len(published)
			if deaths > 0 {
				end = rapid.IntRange(at, len(published)).Draw(t, "until")
			}
			for ; at < end; at++ {
				if err := o.take(t.Context(), published[at]); err != nil {
					t.Fatal(err)
				}
				if rapid.Bool().Draw(t, "flush") {
					tr.keep(o, false, 99)
				}
			}
			if deaths == 0 {
				break
			}
			if rapid.Bool().Draw(t, "cut") {
				tr.keep(o, false, 1)
			}
			// More was published meanwhile, perhaps.
			at = rapid.IntRange(at, len(published)).Draw(t, "missed")
			o = newOutputs(t, true)
			for _, m := range published[:at] {
				if err := o.take(t.Context(), m); err != nil {
					t.Fatal(err)
				}
			}
			if !o.match(append([]clew.Message(nil), tr.messages...)) {
				t.Fatalf("no match for\n%s", tr.seen())
			}
			o.whole = false
		}
		o.finish()
		tr.keep(o, true, 99)
		if tr.seen() != calmly.seen() {
			t.Fatalf("it shows\n%s\nand not\n%s", tr.seen(), calmly.seen())
		}
		if got, want := o.spool.early.String(), calm.spool.early.String(); got != want {
			t.Fatalf("kept is\n%s\nand not\n%s", got, want)
		}
		if got, want := o.words.String(), calm.words.String(); got != want {
			t.Fatalf("the agent hears\n%s\nand not\n%s", got, want)
		}
	})
}
