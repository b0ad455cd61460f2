package story

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/wire"
)

// A server is killed when its model has just been told what happened, and when a window
// was just shown again. Started again it comes to the same end: told once, shown once.
//
// Covers: CTX-09, TOOL-07, C-46
func TestKillWhileItIsToldAndShown(t *testing.T) {
	bin := proc.Program(t, "crashpoints")
	for _, at := range []string{"", "timeline.heard:1", "reload.replayed:1"} {
		t.Run("at "+at, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), killWithin)
			defer cancel()
			s := newStage(t, plot{bin: bin, vendor: llmtest.Anthropic, script: "hearing.yaml", files: map[string]string{"list.txt": "apples\n"}, settings: map[string]any{"model_crash_retry": "auto"}})
			env := []string{}
			if at != "" {
				env = []string{crashAt + at}
			}
			proc.Must(t, s.Srv.Start(env...))
			proc.Must(t, s.Create(ctx))
			s.says(ctx, "one", "Show it", "It is open.")
			proc.Must(t, s.Command(ctx, "close", clew.CommandUserInteraction, clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: "notes"}}}))
			if at == "" {
				s.says(ctx, "two", "show  it", "It is open again.")
			} else {
				_ = s.Command(ctx, "two", clew.CommandUserMessage, clew.UserMessageData{Text: "show  it"}) // it may die before it answers
				select {
				case <-s.Srv.Exited():
				case <-ctx.Done():
					t.Fatal("the server did not die")
				}
				proc.Must(t, s.Srv.Start())
				s.says(ctx, "two", "show  it", "It is open again.") // a repeat of what was taken
			}
			list, state := s.replayed()
			told, shown := 0, 0
			for _, r := range list {
				switch d := r.Event.Data.(type) {
				case *clew.ModelMessageData:
					for _, p := range d.Message.Content {
						told += strings.Count(p.Text, "<ui:close>notes</ui:close>")
					}
				case *clew.ActionsData:
					if d.ReloadID != "" {
						shown++
					}
				}
			}
			if told != 1 || shown != 1 || len(state.Windows) != 1 || state.Windows[0].WindowID != "notes" {
				t.Errorf("told %d times, shown %d times, windows %+v", told, shown, state.Windows)
			}
		})
	}
}

// says has a person say something and waits for the answer.
func (s *stage) says(ctx context.Context, name, text, answer string) {
	s.T.Helper()
	proc.Must(s.T, s.Command(ctx, name, clew.CommandUserMessage, clew.UserMessageData{Text: text}))
	answered := false
	proc.Must(s.T, s.await(ctx, func(env wire.Envelope) bool {
		var d struct {
			Message clew.Message `json:"message"`
		}
		if env.Type == string(clew.EventMessageUpdated) && json.Unmarshal(env.Data, &d) == nil {
			answered = answered || d.Message.Text == answer && !d.Message.Partial
		}
		return answered && env.Type == string(clew.EventTaskIdle)
	}))
}
