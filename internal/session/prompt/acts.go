package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// Acts is what an agent showed in a turn, in order.
type Acts struct {
	List []clew.Action `json:"list,omitempty"`
	Size int           `json:"size,omitempty"` // bytes
	// Cut says that it was too much: what of it is here can be told, not done again.
	Cut bool `json:"cut,omitempty"`
}

// What is kept of a turn.
const (
	actsMax     = 100
	actsSize    = 16 << 10 // bytes
	sentenceMax = 10
	answerRunes = 300
)

// IsZero reports whether there is nothing to write.
func (a Acts) IsZero() bool { return len(a.List) == 0 && !a.Cut }

// With adds more of it.
func (a Acts) With(more []clew.Action) Acts {
	a.List = slices.Clip(a.List)
	for _, m := range more {
		if !shows(m.Type) {
			continue
		}
		b, err := json.Marshal(m)
		if a.Size += len(b); err != nil || a.Size > actsSize || len(a.List) >= actsMax {
			a.Cut = true
		}
		if len(a.List) < actsMax {
			a.List = append(a.List, m)
		}
	}
	if a.Cut {
		a.List = slices.Clone(a.List)
		for i := range a.List {
			a.List[i].Params = nil
		}
	}
	return a
}

// shows reports whether an action shows people something. What it tells apps to do is
// not among it.
func shows(t clew.ActionType) bool { return did[t] != "" }

var did = map[clew.ActionType]string{
	clew.ActionWindowCreate:     "Opened window %s.",
	clew.ActionWindowUpdate:     "Changed window %s.",
	clew.ActionWindowClose:      "Closed window %s.",
	clew.ActionWindowFocus:      "Brought window %s to the front.",
	clew.ActionNotificationShow: "Showed a notice.",
}

// Sentences tells what was done, each thing once.
func (a Acts) Sentences() string {
	var list []string
	for _, x := range a.List {
		text := did[x.Type]
		if strings.Contains(text, "%s") {
			text = fmt.Sprintf(text, x.WindowID)
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if n := len(list) - sentenceMax; n > 0 {
		list = append(list[:sentenceMax:sentenceMax], fmt.Sprintf("And %d more.", n))
	}
	return strings.Join(list, " ")
}

// Did tells what an agent did and answered in a turn. why is why it has no answer, ""
// if it has one.
func (a Acts) Did(answer, why string) string {
	var list []string
	for _, s := range []string{a.Sentences(), why, clew.Clip(strings.TrimSpace(answer), answerRunes)} {
		if s != "" {
			list = append(list, s)
		}
	}
	return strings.Join(list, " ")
}
