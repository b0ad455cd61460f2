// Package retention looks after the files of sessions: it gives the sessions'
// workspaces checkpoints, by the settings, and drops those that nobody needs any
// more. It implements rewind.Files.
package retention

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/settings"
)

// Options is what a Keeper works with.
type Options struct {
	// Settings gives those of a session with these of its own; nil stands for
	// the defaults.
	Settings func(own map[string]any) settings.Values
	// Home gives the directory of a session that has no workspace of its own.
	Home func(id clew.SessionID) string
	// Room is nil if a user's workspaces may take so many bytes more, in that of a
	// session that has none of its own; nil always has.
	Room func(owner clew.UserID, id clew.SessionID, bytes int64) error
	// Records yields all records of a session; none if it is not known. Without
	// it nothing is collected, and sessions only get at what was saved for them.
	Records func(ctx context.Context, id clew.SessionID) iter.Seq2[clew.Record, error]
	// Temp is a directory for temporary files; "" is the system's.
	Temp string
	// Now tells the time of day. Nil is the machine's.
	Now func() time.Time
	Log *slog.Logger
}

// A Keeper keeps the checkpoints of all sessions in one directory. It is safe
// for concurrent use, also by several processes.
type Keeper struct {
	store   *checkpoint.Store
	o       Options
	readers chan struct{} // those who read records and wait for it
}

// maxReaders is how many may read a session's records at once before a command
// of theirs is carried out.
const maxReaders = 4

// Open opens the directory and makes it if need be.
func Open(dir string, o Options) (*Keeper, error) {
	if o.Settings == nil {
		o.Settings = func(map[string]any) settings.Values { return settings.Defaults() }
	}
	if o.Now == nil {
		o.Now = clock.System().Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	store, err := checkpoint.Open(dir, checkpoint.Options{Now: o.Now})
	if err != nil {
		return nil, err
	}
	k := &Keeper{store: store, o: o, readers: make(chan struct{}, maxReaders)}
	k.limit(o.Settings(nil))
	return k, nil
}

// Used is what the checkpoints of a user take on disk.
func (k *Keeper) Used(user clew.UserID) int64 { return k.store.Used(string(user)) }

// Close ends work in the background.
func (k *Keeper) Close() error { return k.store.Close() }

// limit takes over the limits of the settings, which are the server's alone.
func (k *Keeper) limit(v settings.Values) {
	k.store.SetLimits(int64(v.CheckpointMaxFileMB)<<20, int64(v.CheckpointQuotaMB)<<20)
}

// place opens the checkpoints of a session's workspace.
func (k *Keeper) place(ctx context.Context, w rewind.Workspace, v settings.Values) (*checkpoint.Place, error) {
	dir, err := k.dir(w, true)
	if err != nil {
		return nil, err
	}
	k.limit(v)
	rules := checkpoint.Rules{Exclude: append(append([]string{}, v.ExcludePaths...), v.CheckpointExclude...)}
	p, err := k.store.Workspace(ctx, dir, rules)
	if err != nil {
		return nil, explain(err)
	}
	return p.For(string(w.Owner)), nil
}

// dir gives a session's directory. Its own one is made when it is needed first.
func (k *Keeper) dir(w rewind.Workspace, make bool) (string, error) {
	if w.Dir != "" {
		return w.Dir, nil
	}
	if k.o.Home == nil {
		return "", clew.Errorf(clew.SessionInvalidState, "the session has no workspace")
	}
	dir := k.o.Home(w.Session)
	if !make {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", clew.WrapError(clew.StorageFailed, err, "the workspace cannot be made")
	}
	return dir, nil
}

// Sessions are named with a letter in front: their own names may begin with any
// sign.
const namePrefix = "s-"

func nameOf(id clew.SessionID) string { return namePrefix + string(id) }

func sessionOf(name string) (clew.SessionID, bool) {
	id, ok := strings.CutPrefix(name, namePrefix)
	return clew.SessionID(id), ok && clew.ValidID(id)
}

func newID() string { return "cp_" + strings.ToLower(rand.Text()) }

// explain puts in front of an error what a person can do about it.
func explain(err error) error {
	switch {
	case err == nil || errors.Is(err, rewind.ErrUnsettled): // the latter was here before
		return err
	case errors.Is(err, checkpoint.ErrUnsettled):
		return clew.WrapError(clew.CheckpointFailed, errors.Join(rewind.ErrUnsettled, err), "%s", clew.AsError(err).Message)
	case errors.Is(err, checkpoint.ErrUnopened) && !errors.Is(err, rewind.ErrUnseen):
		return explain(clew.WrapError(clew.CheckpointFailed, errors.Join(rewind.ErrUnseen, err), "%s", clew.AsError(err).Message))
	case errors.Is(err, exec.ErrNotFound):
		return clew.WrapError(clew.CheckpointFailed, err, "checkpoints need git, and the server does not find it")
	case errors.Is(err, checkpoint.ErrQuota):
		return clew.WrapError(clew.CheckpointFailed, err,
			"your checkpoints take up all the room they may have (checkpoint_quota_mb). Delete sessions that you do not need; the server's operator can raise it, or set checkpoint_retention_days")
	case errors.Is(err, syscall.ENOSPC):
		return clew.WrapError(clew.CheckpointFailed, err, "the disk that holds the checkpoints is full")
	}
	return err
}
