package rewind

import (
	"context"
	"errors"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// ErrUnsettled says that files were neither taken back nor put back to where
// they were: something has to give first, a full disk for instance.
var ErrUnsettled = errors.New("the files are in the middle of a return")

// ErrUnseen says that nobody could look how the files are: a restore of that name may
// have been begun, or done, before.
var ErrUnseen = errors.New("it cannot be seen how the files are")

// Files looks after the files of workspaces. A nil one keeps nothing.
type Files interface {
	// Save makes a checkpoint of the workspace as it is now. Without changes
	// since the session's last one it gives that one.
	Save(ctx context.Context, w Workspace, reason string) (core.SavedFiles, error)
	// Restore takes the workspace back to a checkpoint, whole or not at all,
	// after having saved how it is. id names this restore: if it was begun
	// before and cut off, it is finished, and if it was done before, it is not
	// done again. After ErrUnsettled it is to be asked for again, until there is an
	// answer other than ErrUnsettled and ErrUnseen.
	Restore(ctx context.Context, w Workspace, id, hash string) (RestoredFiles, error)
	// Diff says how files differ: up to most of them, in order of their paths,
	// and how many there are. Without from it compares with the session's first
	// checkpoint, without to with the files as they are.
	Diff(ctx context.Context, w Workspace, from, to string, most int) (files []clew.CheckpointFile, count int, err error)
	// Copy writes the files of a checkpoint of one workspace into another, empty
	// directory. Asked for again for the same session, it does nothing if they
	// are there.
	Copy(ctx context.Context, from Workspace, hash string, to Workspace) error
}

// A Workspace is a session's workspace.
type Workspace struct {
	Session  clew.SessionID
	Owner    clew.UserID // whose quota counts
	Dir      string
	Settings map[string]any // the session's own
}

// RestoredFiles is what a restore did.
type RestoredFiles struct {
	Before           string // a checkpoint of how the files were
	Changed, Removed int
	Left             []string
	DurationMS       int64
}

// FilesShown is how many files an answer shows.
const FilesShown = 500
