package agent_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/settings"
)

// several are profiles of three models, for tests that look at which one is called.
func several(more map[string]any) map[string]any {
	return allowed(map[string]any{"model_profiles": map[string]any{
		"p":     profiles["p"],
		"cheap": map[string]any{"provider": "openai", "model": "m-small"},
		"steps": map[string]any{"provider": "openai", "model": "m-steps"},
	}}, more)
}

// models lists the models that were called, in order.
func (m *model) models() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var names []string
	for _, r := range m.requests {
		names = append(names, r.Model)
	}
	return names
}

// A subtask is worked on by the model that model_subtasks names, its parent by the
// session's. Empty, both use the session's.
func TestModelOfSubtasks(t *testing.T) {
	for _, c := range []struct{ set, want string }{{"steps", "m-1 m-steps m-1"}, {"", "m-1 m-1 m-1"}, {"gone", "m-1 m-1 m-1"}} {
		run(t, several(map[string]any{"model_subtasks": c.set}), func(w *world) {
			w.say("the whole")
			w.idle()
			if got := strings.Join(w.model.models(), " "); got != c.want {
				t.Errorf("model_subtasks %q: called %s, want %s", c.set, got, c.want)
			}
		}, calls(call("s1", "new_task", `{"message":"a part"}`)), completes("done"), says("All done."))
	}
}

// The mode of a subtask knows best which model it needs.
func TestModeBeforeModelOfSubtasks(t *testing.T) {
	set := several(map[string]any{"model_subtasks": "steps", "custom_modes": []any{map[string]any{
		"slug": "code", "name": "Code", "prompt": "p", "groups": []any{"control"}, "model_profile": "cheap",
	}}})
	run(t, set, func(w *world) {
		w.say("the whole")
		w.idle()
		if got := w.model.models(); !slices.Equal(got, []string{"m-small", "m-small", "m-small"}) {
			t.Errorf("called %v", got)
		}
	}, calls(call("s1", "new_task", `{"message":"a part"}`)), completes("done"), says("All done."))
}

// The steps of a run are subtasks; its plan is the session's own work.
func TestModelOfARunsSteps(t *testing.T) {
	c := &cast{todo: only("a", says("It is five."))}
	plays(t, several(map[string]any{"model_subtasks": "steps"}), c, func(w *world) {
		w.approve()
		w.in("completed")
		for who, want := range map[string]string{"plan": "m-1", "todo a": "m-steps"} {
			for _, req := range c.of(who) {
				if req.Model != want {
					t.Errorf("%s was asked of %s", who, req.Model)
				}
			}
			if len(c.of(who)) == 0 {
				t.Errorf("nobody asked for %s", who)
			}
		}
	})
}

// A commit message is a small job.
func TestModelOfCommitMessages(t *testing.T) {
	for _, c := range []struct{ small, want string }{{"cheap", "m-small"}, {"", "m-1"}, {"gone", "m-1"}} {
		run(t, several(map[string]any{"model_small": c.small}), func(w *world) {
			var mu sync.Mutex
			var used []string
			w.provider = func(p settings.Profile) (llm.Provider, error) {
				mu.Lock()
				defer mu.Unlock()
				used = append(used, p.Model)
				return w.model, nil
			}
			text, _, err := w.agent.CommitMessage(w.Context(), nil, 0, "+two")
			if err != nil || text != "Say two" || !slices.Equal(used, []string{c.want}) || w.model.last().Model != c.want {
				t.Errorf("%q of %v: %v", text, used, err)
			}
		}, says("Say two"))
	}
}
