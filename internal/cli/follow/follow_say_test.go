package follow

import (
	"testing"

	"github.com/clew-run/clew"
)

// A bare yes or no is held back where words are not taken as one, also where they
// would let the agent go on: a no would be a yes there.
func TestNotForWords(t *testing.T) {
	resume := &clew.HitlApprovalRequestData{Asking: clew.Asking{WordsEffect: clew.WordsContinue}}
	command := &clew.HitlApprovalRequestData{Asking: clew.Asking{WordsEffect: clew.WordsDeny}}
	for name, c := range map[string]struct {
		asked any
		say   clew.UserMessageData
		held  bool
	}{
		"a no to going on":     {resume, clew.UserMessageData{Text: "No."}, true},
		"a yes to a command":   {command, clew.UserMessageData{Text: "ok"}, true},
		"a yes to a plan":      {&clew.HitlPlanReviewData{Asking: clew.Asking{WordsEffect: clew.WordsChange}}, clew.UserMessageData{Text: "looks good"}, true},
		"words":                {command, clew.UserMessageData{Text: "no, use make"}, false},
		"a picture":            {command, clew.UserMessageData{Text: "ok", Images: []string{"data:"}}, false},
		"a value":              {&clew.HitlInputRequestData{Asking: clew.Asking{WordsEffect: clew.WordsAnswer}}, clew.UserMessageData{Text: "no"}, false},
		"something to clarify": {&clew.HitlClarificationData{Asking: clew.Asking{WordsEffect: clew.WordsAnswer}}, clew.UserMessageData{Text: "yes"}, false},
	} {
		if got := NotForWords([]clew.Question{{Data: c.asked}}, c.say) != nil; got != c.held {
			t.Errorf("%s: held back is %v", name, got)
		}
	}
	if NotForWords(nil, clew.UserMessageData{Text: "yes"}) != nil {
		t.Error("held back without a question")
	}
}
