package follow

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// Whoever comes in the middle of a story is told that it has a beginning, and where
// that is shown.
func TestPastSaysWhatIsBefore(t *testing.T) {
	var messages []clew.Message
	for i := range pastShown + 5 {
		messages = append(messages, clew.Message{
			MessageID: clew.MessageIDOf(uint64(i + 1)), Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: fmt.Sprintf("word %d", i),
		})
	}
	tell := func(list []clew.Message) string {
		var out bytes.Buffer
		newStory(NewScreen((&env.App{}), &out), false, "").past(list, "clew show s1")
		return out.String()
	}
	text := tell(messages)
	if !strings.HasPrefix(text, "… there is more before this: clew show s1\n") || strings.Contains(text, "word 4\n") || !strings.Contains(text, "> word 5\n") {
		t.Errorf("%s", text)
	}
	if text := tell(messages[:pastShown]); strings.Contains(text, "more before") || !strings.Contains(text, "> word 0\n") {
		t.Errorf("all of it: %s", text)
	}
}
