package core

import (
	"github.com/clew-run/clew"
)

// Reports lists what the runs in the state left behind.
func (s *State) Reports() []clew.Report {
	var list []clew.Report
	for _, t := range s.SortedTasks() {
		if t.Run != nil {
			list = append(list, t.Run.Reports...)
		}
	}
	return list
}

// ReportPath is where a report is served.
func ReportPath(id clew.SessionID, name string) string {
	return "/reports/" + string(id) + "/" + name
}

// ReportNameLen bounds the name of a file that an agent attached.
const ReportNameLen = 100
