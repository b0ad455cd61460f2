package rewind

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/view"
)

// A Position is where a session stands.
type Position struct {
	Seq           uint64
	LastRewindSeq uint64
	Total, Quiet  int
	Tail          []clew.Message
	Removed       []core.Span
	Queue         []clew.QueuedMessage
	Undo, Redo    []core.RewindEntry
	// FirstCheckpoint is of the files as they were before any agent's work.
	FirstCheckpoint string
	Workspace       Workspace
	Pending         bool              // files are on their way
	States          map[uint64][]byte // earlier states at hand, by their last record
}

// PositionOf is where a state stands.
func PositionOf(s *core.State) Position {
	return Position{
		Seq: s.Seq, LastRewindSeq: s.LastRewindSeq, Total: s.Total, Quiet: s.Quiet, Tail: slices.Clone(s.Messages.Tail()),
		Removed: append([]core.Span{}, s.Removed...), Queue: s.QueuedMessages(),
		Undo: append([]core.RewindEntry{}, s.Undo...), Redo: append([]core.RewindEntry{}, s.Redo...),
		FirstCheckpoint: s.FirstCheckpoint, Workspace: WorkspaceOf(s), Pending: s.PendingRewind != nil,
		States: map[uint64][]byte{},
	}
}

// WorkspaceOf is the workspace of a session.
func WorkspaceOf(s *core.State) Workspace {
	return Workspace{Session: s.ID, Owner: s.Owner, Dir: s.Workspace, Settings: s.Settings}
}

// A Target is where somebody wants to go.
type Target struct {
	clew.Target
	Keep     bool   // the message itself stays
	Files    bool   // they go there as well
	Lenient  bool   // without a checkpoint the files are left
	Hash     string // the checkpoint, if it is not the one of that time
	FollowUp *clew.UserMessageData
}

// NewID names a rewind.
func NewID() string { return "rw_" + strings.ToLower(rand.Text()[:20]) }

// Plan finds the way to where somebody wants to go.
func (f *Finder) Plan(ctx context.Context, t Target) (decide.RewindPlan, error) {
	c := decide.RewindPlan{Kind: clew.KindRewind, RewindID: NewID(), Keep: t.Keep, FollowUp: t.FollowUp, LastRewindSeq: f.At.LastRewindSeq, To: f.At.Seq}
	at, cut, err := f.locate(ctx, t.Target, t.Keep)
	if err != nil {
		return c, err
	}
	c.From = at
	if cut > 0 {
		c.To = cut - 1
	}
	if c.TargetState, err = f.stateAt(ctx, c.To); err != nil {
		return c, err
	}
	if !t.Files {
		return c, nil
	}
	if c.Checkpoint = t.Hash; c.Checkpoint == "" {
		c.Checkpoint, err = f.checkpoint(ctx, c, cut)
	}
	if err == nil && f.Files == nil {
		err = ErrNoCheckpoints()
	}
	if err != nil && t.Lenient {
		c.Checkpoint, err = "", nil
	}
	return c, err
}

// ErrNoCheckpoints refuses to take files anywhere.
func ErrNoCheckpoints() error {
	return clew.Errorf(clew.SessionInvalidState, "this server keeps no checkpoints, so files cannot be taken back")
}

// Undo plans to take the last rewind back, or to do it again.
func (f *Finder) Undo(ctx context.Context, kind clew.RewindKind, files bool) (decide.RewindPlan, error) {
	list, word := f.At.Undo, "undo"
	if kind == clew.KindRedo {
		list, word = f.At.Redo, "do again"
	}
	if len(list) == 0 {
		return decide.RewindPlan{}, clew.Errorf(clew.SessionInvalidState, "there is no rewind to %s", word)
	}
	last := list[len(list)-1]
	c := decide.RewindPlan{Kind: kind, RewindID: NewID(), To: last.Seq - 1, From: last.From, Keep: last.Keep, Checkpoint: last.Files, LastRewindSeq: f.At.LastRewindSeq}
	if !files {
		c.Checkpoint = ""
	}
	var err error
	c.TargetState, err = f.stateAt(ctx, c.To)
	return c, err
}

// stateAt is the session's state after a record.
func (f *Finder) stateAt(ctx context.Context, seq uint64) ([]byte, error) {
	past := view.NewPast(f.Journal, f.ID)
	for at, state := range f.At.States {
		past.Know(at, state)
	}
	return past.Encoded(ctx, seq)
}
