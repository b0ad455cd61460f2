package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/rewind"
)

// fork makes a session that goes on from a point of this one. The two share the
// records up to there.
func (s *Session) fork(ctx context.Context, cmd clew.Command, f *rewind.Finder, d *clew.ForkSessionData) (Receipt, error) {
	h := s.host
	place := f.At.Workspace
	own := d.Workspace != "" || place.Dir == "" // a directory of its own
	t := rewind.Target{Keep: d.KeepTarget, Files: own && h.cfg.Files != nil, Lenient: true}
	if t.MessageID = d.MessageID; d.MessageID == "" {
		t.Index = &f.At.Total // after the last one
	}
	c, err := f.Plan(ctx, t)
	if err != nil {
		return Receipt{}, err
	}
	then, err := core.DecodeState(s.id, c.TargetState)
	if err != nil {
		return Receipt{}, err
	}
	n := NewSession{ID: forkID(s.id, cmd), Title: d.Title, Workspace: d.Workspace}
	if n.Title == "" {
		n.Title = forkTitle(then.DisplayTitle())
	}
	if n.Workspace == "" {
		n.Workspace = place.Dir
	} else if h.cfg.Place != nil {
		if n.Workspace, err = h.cfg.Place(cmd.By, n.Workspace); err != nil {
			return Receipt{}, err
		}
	}
	last, err := f.Record(ctx, c.To)
	if err != nil {
		return Receipt{}, err
	}
	if c.Checkpoint != "" {
		if c.To == f.At.Seq { // it goes on from now
			if saved, err := h.cfg.Files.Save(ctx, place, "at a fork"); err == nil {
				c.Checkpoint = saved.Hash
			}
		}
		if err := h.cfg.Files.Copy(ctx, place, c.Checkpoint, rewind.Workspace{Session: n.ID, Owner: cmd.By.User, Dir: n.Workspace, Settings: place.Settings}); err != nil {
			return Receipt{}, err
		}
	}
	crash.At("fork.copied")
	if err := h.startHistory(ctx, n.ID, then, last.After(), s.id); err != nil {
		return Receipt{}, err
	}
	crash.At("fork.founded")
	var environment map[string]string // a person's terminal is theirs
	if cmd.By.User == then.Owner {
		environment = then.Environment
	}
	point := &clew.ForkPoint{SessionID: s.id, MessageID: clew.MessageIDOf(c.To)}
	if err := h.createSession(ctx, cmd.By, n, &decide.CreateCommand{Owner: cmd.By.User, Title: n.Title, Workspace: n.Workspace, Forked: point, Settings: place.Settings, Node: h.filesHere(n.Workspace != "" || c.Checkpoint != ""), Environment: environment}, c.To+1); err != nil {
		return Receipt{}, err
	}
	if h.cfg.ForkBlobs != nil {
		if err := h.cfg.ForkBlobs(ctx, s.id, blob.For{User: cmd.By.User, Session: n.ID}); err != nil { // the fork is there
			h.cfg.Log.Warn("the blobs of a fork are not counted", "session", n.ID, "err", err)
		}
	}
	cmd.Data = &decide.SystemNote{Forked: &clew.SessionForkedData{SessionID: n.ID, FromMessageID: clew.MessageIDOf(c.To)}}
	r, err := s.submit(ctx, cmd)
	r.SessionID = n.ID
	return r, err
}

// forkTitle tells a fork from its parent. A fork of a fork is a fork.
func forkTitle(title string) string {
	const mark = " (fork)"
	title = strings.TrimSuffix(title, mark)
	if title == "" || title == "(fork)" {
		return "(fork)"
	}
	return clew.Clip(title, core.TitleRunes-len(mark)) + mark
}

// forkID names a fork. The same command names the same one, should it come
// again after a crash.
func forkID(parent clew.SessionID, cmd clew.Command) clew.SessionID {
	if cmd.ClientMessageID == "" {
		return clew.NewSessionID()
	}
	sum := sha256.Sum256([]byte(string(parent) + "\x00" + string(cmd.By.User) + "\x00" + string(cmd.ClientMessageID)))
	return clew.SessionID("sess_" + hex.EncodeToString(sum[:13]))
}

