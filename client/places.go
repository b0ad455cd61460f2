package client

import (
	"context"
	"net/http"

	"github.com/clew-run/clew"
)

// PlaceKind says what lies behind a place.
type PlaceKind string

// The kinds of places. A question that is answered is one by its answer: whoever
// goes back to before that finds the question open again.
const (
	PlaceSaid     PlaceKind = "user"     // a person said something
	PlaceAnswer   PlaceKind = "answer"   // a question was answered, or nobody did in time
	PlaceQuestion PlaceKind = "question" // an agent asked, and it is open still
)

// A Place is where a person would take a session back to: to before what they said
// or answered. MessageID names it for rewind and fork.
type Place struct {
	MessageID clew.MessageID `json:"message_id"`
	TS        int64          `json:"ts"`
	Kind      PlaceKind      `json:"kind"`
	Text      string         `json:"text"` // a line
	RequestID clew.RequestID `json:"request_id,omitempty"`
}

// A mark is one of a session's timeline.
type mark struct {
	MessageID clew.MessageID `json:"message_id"`
	TS        int64          `json:"ts"`
	Kind      PlaceKind      `json:"kind"`
	Label     string         `json:"label"`
	What      string         `json:"what"`
	Words     string         `json:"words"`
	Subject   string         `json:"subject"`
	ByTimeout bool           `json:"by_timeout"`
	RequestID clew.RequestID `json:"request_id"`
	Target    bool           `json:"target"`
}

// Places gives the places that people would take a session back to, the oldest
// first. Every message is one that they can name; these are those they look for.
func (a *API) Places(ctx context.Context, session clew.SessionID) ([]Place, error) {
	var line struct {
		Marks []mark `json:"marks"`
	}
	if err := a.call(ctx, http.MethodGet, sessionPath(session)+"/timeline", nil, nil, &line); err != nil {
		return nil, err
	}
	return placesOf(line.Marks), nil
}

// choices are the answers by a button, in words.
var choices = map[string]string{
	string(clew.ChoiceApprove): "yes", string(clew.ChoiceReject): "no", string(clew.ChoiceSkip): "skipped", string(clew.ChoiceModify): "changes",
}

// answer is an answer in a line: what was chosen or said, and to what.
func (m mark) answer() string {
	text, chosen := choices[m.What]
	switch {
	case chosen && m.Words != "":
		text += ": " + m.Words
	case !chosen && m.Words != "":
		text = m.Words
	case !chosen:
		text = m.Label
	}
	if m.ByTimeout {
		text = "nobody answered in time: " + text
	}
	if m.Subject != "" {
		text += " · " + m.Subject
	}
	return text
}

func placesOf(marks []mark) []Place {
	settled, worded := map[clew.RequestID]bool{}, map[clew.RequestID]bool{}
	for _, m := range marks {
		switch {
		case m.RequestID == "":
		case m.Kind == PlaceAnswer:
			settled[m.RequestID] = true
		case m.Kind == PlaceSaid:
			worded[m.RequestID] = true
		}
	}
	list := []Place{}
	for _, m := range marks {
		p := Place{MessageID: m.MessageID, TS: m.TS, Kind: m.Kind, Text: m.Label, RequestID: m.RequestID}
		switch {
		case !m.Target:
			continue
		case m.Kind == PlaceAnswer && worded[m.RequestID]: // the words are the place
			continue
		case m.Kind == PlaceAnswer:
			p.Text = m.answer()
		case m.Kind == PlaceQuestion && settled[m.RequestID]:
			continue
		case m.Kind != PlaceSaid && m.Kind != PlaceQuestion:
			continue
		}
		list = append(list, p)
	}
	return list
}
