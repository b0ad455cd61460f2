package server

import (
	"fmt"
	"time"

	"github.com/clew-run/clew/internal/notebook/process"
	"github.com/clew-run/clew/internal/supervisor"
)

// kernelChecks lists the programs that outlive the server, each with its supervisor.
func kernelChecks(found []supervisor.Found, now time.Time) []Check {
	var checks []Check
	for _, f := range found {
		checks = append(checks, kernelCheck(f, now))
	}
	return checks
}

func kernelCheck(f supervisor.Found, now time.Time) Check {
	what := f.About
	if what == "" {
		what = f.Dir
	}
	switch {
	case f.Running && f.Held:
		return Check{"kernel", CheckOK, fmt.Sprintf("%s runs since %s, supervisor %d", what, f.Started.Format(time.RFC3339), f.Supervisor), ""}
	case f.Running && !f.AloneSince.IsZero():
		left := max(0, f.AloneSince.Add(f.Orphan).Sub(now)).Round(time.Second)
		return Check{"kernel", CheckNote, fmt.Sprintf("%s runs without a server since %s, and ends in %s; supervisor %d", what, f.AloneSince.Format(time.RFC3339), left, f.Supervisor),
			fmt.Sprintf("start the server, which finds it again, or end it: kill %d", f.Supervisor)}
	case f.Running:
		return Check{"kernel", CheckWarning, what + " has a supervisor that does not answer", "look again; if it stays so, end the process clew-supervise " + f.Dir}
	case f.Ended != nil:
		return Check{"kernel", CheckNote, fmt.Sprintf("%s ended at %s: %s", what, f.Ended.At.Format(time.RFC3339), process.How(*f.Ended)), ""}
	}
	return Check{"kernel", CheckNote, what + " is gone, and nobody saw how it ended", "the server forgets it at its next start"}
}
