// Package upgrade runs programs of different versions on one engine, one after the
// other and beside each other, and looks whether any of them loses something.
package upgrade

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// within bounds every wait for a program.
const within = 60 * time.Second

const secret = "a-secret-of-the-tests-0123456789abcdef"

// A stage is an engine and an archive that nodes share.
type stage struct {
	t       testing.TB
	engine  string
	archive string
	secret  string // the file
	token   string
}

func newStage(t testing.TB) *stage {
	t.Helper()
	port, err := proc.FreePort()
	s := &stage{t: t, archive: t.TempDir(), secret: filepath.Join(t.TempDir(), "hmac")}
	s.must(err)
	listen := fmt.Sprintf("127.0.0.1:%d", port)
	s.engine = "nats://" + listen
	j, err := journal.Open(t.Context(), journal.Config{
		Dir: t.TempDir(), Listen: listen, Archive: "file://" + s.archive, Partitions: 2, SyncInterval: time.Minute,
	}, quiet())
	s.must(err)
	t.Cleanup(func() { j.Close(context.Background()) })
	s.must(os.WriteFile(s.secret, []byte(secret), 0o600))
	s.token, err = jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": "alice", "clew_role": "owner", "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString([]byte(secret))
	s.must(err)
	return s
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// node is a server of some version. Records are sealed a second after they were
// written.
func (s *stage) node(bin string) *proc.Proc {
	s.t.Helper()
	return proc.New(s.t, bin, s.t.TempDir(), map[string]string{
		"CLEW_ENGINE": s.engine, "CLEW_JOURNAL_ARCHIVE": "file://" + s.archive, "CLEW_JOURNAL_REPLICAS": "1",
		"CLEW_JOURNAL_SEAL_AFTER": "1s", "CLEW_AUTH_HMAC_SECRET_FILE": s.secret,
	})
}

func (s *stage) api(p *proc.Proc) *client.API { return client.NewAPI(p.URL(), s.token) }

// create makes a session, which is no node's for a moment after a kill.
func (s *stage) create(p *proc.Proc, id clew.SessionID) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), within)
	defer cancel()
	_, err := s.api(p).CreateSession(ctx, client.NewSession{SessionID: id})
	s.must(err)
}

func (s *stage) do(p *proc.Proc, id clew.SessionID, name string, typ clew.CommandType, data any) error {
	ctx, cancel := context.WithTimeout(s.t.Context(), within)
	defer cancel()
	_, err := s.api(p).Command(ctx, id, clew.ClientMessageID(name), typ, data)
	return err
}

func (s *stage) rename(p *proc.Proc, id clew.SessionID, title string) error {
	return s.do(p, id, "to "+title, clew.CommandRenameSession, clew.RenameSessionData{Title: title})
}

func (s *stage) archived(p *proc.Proc, id clew.SessionID) {
	s.t.Helper()
	s.must(s.do(p, id, "", clew.CommandArchiveSession, clew.ArchiveSessionData{Archived: true}))
}

// in opens the store as one more node, for as long as fn runs.
func (s *stage) in(fn func(j *journal.Journal)) {
	s.t.Helper()
	j, err := journal.Open(s.t.Context(), journal.Config{
		Dir: s.t.TempDir(), Engine: s.engine, Replicas: 1, Archive: "file://" + s.archive,
	}, quiet())
	s.must(err)
	defer j.Close(context.Background())
	fn(j)
}

// open claims a session, once its last owner is known to be gone.
func (s *stage) open(j *journal.Journal, id clew.SessionID) (session.Lease, session.Log, core.Loaded) {
	s.t.Helper()
	var lease session.Lease
	s.await("the shard is free", func() (err error) {
		lease, err = j.Claim(s.t.Context(), session.ShardOf(id))
		return err
	})
	log, loaded, err := j.Open(s.t.Context(), lease, id)
	s.must(err)
	return lease, log, loaded
}

// await tries until something succeeds.
func (s *stage) await(what string, try func() error) {
	s.t.Helper()
	over := time.After(within)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-over:
			s.t.Fatalf("%s: not so after %s: %v", what, within, err)
		}
	}
}

// sealedUp waits until a session is sealed up to its end.
func (s *stage) sealedUp(j *journal.Journal, id clew.SessionID) {
	s.t.Helper()
	s.await("sealed", func() error {
		_, loaded, err := j.Open(s.t.Context(), session.Lease{Shard: session.ShardOf(id)}, id)
		if err == nil && loaded.StateSeq != loaded.Head.Seq {
			err = fmt.Errorf("%s is sealed up to %d of %d", id, loaded.StateSeq, loaded.Head.Seq)
		}
		return err
	})
}
