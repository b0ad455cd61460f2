package session

import (
	"context"
	"regexp"
	"strconv"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// reportName keeps a made-up name from having a whole journal read. What agents
// attached begins with a number.
var reportName = regexp.MustCompile(`^run_[0-9a-f]{24}/([a-z]+\.(md|html|json|pdf|svg)|[1-9][0-9]?-[A-Za-z0-9._-]{1,` + strconv.Itoa(core.ReportNameLen) + `})$`)

// Report finds a report of a session's runs by its name, the run's id and the
// file's. Recent runs are in the state; of older ones the journal knows.
func (h *Host) Report(ctx context.Context, id clew.SessionID, name string) (clew.Report, error) {
	if !reportName.MatchString(name) {
		return clew.Report{}, clew.Errorf(clew.SessionNotFound, "no such report")
	}
	o, err := h.Overview(ctx, id)
	if err != nil {
		return clew.Report{}, err
	}
	if r, ok := findReport(o.Reports, name); ok {
		return r, nil
	}
	for r, err := range h.cfg.Journal.Read(ctx, id, 1, o.Seq) {
		if err != nil {
			return clew.Report{}, err
		}
		if r.Type != clew.EventComplete {
			continue
		}
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			return clew.Report{}, err
		}
		if found, ok := findReport(ev.Data.(*clew.CompleteData).Reports, name); ok {
			return found, nil
		}
	}
	return clew.Report{}, clew.Errorf(clew.SessionNotFound, "no such report")
}

func findReport(list []clew.Report, name string) (clew.Report, bool) {
	for _, r := range list {
		if r.Name == name {
			return r, true
		}
	}
	return clew.Report{}, false
}
