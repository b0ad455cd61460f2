package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// backingUp is what the flags of clew backup say.
type backingUp struct {
	flags  configFlags
	server string
	check  bool
}

// backedUp is what a backup copied, as clew backup prints it with --json.
type backedUp struct {
	To       string `json:"to"`
	Number   int    `json:"number"`
	Sessions int    `json:"sessions"`
	Objects  int    `json:"objects"`
	Bytes    int64  `json:"bytes"`
	TookMS   int64  `json:"took_ms"`
	Checked  bool   `json:"checked"`
}

func backupCommand(a *env.App) *cobra.Command {
	var b backingUp
	cmd := &cobra.Command{
		Use:   "backup DIRECTORY|s3://BUCKET",
		Short: "Copy everything that the server keeps to a safe place",
		Long: "Copy everything that the server keeps to a directory or a bucket: sessions with their\n" +
			"whole history, checkpoints of files, keys and settings. The server may be running, and\n" +
			"is not held up. The next backup to the same place copies what is new, and the place then\n" +
			"holds the newest state alone; use several places in turn to keep older ones. Not in it\n" +
			"are the owner token, the key to stored secrets, and directories of workspaces.\n\n" +
			"A running server writes the backup itself: a directory is one on its machine, and a\n" +
			"bucket is opened with the credentials in its environment.",
		Example: "clew backup /mnt/backup/clew\nclew backup 's3://backups?region=eu-central-1&prefix=clew/' --check",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return b.run(cmd, a, args[0])
		},
	}
	b.flags.add(cmd, "data", "data", "data directory of the server (CLEW_DATA, default ~/.local/share/clew)")
	cmd.Flags().StringVar(&b.server, "server", "", "address of the server (CLEW_SERVER, default the one that runs in the data directory)")
	cmd.Flags().BoolVar(&b.check, "check", false, "restore the backup into a temporary directory and verify every session")
	return cmd
}

// placeURL makes a URL of a directory; one stays as it is.
func placeURL(place string) (string, error) {
	if strings.Contains(place, "://") {
		return place, nil
	}
	dir, err := filepath.Abs(place)
	return "file://" + dir, err
}

func (b *backingUp) run(cmd *cobra.Command, a *env.App, place string) error {
	cfg, err := a.LoadConfig(b.flags.file, b.flags.given(cmd))
	if err != nil {
		return err
	}
	to, err := placeURL(place)
	if err != nil {
		return err
	}
	began := time.Now()
	done, err := b.make(cmd.Context(), a, cfg, to)
	if err != nil {
		return err
	}
	done.To, done.TookMS = place, time.Since(began).Milliseconds()
	if b.check {
		if err := checkBackup(cmd.Context(), a, to); err != nil {
			return err
		}
		done.Checked = true
	}
	return a.Print(done, func(w io.Writer) error {
		checked := ""
		if done.Checked {
			checked = "; restored on trial, and sound"
		}
		_, err := fmt.Fprintf(w, "backup %d to %s: %s; copied %s, %s, in %s%s\n", done.Number, env.Plain(place), term.Count(done.Sessions, "session"),
			term.Count(done.Objects, "file"), term.Size(done.Bytes), time.Since(began).Round(10*time.Millisecond), checked)
		return err
	})
}

// make has the running server make the backup, or makes that of a stopped one.
func (b *backingUp) make(ctx context.Context, a *env.App, cfg env.Config, to string) (backedUp, error) {
	if b.server == "" && a.Getenv(env.EnvPrefix+"SERVER") == "" {
		r, err := a.Server.Backup(ctx, cfg, to)
		if !errors.Is(err, env.ErrInUse) {
			return backedUp{Number: r.Number, Sessions: r.Sessions, Objects: r.Objects, Bytes: r.Bytes}, err
		}
	}
	c, err := a.Connect(env.Remote{Server: b.server, Data: cfg.Data, Running: true})
	if err != nil {
		return backedUp{}, err
	}
	type state struct {
		backedUp
		Running bool   `json:"running"`
		Problem string `json:"problem"`
	}
	var s state
	if err := c.Call(ctx, http.MethodPost, "backup", map[string]string{"to": to}, &s); err != nil {
		return backedUp{}, err
	}
	for s.Running {
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return backedUp{}, ctx.Err()
		}
		s = state{}
		if err := c.Call(ctx, http.MethodGet, "backup", nil, &s); err != nil {
			return backedUp{}, err
		}
	}
	if s.Problem != "" {
		return backedUp{}, errors.New("the backup failed: " + env.Plain(s.Problem))
	}
	return s.backedUp, nil
}

// checkBackup restores a backup on trial.
func checkBackup(ctx context.Context, a *env.App, from string) error {
	dir, err := os.MkdirTemp("", "clew-check-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cfg := env.DefaultConfig()
	cfg.Data = dir
	r, err := a.Server.Restore(ctx, cfg, from)
	if err != nil {
		return fmt.Errorf("the backup was made, but cannot be restored: %w", err)
	}
	if n := r.Problems(); n > 0 {
		_ = r.Write(a.Err)
		return fmt.Errorf("the backup was made, but %s of it cannot be opened", term.Count(n, "session"))
	}
	return nil
}

func restoreCommand(a *env.App) *cobra.Command {
	var flags configFlags
	cmd := &cobra.Command{
		Use:   "restore DIRECTORY|s3://BUCKET",
		Short: "Make a data directory of a backup",
		Long: "Make a data directory of what clew backup wrote, and verify every session in it. The\n" +
			"data directory must be empty or not there yet. Clients that had seen what was written\n" +
			"after the backup are told, and start again from what is here. The server makes a new\n" +
			"owner token when it starts.",
		Example: "clew restore /mnt/backup/clew --data /var/lib/clew",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.LoadConfig(flags.file, flags.given(cmd))
			if err != nil {
				return err
			}
			from, err := placeURL(args[0])
			if err != nil {
				return err
			}
			r, err := a.Server.Restore(cmd.Context(), cfg, from)
			if err != nil {
				return err
			}
			if err := a.Print(r, r.Write); err != nil {
				return err
			}
			if n := r.Problems(); n > 0 {
				return fmt.Errorf("%s of the backup cannot be opened; the others can be used", term.Count(n, "session"))
			}
			return nil
		},
	}
	flags.add(cmd, "data", "data", "directory to make (CLEW_DATA, default ~/.local/share/clew)")
	return cmd
}
