package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/clew-run/clew/internal/journal"
)

// Why the doctor could not look into a store.
var (
	ErrInUse   = journal.ErrDirInUse // a server runs on it
	ErrNoStore = journal.ErrNoStore  // there is none
)

// Examined is what the doctor found in a store.
type Examined struct {
	journal.Report
	Checkpoints *Checked `json:"checkpoints,omitempty"` // nil: there are none, or nobody looked
}

// Problems counts what is damaged or wrong.
func (e Examined) Problems() int {
	n := len(e.Findings) + len(e.Wrong)
	if e.Checkpoints != nil {
		n += len(e.Checkpoints.Findings)
	}
	return n
}

// Warnings counts what is whole, but not for this program.
func (e Examined) Warnings() int { return len(e.TooNew) }

// Examine verifies the whole store of a stopped node, with the checkpoints or
// without, and says what is damaged. It works on a copy of what the engine has
// and changes nothing.
func Examine(ctx context.Context, cfg Config, checkpoints bool) (Examined, error) {
	j, err := journal.OpenCopy(ctx, cfg.journal(), slog.New(slog.DiscardHandler))
	if err != nil {
		return Examined{}, err
	}
	defer j.Close(ctx)
	report, err := j.Examine(ctx)
	if err != nil {
		return Examined{}, err
	}
	all := Examined{Report: report}
	if checkpoints {
		all.Checkpoints, err = someCheckpoints(ctx, cfg)
	}
	return all, err
}

// Repartition spreads the records of a stopped node over n streams.
func Repartition(ctx context.Context, cfg Config, n int) (from, moved int, err error) {
	return journal.Repartition(ctx, cfg.journal(), n, slog.New(slog.DiscardHandler))
}

// someCheckpoints verifies the checkpoints, if there are any.
func someCheckpoints(ctx context.Context, cfg Config) (*Checked, error) {
	if _, err := os.Stat(cfg.checkpoints()); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	c, err := CheckCheckpoints(ctx, cfg, "")
	return &c, err
}

// Write says it to a person, damage first.
func (e Examined) Write(w io.Writer) error {
	if n := len(e.Engine); n > 0 { // its own words are for those who know it
		fmt.Fprintf(w, "note: the store gave %s when it was opened, as it does after a kill or a power cut; --json shows it\n", plural(n, "warning"))
	}
	for _, f := range e.Findings {
		fmt.Fprintf(w, "damaged: session %s: %s\n", f.Session, f.Problem)
	}
	for _, f := range e.Wrong {
		fmt.Fprintf(w, "wrong: session %s: %s\n", f.Session, f.Problem)
	}
	for _, f := range e.TooNew {
		fmt.Fprintf(w, "too new: session %s: %s\n", f.Session, f.Problem)
	}
	if e.Older > 0 {
		fmt.Fprintf(w, "note: the state of %s is of an older version; it is made anew from the records when the session is next opened\n", plural(e.Older, "session"))
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
