package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"github.com/clew-run/clew/internal/journal"
)

// Doctor verifies the whole store of a stopped node and says what is damaged.
// It works on a copy of what the engine has and changes nothing.
func Doctor(ctx context.Context, cfg Config, w io.Writer, asJSON bool) (problems int, err error) {
	j, err := journal.OpenCopy(ctx, cfg.journal(), slog.New(slog.DiscardHandler))
	if err != nil {
		return 0, err
	}
	defer j.Close(ctx)
	report, err := j.Examine(ctx)
	if err != nil {
		return 0, err
	}
	if asJSON {
		return len(report.Findings), json.NewEncoder(w).Encode(report)
	}
	for _, line := range report.Engine {
		fmt.Fprintf(w, "engine: %s\n", line)
	}
	for _, f := range report.Findings {
		fmt.Fprintf(w, "damaged: session %s: %s\n", f.Session, f.Problem)
	}
	for _, n := range report.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	fmt.Fprintf(w, "%d sessions, %d records verified, %d damaged\n", report.Sessions, report.Records, len(report.Findings))
	return len(report.Findings), nil
}
