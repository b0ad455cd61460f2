package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	procs "github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/wire"
)

// A store is a data directory and what was acknowledged in it. It is a pattern:
// tests damage copies.
type store struct {
	dir      string
	sessions []clew.SessionID
	frames   map[clew.SessionID][][]byte // every record of each session, as sent
	secret   string                      // the owner token
}

// The kinds of sessions in a store. Their number is small: each is read again
// for each kind of damage.
const (
	archivedSessions = 4 // sealed and cut from the stream; the first fills a segment
	mixedSessions    = 2 // sealed, and more after it in the stream
	freshSessions    = 4 // in the stream alone
	longSession      = 2300
)

// quiet keeps what is in the stream there.
var quiet = map[string]string{"JOURNAL_SEAL_AFTER": "1h", "IDLE_AFTER": "1h"}

// makeStore fills a directory and ends its server with kill -9, or properly.
func makeStore(t testing.TB, properly bool) *store {
	t.Helper()
	s := &store{dir: t.TempDir(), frames: map[clew.SessionID][][]byte{}}
	srv := startServer(t, options{dir: s.dir, env: map[string]string{
		"JOURNAL_SEAL_AFTER": "400ms", "IDLE_AFTER": "1h", "JOURNAL_PARTITIONS": "1", // several sessions share a block
	}})
	s.secret = srv.ownerToken()
	for i := range archivedSessions + mixedSessions {
		n := 20
		if i == 0 {
			n = longSession
		}
		s.add(t, srv, n)
	}
	for _, id := range s.sessions {
		s.awaitSealed(t, srv, id)
	}
	srv.kill()
	srv.Setenv(prefixed(quiet))
	if err := srv.Restart(); err != nil {
		t.Fatal(err)
	}
	for _, id := range s.sessions[archivedSessions:] {
		s.write(t, srv, id, 10)
	}
	for range freshSessions {
		s.add(t, srv, 30)
	}
	for _, id := range s.sessions {
		s.frames[id] = s.read(t, srv, id)
	}
	if _, err := client.NewAPI(srv.URL(), s.secret).ListSessions(t.Context(), "", "", 100); err != nil { // it is up to date then
		t.Fatal(err)
	}
	if !properly {
		srv.kill()
	} else if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	return s
}

// add makes a session with n titles, and a message with its answer.
func (s *store) add(t testing.TB, srv *proc, n int) {
	t.Helper()
	api := client.NewAPI(srv.URL(), s.secret)
	id, err := api.CreateSession(t.Context(), client.NewSession{Title: "one"})
	if err != nil {
		t.Fatal(err)
	}
	s.sessions = append(s.sessions, id)
	s.write(t, srv, id, n)
}

func (s *store) write(t testing.TB, srv *proc, id clew.SessionID, n int) {
	t.Helper()
	api := client.NewAPI(srv.URL(), s.secret)
	var wg sync.WaitGroup
	const hands = 16 // together, so that batches form
	for h := range min(hands, n) {
		wg.Go(func() {
			for i := h; i < n; i += hands {
				title := fmt.Sprintf("title %d %s", i, strings.Repeat("x", 40))
				if _, err := api.Command(t.Context(), id, "", clew.CommandRenameSession, clew.RenameSessionData{Title: title}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if _, err := api.Command(t.Context(), id, "", clew.CommandUserMessage, clew.UserMessageData{Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the echo to answer", func() bool {
		s, err := api.GetSession(t.Context(), id)
		return err == nil && s.Status == clew.StatusIdle
	})
}

// eventually polls an outside process.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	procs.Eventually(t, what, time.Minute, ok)
}

// awaitSealed waits until the archive has all of a session. Only the sweeper
// seals in this store, and it cuts the stream before it looks at it again.
func (s *store) awaitSealed(t testing.TB, srv *proc, id clew.SessionID) {
	t.Helper()
	head := len(s.read(t, srv, id))
	eventually(t, "the sweeper to seal "+string(id), func() bool {
		return len(glob(t, s.dir, fmt.Sprintf("archive/*/*/%s~%016x*", id, head))) > 0
	})
}

// blocks lists the engine's files with records.
func (s *store) blocks(t testing.TB, dir string) []string {
	return glob(t, dir, "engine/jetstream/*/streams/CLEW_J_0/msgs/*.blk")
}

func glob(t testing.TB, dir, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// copy gives a directory of its own to damage.
func (s *store) copy(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if out, err := exec.Command("cp", "-a", s.dir, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// read gives every record of a session as the server sends it.
func (s *store) read(t testing.TB, srv *proc, id clew.SessionID) [][]byte {
	t.Helper()
	frames, refusal, err := s.open(t.Context(), srv, id)
	if err != nil || refusal != nil {
		t.Fatalf("session %s: %v %v", id, err, refusal)
	}
	return frames
}

// open reads a session. refusal is what the server says instead of the session.
func (s *store) open(ctx context.Context, srv *proc, id clew.SessionID) (frames [][]byte, refusal *clew.ErrorData, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	ws, err := dialBare(ctx, srv.URL(), s.secret, id, url.Values{"resume_from": {"start"}})
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = ws.CloseNow() }()
	for {
		_, b, err := ws.Read(ctx)
		if err != nil {
			return frames, refusal, endOf(err, refusal)
		}
		var env wire.Envelope
		if err := json.Unmarshal(b, &env); err != nil {
			return frames, nil, err
		}
		switch {
		case env.Seq() > 0:
			frames = append(frames, b)
		case env.Type == string(clew.EventSyncComplete):
			return frames, nil, nil
		case env.Type == string(clew.EventError):
			refusal = &clew.ErrorData{}
			if err := json.Unmarshal(env.Data, refusal); err != nil {
				return frames, nil, err
			}
		}
	}
}

// endOf accepts the close that follows a refusal.
func endOf(err error, refusal *clew.ErrorData) error {
	var end websocket.CloseError
	if refusal != nil && errors.As(err, &end) && end.Reason == string(refusal.Code) {
		return nil
	}
	return err
}
