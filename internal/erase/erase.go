// Package erase deletes sessions for people: it says what that would erase, hides the
// session for as long as it can be brought back, and then takes it out of the store,
// so that nothing of it is left in the server's files.
package erase

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/settings"
)

// Files keeps the checkpoints of sessions: *retention.Keeper.
type Files interface {
	CountOf(ctx context.Context, id clew.SessionID) (int, error)
	Erase(ctx context.Context, id clew.SessionID, heirs []clew.SessionID) error
}

// Options is what an Eraser works with.
type Options struct {
	Host  *session.Host
	Store journal.Eraser
	Table *journal.Erasures
	Files Files
	// Home is the directory of a session that was made without one.
	Home     func(id clew.SessionID) string
	Settings func() settings.Values
	Clock    clock.Clock // nil = the machine's
	Log      *slog.Logger
}

// An Eraser is safe for concurrent use.
type Eraser struct {
	o    Options
	kick chan struct{} // somebody wants it now

	round   sync.Mutex // one at a time
	cleaned map[clew.SessionID]bool
}

// New makes an Eraser. Run has it erase.
func New(o Options) *Eraser {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	return &Eraser{o: o, kick: make(chan struct{}, 1), cleaned: map[clew.SessionID]bool{}}
}

// A Preview says what deleting a session would erase, and what would stay.
type Preview struct {
	SessionID   clew.SessionID `json:"session_id"`
	Title       string         `json:"title"`
	Owner       clew.UserID    `json:"owner"`
	Records     uint64         `json:"records" doc:"Everything that was said and done"`
	Questions   int            `json:"questions,omitempty" doc:"Open questions in people's inboxes"`
	Checkpoints int            `json:"checkpoints,omitempty"`
	// Directory is erased only if the server made it for the session.
	Directory       string `json:"directory,omitempty" doc:"Where its agents worked"`
	DirectoryErased bool   `json:"directory_erased,omitempty" doc:"The server made the directory and erases it"`
	Forks           []Fork `json:"forks" nullable:"false" doc:"Forks keep what was said before them"`
	EraseMS         int64  `json:"erase_ms" doc:"If it is deleted now, it can be brought back until then"`
	// Deleted is set if it is deleted already; then there is nothing else.
	Deleted *session.Erasure `json:"deleted,omitempty" doc:"Who deleted it and when"`
}

// A Fork goes on from a session, and keeps what it has from it.
type Fork struct {
	SessionID clew.SessionID `json:"session_id"`
	Owner     clew.UserID    `json:"owner"`
}

// Preview says what deleting a session would do, and changes nothing.
func (e *Eraser) Preview(ctx context.Context, id clew.SessionID) (Preview, error) {
	w, err := e.o.Host.Watch(ctx, id)
	if err != nil {
		return Preview{}, err
	}
	defer w.Close()
	s, err := w.State(ctx)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{
		SessionID: id, Title: s.Title, Owner: s.Owner, Directory: s.Workspace,
		Forks: []Fork{}, EraseMS: e.eraseAt(e.o.Clock.Now(), false),
	}
	if p.Records, err = s.LastMessageID.Seq(); err != nil {
		return Preview{}, err
	}
	if s.HitlPending != nil {
		p.Questions = 1 + len(s.HitlQueue)
	}
	if p.Checkpoints, err = e.o.Files.CountOf(ctx, id); err != nil {
		return Preview{}, err
	}
	forks, err := e.o.Store.Index.Forks(ctx, id)
	home := e.o.Home(id)
	if p.Directory == "" {
		p.Directory, p.DirectoryErased = home, true
	} else if rel, wrong := filepath.Rel(home, p.Directory); wrong == nil && filepath.IsLocal(rel) {
		p.DirectoryErased = len(forks) == 0 // a work tree that was made for it; forks work on in it
	}
	for _, f := range forks {
		p.Forks = append(p.Forks, Fork{f.ID, f.Owner})
	}
	return p, err
}

func (e *Eraser) eraseAt(from time.Time, now bool) int64 {
	if !now {
		from = from.AddDate(0, 0, e.o.Settings().EraseAfterDays)
	}
	return from.UnixMilli()
}