// startHistory lays the ground for a fork: its parent's records and what they come to.
func (h *Host) startHistory(ctx context.Context, id clew.SessionID, then *core.State, head clew.Head, parent clew.SessionID) error {
	then.ID, then.Owner, then.CreatedMS, then.PendingRewind = id, "", 0, nil
	state, err := then.Encode()
	if err != nil {
		return err
	}
	err = h.cfg.Journal.Found(ctx, id, InitialHistory{Parent: parent, Head: head, State: state})
	if errors.Is(err, ErrTaken) { // the command comes a second time
		return nil
	}
	return err
}

// createSession makes the first record of a session's own and puts it into the list.
func (h *Host) createSession(ctx context.Context, by clew.Principal, n NewSession, c *decide.CreateCommand, seq uint64) error {
	_, err := h.Do(ctx, n.ID, clew.Command{By: by, Data: c})
	if clew.CodeOf(err) == clew.SessionExists { // it exists: the command comes a second time
		if role, _ := h.Access(ctx, n.ID, by); role == clew.RoleOwner || role == clew.RoleAdmin {
			return nil
		}
	}
	if err != nil {
		return err
	}
	h.indexSession(ctx, by, n, seq)
	return nil
}

// indexSession puts a session into the list. The session itself, which knows more, does
// so with its first record, at seq; the later of the two counts.
func (h *Host) indexSession(ctx context.Context, by clew.Principal, n NewSession, seq uint64) {
	now := h.now()
	h.indexNow(ctx, by.User, core.Summary{
		ID: n.ID, Title: n.Title, Workspace: n.Workspace, Status: string(clew.StatusIdle), CreatedMS: now, UpdatedMS: now, LastUsedMS: now, LastSeq: seq - 1,
		Owner: by.User,
	})
}

// Import makes a session of records from elsewhere. It belongs to by.
func (h *Host) Import(ctx context.Context, by clew.Principal, id clew.SessionID, f InitialHistory, d clew.SessionImportedData) error {
	if by.Role == clew.RoleViewer || by.Role == clew.RoleApprover {
		return clew.Errorf(clew.Forbidden, "these credentials may watch or answer, not make sessions")
	}
	d.Owner = by.User
	if h.cfg.Place != nil {
		var err error
		if d.Workspace, err = h.cfg.Place(by, d.Workspace); err != nil {
			return err
		}
	}
	d.Node = h.filesHere(d.Workspace != "")
	s, err := core.DecodeState(id, f.State)
	if err != nil {
		return err
	}
	// Until session_imported is on record nobody owns it, and what its records
	// say of this machine is a stranger's word.
	s.Owner, s.Workspace, s.Access, s.Settings, s.PendingRewind = "", d.Workspace, nil, nil, nil
	if d.Title == "" {
		d.Title = s.Title
	}
	if f.State, err = s.Encode(); err != nil {
		return err
	}
	if err := h.undeleted(ctx, id); clew.CodeOf(err) == clew.SessionNotFound {
		return clew.Errorf(clew.SessionExists, "there is a session %s already", id) // or was: the name is not given again
	} else if err != nil {
		return err
	}
	err = h.cfg.Journal.Found(ctx, id, f)
	if errors.Is(err, ErrTaken) && h.hasNoOwner(ctx, id, f.Head) {
		err = nil // a server died in the middle of this very import
	}
	if errors.Is(err, ErrTaken) {
		return clew.Errorf(clew.SessionExists, "there is a session %s already", id)
	}
	if err != nil {
		return err
	}
	if _, err := h.Do(ctx, id, clew.Command{By: by, Data: &decide.CreateCommand{Owner: by.User, Imported: &d}}); err != nil {
		return err // it has an owner after all
	}
	h.indexSession(ctx, by, NewSession{ID: id, Title: d.Title, Workspace: d.Workspace}, f.Head.Seq+1)
	return nil
}

// hasNoOwner reports whether a session has these records and no more, so that
// nobody owns it yet.
func (h *Host) hasNoOwner(ctx context.Context, id clew.SessionID, head clew.Head) bool {
	last := clew.Head{}
	for r, err := range h.cfg.Journal.Read(ctx, id, head.Seq, head.Seq+1) {
		if err != nil {
			return false
		}
		last = r.After()
	}
	return last == head
}
