package follow

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
)

// AnswerWords is a command that answers a question, for a person to change.
func AnswerWords(q clew.Question) []string {
	word := "yes"
	if ask.Options(q) == nil {
		word = "…"
		if labels, _ := client.Choices(q); len(labels) > 0 {
			word = "1"
		}
	}
	return []string{"answer", string(q.RequestID()), word}
}