// Deleted gives who deleted a session, to its owner and to administrators; nil to
// others, and if nobody did.
func (e *Eraser) Deleted(ctx context.Context, id clew.SessionID, by clew.Principal) (*session.Erasure, error) {
	d, err := e.o.Table.Deleted(ctx, id)
	if err != nil || d == nil || !d.Concerns(by) {
		return nil, err
	}
	d.Blobs, d.Listed = nil, false
	return d, nil
}

// Delete deletes a session. It can be brought back for as long as the settings say,
// and not at all if now is true.
func (e *Eraser) Delete(ctx context.Context, id clew.SessionID, by clew.UserID, now bool) (session.Erasure, error) {
	at := e.o.Clock.Now()
	d := session.Erasure{Session: id, By: by, AtMS: at.UnixMilli(), EraseMS: e.eraseAt(at, now)}
	return d, e.delete(ctx, d)
}

func (e *Eraser) delete(ctx context.Context, d session.Erasure) error {
	if err := e.o.Host.Delete(ctx, d); err != nil {
		return err
	}
	if d.EraseMS <= d.AtMS {
		select {
		case e.kick <- struct{}{}:
		default: // it is on its way
		}
	}
	return nil
}

// Restore brings a deleted session back for its owner, or for an administrator.
func (e *Eraser) Restore(ctx context.Context, id clew.SessionID, by clew.Principal) error {
	d, err := e.Deleted(ctx, id, by)
	if err != nil {
		return err
	}
	if d == nil {
		return clew.Errorf(clew.SessionNotFound, "no deleted session %s", id)
	}
	return e.o.Host.Restore(ctx, id)
}

const (
	// lookEvery is how long after its time a session may wait to be erased.
	lookEvery = time.Minute
	// expireEvery is how often retention times are looked at.
	expireEvery = time.Hour
	expirePage  = 200
	// hideWithin is how long it may take until nobody's lists have one deleted session.
	hideWithin = 30 * time.Second
)

