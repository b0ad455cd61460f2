package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/clew-run/clew/internal/journal"
)

// examined is what the doctor found.
type examined struct {
	journal.Report
	Checkpoints *Checked `json:"checkpoints,omitempty"` // nil: there are none, or nobody looked
}

func (e examined) problems() int {
	n := len(e.Findings)
	if e.Checkpoints != nil {
		n += len(e.Checkpoints.Findings)
	}
	return n
}

// Doctor verifies the whole store of a stopped node, with the checkpoints or
// without, and says what is damaged. It works on a copy of what the engine has
// and changes nothing.
func Doctor(ctx context.Context, cfg Config, w io.Writer, asJSON, checkpoints bool) (problems int, err error) {
	j, err := journal.OpenCopy(ctx, cfg.journal(), slog.New(slog.DiscardHandler))
	if err != nil {
		return 0, err
	}
	defer j.Close(ctx)
	report, err := j.Examine(ctx)
	if err != nil {
		return 0, err
	}
	all := examined{Report: report}
	if checkpoints {
		if all.Checkpoints, err = someCheckpoints(ctx, cfg); err != nil {
			return 0, err
		}
	}
	if asJSON {
		return all.problems(), json.NewEncoder(w).Encode(all)
	}
	return all.problems(), all.write(w)
}

// someCheckpoints verifies the checkpoints, if there are any.
func someCheckpoints(ctx context.Context, cfg Config) (*Checked, error) {
	if _, err := os.Stat(cfg.checkpoints()); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	c, err := CheckCheckpoints(ctx, cfg, "")
	return &c, err
}

func (e examined) write(w io.Writer) error {
	for _, line := range e.Engine {
		fmt.Fprintf(w, "engine: %s\n", line)
	}
	for _, f := range e.Findings {
		fmt.Fprintf(w, "damaged: session %s: %s\n", f.Session, f.Problem)
	}
	for _, n := range e.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	if e.Checkpoints != nil {
		if err := e.Checkpoints.Write(w, false); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s, %s verified, %d damaged\n", plural(e.Sessions, "session"), plural(int(e.Records), "record"), len(e.Report.Findings))
	return err
}
