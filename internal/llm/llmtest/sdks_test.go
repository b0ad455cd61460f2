//go:build sdks

package llmtest

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// The vendors' own SDKs for Python find a vendor behind every wire, so that not both
// ends of a wire are ours: text, thinking, a call and its result, an image, a refusal
// and a cut stream. `make test-sdks` runs it.
func TestVendorsSDKs(t *testing.T) {
	const script = `
- when: {last_user: limit}
  times: 0
  reply: [{status: 429, retry_after: 2s}]
- when: {last_user: cut}
  times: 0
  reply: [{text: half an answer}, {cut: true}]
- when: {turn: 1, has_tool: read_file}
  reply:
  - thinking: Look first.
  - text: I read it.
  - tool: {name: read_file, id: c1, input: {path: a.txt}}
- when: {tool_result: {id: c1, contains: hello}}
  reply: [{text: 'It says: {{tool_result "c1"}}'}]
`
	const want = `{"thinking": "Look first.", "text": "I read it.", "tool": "read_file", "input": {"path": "a.txt"}, "last": "It says: hello", `
	for _, vendor := range Vendors() {
		t.Run(string(vendor), func(t *testing.T) {
			s := start(t, script, Options{})
			cmd := exec.CommandContext(t.Context(), "../../../tools/vendor-sdks", "testdata/sdks.py", string(vendor), s.URL())
			var errors strings.Builder
			cmd.Stderr = &errors
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &errors)
			}
			var saw struct{ Limit, Cut []any }
			if err := json.Unmarshal(out, &saw); err != nil || !strings.HasPrefix(string(out), want) {
				t.Fatalf("got %s, want %s… %v", out, want, err)
			}
			if len(saw.Limit) != 2 || saw.Limit[1] != 429.0 || len(saw.Cut) != 2 {
				t.Errorf("failures %s", out)
			}
			t.Logf("limit %v, cut %v", saw.Limit, saw.Cut)
			if un := s.Unmatched(); len(un) != 0 {
				t.Errorf("unmatched: %s", un[0].Problem)
			}
			if got := fmt.Sprint(s.Requests()[0].Messages); !strings.Contains(got, pixel) {
				t.Errorf("no image in %s", got)
			}
		})
	}
}
