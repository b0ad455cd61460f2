package agent

import (
	"encoding/json"
	"testing"

	"github.com/clew-run/clew/internal/session/core"
)

// What hides text is written out, and a call shown as JSON stays the same call.
func TestVisible(t *testing.T) {
	const sneaky = "a\x1b[2K\u202eb\u2028c\U000e0041d\u009b\n\té\u200d"
	if got, want := visible(sneaky), "a\\u001b[2K\\u202eb\\u2028c\\udb40\\udc41d\\u009b\n\té\u200d"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	input, err := json.Marshal(map[string]string{"command": sneaky})
	if err != nil {
		t.Fatal(err)
	}
	var shown struct{ Input struct{ Command string } }
	if err := json.Unmarshal([]byte(callText(core.Call{Tool: "x", Input: input})), &shown); err != nil || shown.Input.Command != sneaky {
		t.Errorf("it became %q: %v", shown.Input.Command, err)
	}
}
