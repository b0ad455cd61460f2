package follow

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
)

// rawInput is what a tool would be called with, as a question carries it.
func rawInput(fields map[string]any) json.RawMessage {
	b, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return b
}

// Whatever a tool would be called with is shown before a yes, however long it is
// and whatever its summary says.
func TestQuestionShowsAll(t *testing.T) {
	lines := ""
	for i := range 200 {
		lines += fmt.Sprintf("line %d\n", i)
	}
	for name, d := range map[string]clew.HitlApprovalRequestData{
		"a tool server": {
			Tool: "mail__send", Input: rawInput(map[string]any{"to": "a@b.c", "text": strings.Repeat("word ", 900) + "THE-END", "more": lines + "THE-LAST"}),
			Effect: &clew.Effect{Server: "mail", Summary: "mail: send {\"more\":…"},
		},
		"a command": {Tool: "execute_command", Input: rawInput(map[string]any{"command": lines + "THE-END\nTHE-LAST"}), Effect: &clew.Effect{Command: lines + "THE-END\nTHE-LAST"}},
		"a change":  {Tool: "write_file", Input: rawInput(map[string]any{"content": "x"}), Effect: &clew.Effect{Summary: "Create a", Diff: lines + "+THE-END\n+THE-LAST\n"}},
		"a change that the server cut": {
			Tool: "write_file", Input: rawInput(map[string]any{"content": lines + "THE-END\nTHE-LAST\n"}), Effect: &clew.Effect{Summary: "Create a", Diff: "+line\n", DiffCut: true},
		},
	} {
		for _, width := range []int{0, 40, 100} {
			var out strings.Builder
			s := &Screen{w: &out, width: width}
			q := approvalOf(d)
			if s.Question(q, time.Now(), "? shows it") || !strings.Contains(out.String(), "there is more") || strings.Contains(out.String(), "THE-LAST") {
				t.Errorf("%s at %d is not folded:\n%s", name, width, out.String())
			}
			out.Reset()
			if !s.Question(q, time.Now(), "") || !strings.Contains(joined(out.String()), "THE-END") || !strings.Contains(out.String(), "THE-LAST") {
				t.Errorf("%s at %d is not shown:\n%s", name, width, out.String())
			}
		}
	}
}

var lineGoesOn = regexp.MustCompile(`\n +` + goesOn)

// joined is what was shown, with the lines put together that did not fit.
func joined(shown string) string { return lineGoesOn.ReplaceAllString(shown, "") }

// What hides in an input is spelled out, and no text can pass for another field.
func TestQuestionDeceivesNobody(t *testing.T) {
	var out strings.Builder
	s := &Screen{w: &out}
	all := s.Question(approvalOf(clew.HitlApprovalRequestData{
		Tool: "t", Effect: &clew.Effect{Server: "s\x1b[2J"},
		Input: rawInput(map[string]any{"path": "a\u00adb\u202ec", "text": "fine\n      other: true\n\x1b[2J", "x\u00a0y": 1.0}),
	}), time.Now(), "? shows it")
	want := "  ◇ Allow t?\n" +
		"      path: \"a⟨00AD⟩b⟨202E⟩c\"\n" +
		"      text:\n      │ fine\n      │       other: true\n      │ ␛[2J\n" +
		"      \"x⟨00A0⟩y\": 1\n" +
		"    server    s␛[2J\n"
	if !all || out.String() != want {
		t.Errorf("%v:\n%s\nwant\n%s", all, out.String(), want)
	}
}

// Where a line of what is asked does not fit, nothing of it is lost: put together
// again it is the same, and a newline is told from a line that goes on.
func TestQuestionIsExactWhereItWraps(t *testing.T) {
	const command = "rm -rf  'a directory  with   spaces' /tmp/a-very-long-name-without-any-break  \n↳ x한국어 문장이 길어지면 줄을 나눈다"
	for _, width := range []int{24, 25, 33, 40, 80, 100} {
		for name, show := range map[string]func(*Screen){
			"a command":   func(s *Screen) { s.part(ask.Part{Kind: ask.Command, Text: command}) },
			"a change":    func(s *Screen) { s.diff(command, "      ") },
			"a directory": func(s *Screen) { s.exactFact("in", strings.ReplaceAll(command, "\n", "")) },
		} {
			var out strings.Builder
			show(&Screen{w: &out, width: width})
			for line := range strings.SplitSeq(out.String(), "\n") {
				if term.Width(line) > width {
					t.Errorf("%s at %d is too wide: %q", name, width, line)
				}
			}
			text := strings.TrimSuffix(joined(out.String()), "\n")
			want := "      " + strings.ReplaceAll(command, "\n↳", "\n      ⟨21B3⟩")
			if name == "a directory" {
				want = "    in        " + strings.ReplaceAll(command, "\n", "")
			}
			if text != want {
				t.Errorf("%s at %d:\n%q, want\n%q", name, width, text, want)
			}
		}
	}
}
