package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/history"
)

// firstUse asks a person at a terminal, once for each folder, whether they trust it and
// how much agents may do there. Where nobody can be asked, or somebody chose already,
// it asks nothing; what it cannot find out it leaves as it is.
func firstUse(ctx context.Context, a *env.App, c *env.Rest, f runFlags, placed bool) error {
	if f.session != "" || f.quiet || f.noInput || f.detach || f.yes != "" || len(f.allow) > 0 {
		return nil
	}
	dir, err := place(c, f.workspace, placed)
	if err != nil {
		return err
	}
	return askFirst(ctx, a, c, dir)
}

// askFirst is firstUse for a folder.
func askFirst(ctx context.Context, a *env.App, c *env.Rest, dir string) error {
	if dir == "" || a.JSON || !history.OnTerminal(a) || !c.SeesFiles() {
		return nil
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil //nolint:nilerr // what is wrong with it is said when the session is made
	}
	p, err := c.API().Permissions(ctx, dir)
	if err != nil || p.Decided {
		return nil //nolint:nilerr // an older server knows of none
	}
	if err := askTrust(ctx, a, c, dir); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(a.Err, ask.PresetQuestion)
	for i, preset := range ask.Presets {
		note := ""
		if preset.Name == "edits" {
			note = "  (recommended)"
		}
		_, _ = fmt.Fprintf(a.Err, "  %d  %s%s\n", i+1, preset.Text, note)
	}
	for {
		_, _ = fmt.Fprint(a.Err, "› ")
		line, err := typedLine(a.In)
		if err != nil {
			return env.ExitWith(env.ExitQuestion)
		}
		n, ok := ask.Number(line, len(ask.Presets))
		if !ok {
			_, _ = fmt.Fprintln(a.Err, "Type 1, 2 or 3.")
			continue
		}
		if _, err := c.API().SetPermissions(ctx, dir, ask.Presets[n-1].Name); err != nil {
			return err
		}
		_, _ = fmt.Fprintln(a.Err, "Saved for this folder. Change it any time: clew permissions")
		return nil
	}
}

// askTrust asks about a folder that brings something along which trust would let count.
func askTrust(ctx context.Context, a *env.App, c *env.Rest, dir string) error {
	folder, err := env.LookAt(dir)
	brings := len(folder.Modes)+len(folder.Skills)+len(folder.Commands) > 0 || isDir(filepath.Join(dir, ".clew"))
	if err != nil || !brings {
		return nil //nolint:nilerr // what cannot be read cannot be trusted
	}
	list, err := settings(ctx, c)
	if err != nil {
		return nil //nolint:nilerr // trust is for administrators to give
	}
	trusted := map[string]string{}
	if s, ok := find(list, "trusted_workspaces"); ok {
		if err := json.Unmarshal(s.Value, &trusted); err != nil {
			return err
		}
	}
	if trusted[folder.Dir] == folder.Hash {
		return nil
	}
	_, _ = fmt.Fprint(a.Err, "Trust this folder? Its own commands, skills and settings may then be used. [y/N] ")
	line, err := typedLine(a.In)
	if err != nil {
		return env.ExitWith(env.ExitQuestion)
	}
	if line = strings.ToLower(line); line != "y" && line != "yes" {
		return nil
	}
	trusted[folder.Dir] = folder.Hash
	return c.Call(ctx, http.MethodPatch, "settings", map[string]any{"settings": map[string]any{"trusted_workspaces": trusted}}, nil)
}

// typedLine reads a line and not a byte more: the rest is for others. What comes with
// an error is what was typed before it.
func typedLine(r io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); len(line) < maxSecret; {
		if _, err := io.ReadFull(r, b); err != nil {
			return strings.TrimSpace(string(line)), err
		}
		if b[0] == '\n' {
			break
		}
		line = append(line, b[0])
	}
	return strings.TrimSpace(string(line)), nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
