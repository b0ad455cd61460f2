package server

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clew-run/clew/internal/checkpoint/retention"
)

// Checked is what a check of the checkpoints found.
type Checked struct {
	Workspaces int      `json:"workspaces"`
	Findings   []Damage `json:"findings"`
}

// A Damage is something that is damaged. It is about a checkpoint, or about
// all that is stored of a workspace if there is no hash.
type Damage struct {
	retention.Finding
	SessionID string `json:"session_id,omitempty"`
	TS        int64  `json:"ts,omitempty"`
}

// CheckCheckpoints verifies what a data directory keeps: of a session, of a
// workspace if what is an absolute path, of all with "". A server may be running
// on it.
func CheckCheckpoints(ctx context.Context, cfg Config, what string) (Checked, error) {
	k, err := openStored(cfg, nil, nil)
	if err != nil {
		return Checked{}, err
	}
	defer func() { _ = k.Close() }()
	n, found, err := k.Check(ctx, what)
	if err != nil {
		return Checked{}, err
	}
	if what != "" && n == 0 {
		return Checked{}, fmt.Errorf("there are no checkpoints of %s in %s", what, cfg.Data)
	}
	c := Checked{Workspaces: n, Findings: make([]Damage, 0, len(found))}
	known := whose(ctx, k, found)
	for _, f := range found {
		x := Damage{Finding: f}
		if list := known[f.Hash]; len(list) > 0 { // the same files may have been saved twice
			x.SessionID, x.TS = string(list[0].SessionID), list[0].TS
			known[f.Hash] = list[1:]
		}
		c.Findings = append(c.Findings, x)
	}
	return c, nil
}

// whose gives the checkpoints of the workspaces that something was found in, as
// far as that can be read.
func whose(ctx context.Context, k *retention.Keeper, found []retention.Finding) map[string][]retention.Entry {
	known, read := map[string][]retention.Entry{}, map[string]bool{}
	for _, f := range found {
		if f.Hash == "" || read[f.Workspace] {
			continue
		}
		read[f.Workspace] = true
		list, _ := k.Inventory(ctx, f.Workspace)
		for _, v := range list {
			for _, c := range v.Checkpoints {
				known[c.Hash] = append(known[c.Hash], c)
			}
		}
	}
	return known
}

// Write says what is damaged, a line for each thing. The words of whoever found
// it are for experts.
func (c Checked) Write(w io.Writer, verbose bool) error {
	for _, f := range c.Findings {
		if _, err := fmt.Fprintln(w, "damaged: "+f.text()); err != nil {
			return err
		}
		if !verbose {
			continue
		}
		for line := range strings.Lines(f.Problem) {
			if _, err := fmt.Fprintf(w, "    %q\n", strings.TrimRight(line, "\n")); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, "checkpoints of %s verified, %s\n", plural(c.Workspaces, "workspace"), plural(len(c.Findings), "problem"))
	return err
}

func (f Damage) text() string {
	if f.Hash == "" {
		return fmt.Sprintf("the store of %q (clew checkpoint fsck --verbose says how)", f.Workspace)
	}
	text := fmt.Sprintf("checkpoint %.12s of %q", f.Hash, f.Workspace)
	if f.TS != 0 {
		text += fmt.Sprintf(", session %s, %s", f.SessionID, time.UnixMilli(f.TS).Format(time.DateTime))
	}
	return text + ": it cannot be restored"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