// Run erases what is due until ctx ends.
func (e *Eraser) Run(ctx context.Context) {
	look, expire := time.NewTicker(lookEvery), time.NewTicker(expireEvery)
	defer look.Stop()
	defer expire.Stop()
	if err := e.Expire(ctx, e.o.Clock.Now()); err != nil && ctx.Err() == nil {
		e.o.Log.Warn("retention times could not be looked at", "err", err)
	}
	if err := e.resume(ctx); err != nil && ctx.Err() == nil {
		e.o.Log.Warn("what runs for deleted sessions could not be looked at", "err", err)
	}
	for {
		if err := e.Round(ctx, e.o.Clock.Now()); err != nil && ctx.Err() == nil {
			e.o.Log.Warn("deleted sessions could not be erased; they are tried again", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-e.kick:
		case <-look.C:
		case <-expire.C:
			if err := e.Expire(ctx, e.o.Clock.Now()); err != nil && ctx.Err() == nil {
				e.o.Log.Warn("retention times could not be looked at", "err", err)
			}
		}
	}
}

// resume ends what an earlier run of this server left running for deleted sessions, and
// goes on with deletions that its end cut.
func (e *Eraser) resume(ctx context.Context) error {
	all, err := e.o.Table.List(ctx)
	if err != nil {
		return err
	}
	for _, d := range all {
		if d.DoneMS == 0 {
			e.o.Host.EndWork(d.Session)
		}
	}
	by := e.o.Clock.Now()
	if !e.o.Store.Alone() { // another node may be at it
		by = by.Add(-lookEvery)
	}
	e.hide(ctx, all, by)
	return nil
}

// hide takes sessions out of the lists whose owners ended before they could: those that
// were deleted by then. What fails is tried again in the next round.
func (e *Eraser) hide(ctx context.Context, all []session.Erasure, by time.Time) {
	for _, d := range all {
		if !d.Listed || d.AtMS > by.UnixMilli() {
			continue
		}
		if err := e.hideOne(ctx, d); err != nil && ctx.Err() == nil {
			e.o.Log.Warn("a deleted session may be in lists still", "session", d.Session, "err", err)
		}
	}
}

func (e *Eraser) hideOne(ctx context.Context, d session.Erasure) error {
	ctx, cancel := context.WithTimeout(ctx, hideWithin)
	defer cancel()
	if mine, err := e.o.Store.Mine(ctx, d.Session); err != nil || !mine {
		return err
	}
	if err := e.o.Store.Hide(ctx, d); err != nil {
		return err
	}
	return e.o.Host.Hidden(ctx, d.Session)
}

// Round erases the sessions whose time has come.
func (e *Eraser) Round(ctx context.Context, now time.Time) error {
	e.round.Lock()
	defer e.round.Unlock()
	all, err := e.o.Table.List(ctx)
	if err != nil {
		return err
	}
	e.hide(ctx, all, now.Add(-lookEvery))
	var due []session.Erasure
	for _, d := range all {
		if d.EraseMS > now.UnixMilli() || e.o.Host.Has(d.Session) { // in a moment it has left
			continue
		}
		if err := e.eraseFiles(ctx, d); err != nil {
			return err
		}
		if d.DoneMS > 0 {
			continue
		}
		if mine, err := e.o.Store.Mine(ctx, d.Session); err != nil {
			return err
		} else if mine {
			due = append(due, d)
		}
	}
	if len(due) == 0 {
		return nil
	}
	err = e.o.Store.Erase(ctx, due, func(ctx context.Context, id clew.SessionID, blobs []string) error {
		return e.o.Table.Change(ctx, id, func(d *session.Erasure) { d.Blobs = blobs })
	})
	if err != nil {
		return err
	}
	for _, d := range due {
		err := e.o.Table.Change(ctx, d.Session, func(d *session.Erasure) { d.Blobs, d.DoneMS = nil, e.o.Clock.Now().UnixMilli() })
		if err != nil {
			return err
		}
		e.o.Log.Info("a session is erased", "session", d.Session, "by", d.By, "expired", d.Expired)
	}
	return nil
}

// eraseFiles erases what this node has in files of its own. Each node has some, so
// each looks at every deleted session, once.
func (e *Eraser) eraseFiles(ctx context.Context, d session.Erasure) error {
	if e.cleaned[d.Session] || d.DoneMS > 0 && e.o.Store.Alone() {
		return nil
	}
	if d.DoneMS == 0 {
		if err := e.o.Table.Change(ctx, d.Session, func(d *session.Erasure) { d.Begun = true }); err != nil {
			return err
		}
	}
	forks, err := e.o.Store.Index.Forks(ctx, d.Session)
	if err == nil {
		err = e.o.Files.Erase(ctx, d.Session, idsOf(forks))
	}
	if err == nil {
		e.cleaned[d.Session] = true
	}
	return err
}

func idsOf(list []core.Summary) []clew.SessionID {
	var ids []clew.SessionID
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	return ids
}

// Expire deletes the sessions in which nothing happened for as long as the settings
// keep those of their owners.
func (e *Eraser) Expire(ctx context.Context, now time.Time) error {
	v := e.o.Settings()
	if v.RetentionDays == 0 && len(v.RetentionUsers) == 0 {
		return nil
	}
	for _, archived := range []bool{false, true} {
		q := session.ListQuery{Everyone: true, Archived: archived, Limit: expirePage}
		for {
			list, next, err := e.o.Host.List(ctx, q)
			if err != nil {
				return err
			}
			for _, s := range list {
				if err := e.expire(ctx, s, retention(v, s.Owner), now); err != nil {
					return err
				}
			}
			if q.Cursor = next; next == "" {
				break
			}
		}
	}
	return nil
}

func retention(v settings.Values, user clew.UserID) int {
	if days, ok := v.RetentionUsers[string(user)]; ok {
		return days
	}
	return v.RetentionDays
}

// expire deletes a session if its time is over. One that is at work is not.
func (e *Eraser) expire(ctx context.Context, s core.Summary, days int, now time.Time) error {
	working := s.Status == string(clew.StatusExecuting) || s.Status == string(clew.StatusPlanning)
	if days == 0 || working || s.UpdatedMS >= now.AddDate(0, 0, -days).UnixMilli() {
		return nil
	}
	err := e.delete(ctx, session.Erasure{Session: s.ID, Expired: true, AtMS: now.UnixMilli(), EraseMS: e.eraseAt(now, false)})
	if clew.CodeOf(err) == clew.SessionNotFound { // somebody was faster
		return nil
	}
	return err
}
