package proc

import (
	"fmt"
	"testing"
)

// heard is a test that only listens.
type heard struct {
	testing.TB
	said string
}

func (h *heard) Helper()          {}
func (h *heard) Skip(args ...any) { h.said += "skipped: " + fmt.Sprint(args...) }
func (h *heard) Fatalf(form string, x ...any) {
	h.said += "failed: " + fmt.Sprintf(form, x...)
	panic(h)
}

// What a test needs may be missing, but not where everything must be there: a suite that
// skips its screens is not one that passes.
func TestMissing(t *testing.T) {
	for value, want := range map[string]string{
		"":         "skipped: tmux is not here",
		"required": "failed: tmux is not here, and CLEW_TEST_TOOLCHAINS requires it",
	} {
		t.Setenv("CLEW_TEST_TOOLCHAINS", value)
		h := &heard{}
		func() {
			defer func() { _ = recover() }()
			Missing(h, "tmux is not here")
		}()
		if h.said != want {
			t.Errorf("%q: %s", value, h.said)
		}
	}
}
