package session

import (
	"testing"

	"github.com/clew-run/clew"
)

// company is what a node hears of the others.
type company struct {
	Cluster
	level int
}

func (c company) Level() int { return c.level }

// A type that a live node does not know is not written, and the refusal says when
// it will be.
func TestNewTypesWaitForTheLastNode(t *testing.T) {
	events := []clew.Event{{Type: clew.EventSessionRenamed}, {Type: "sun_rose"}}
	h := &Host{cfg: Config{Cluster: company{level: clew.Level}}}
	if err := h.knownEverywhere(events[:1]); err != nil {
		t.Errorf("a type of level 1: %v", err)
	}
	err := h.knownEverywhere(events)
	if e := clew.AsError(err); e.Code != clew.Unavailable || !e.Code.Info().Recoverable {
		t.Errorf("a type above the cluster's level: %v", err)
	}
	h.cfg.Cluster = company{level: clew.Level + 1}
	if err := h.knownEverywhere(events); err != nil {
		t.Errorf("all nodes know it: %v", err)
	}
	alone := &Host{}
	if err := alone.knownEverywhere(events); err != nil {
		t.Errorf("a node alone: %v", err)
	}
}
