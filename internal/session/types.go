package session

import "github.com/clew-run/clew"

// Types is told which types of commands took effect, and which types of events
// came of them. It is called by many goroutines and must not wait.
type Types interface {
	Command(t clew.CommandType)
	Event(t clew.EventType)
}

// noTypes is for hosts that nobody asks.
type noTypes struct{}

func (noTypes) Command(clew.CommandType) {}
func (noTypes) Event(clew.EventType)     {}

// tookEffect tells of a command that was accepted, unless it was a repeat or
// changed nothing. What the server does to itself has no type.
func (h *Host) tookEffect(t clew.CommandType, r Receipt) {
	if r.Answer != nil {
		h.cfg.Types.Event(r.Answer.Type)
	}
	if t != "" && (r.Answer != nil || len(r.Records) > 0 && !r.Repeat) {
		h.cfg.Types.Command(t)
	}
}
