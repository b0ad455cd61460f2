package journal

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/clew-run/clew"
)

// A Finding is one thing that is wrong with the store.
type Finding struct {
	Session clew.SessionID `json:"session_id,omitempty"`
	Problem string         `json:"problem"`
}

// A Report is what an examination of the whole store found.
type Report struct {
	Sessions int       `json:"sessions"`
	Records  uint64    `json:"records"`
	Findings []Finding `json:"findings"`
	// Engine holds the engine's own warnings since it was opened.
	Engine []string `json:"engine_warnings,omitempty"`
}

// Examine verifies every session in the store, record by record. It changes
// nothing.
func (j *Journal) Examine(ctx context.Context) (Report, error) {
	report := Report{Findings: []Finding{}}
	ids, err := j.allSessions(ctx)
	if err != nil {
		return report, err
	}
	for _, id := range ids {
		report.Sessions++
		head, err := j.examine(ctx, id)
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
		if err != nil {
			report.Findings = append(report.Findings, Finding{id, plain(err)})
			continue
		}
		report.Records += head.Seq
	}
	if l := j.engine.log; l != nil {
		l.mu.Lock()
		report.Engine = slices.Clone(l.lines)
		l.mu.Unlock()
	}
	return report, nil
}

func (j *Journal) examine(ctx context.Context, id clew.SessionID) (clew.Head, error) {
	seal, _, head, _, err := j.load(ctx, id)
	if err == nil && seal != nil {
		err = j.archive.Verify(ctx, seal)
	}
	return head, err
}

// plain gives the cause, which says more to an operator than the safe message.
func plain(err error) string {
	if e := clew.AsError(err); e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// allSessions gathers every session that the archive, the streams or the
// witness know of.
func (j *Journal) allSessions(ctx context.Context) ([]clew.SessionID, error) {
	all := map[clew.SessionID]bool{}
	for id, err := range j.sealedSessions(ctx) {
		if err != nil {
			return nil, fmt.Errorf("list the archive: %w", err)
		}
		all[id] = true
	}
	for p := range j.partitions {
		ids, err := j.subjectsOf(ctx, p, j.subject("j", strconv.Itoa(p), "s", ">"))
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			all[id] = true
		}
	}
	for _, id := range j.witness.sessions() {
		all[id] = true
	}
	return slices.Sorted(maps.Keys(all)), nil
}

func (j *Journal) sealedSessions(ctx context.Context) iter.Seq2[clew.SessionID, error] {
	return j.archive.Sessions(ctx)
}
