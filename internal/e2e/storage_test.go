package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	procs "github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
)

// withoutReserve is for tests that want the disk itself to refuse.
func withoutReserve() map[string]string {
	env := maps.Clone(quiet)
	env["DISK_RESERVE"] = "0"
	return env
}

// fillDisk takes all the room that a file system has, and gives it back.
func fillDisk(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, size := range []int{64 << 10, 4 << 10} {
		for piece := make([]byte, size); err == nil; {
			_, err = f.Write(piece)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		err = nil
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// writers rename sessions without end, each command again under its name until
// it is acknowledged.
type writers struct {
	api      *client.API
	stop     context.CancelFunc
	wg       sync.WaitGroup
	acks     atomic.Int64
	refusals atomic.Int64
	slowest  atomic.Int64 // refusal, ns
	refusal  atomic.Pointer[clew.Error]

	mu    sync.Mutex
	acked map[clew.SessionID][]string // titles
}

func startWriters(ctx context.Context, api *client.API, ids []clew.SessionID) *writers {
	ctx, stop := context.WithCancel(ctx)
	w := &writers{api: api, stop: stop, acked: map[clew.SessionID][]string{}}
	for _, id := range ids {
		w.wg.Go(func() { w.write(ctx, id) })
	}
	return w
}

func (w *writers) write(ctx context.Context, id clew.SessionID) {
	for n := 0; ctx.Err() == nil; n++ {
		title := fmt.Sprintf("title %d of %s", n, id)
		for ctx.Err() == nil {
			began := time.Now()
			_, err := w.api.Command(ctx, id, clew.ClientMessageID(title), clew.CommandRenameSession, clew.RenameSessionData{Title: title})
			if err == nil {
				w.mu.Lock()
				w.acked[id] = append(w.acked[id], title)
				w.mu.Unlock()
				w.acks.Add(1)
				break
			}
			var e *clew.Error
			if ctx.Err() == nil && errors.As(err, &e) {
				w.refusals.Add(1)
				w.refusal.Store(e)
				w.slowest.Store(max(w.slowest.Load(), int64(time.Since(began))))
			}
		}
	}
}

// end stops them and checks that the sessions have what was acknowledged, once
// and in order.
func (w *writers) end(t *testing.T, srv *proc) {
	t.Helper()
	w.stop()
	w.wg.Wait()
	s := &store{secret: srv.ownerToken(), frames: map[clew.SessionID][][]byte{}}
	for id, titles := range w.acked {
		all := strings.Join(texts(s.read(t, srv, id)), "\n")
		at := 0
		for _, title := range titles {
			quoted := strconv.Quote(title)
			i := strings.Index(all[at:], quoted)
			if i < 0 || strings.Count(all, `"title":`+quoted) != 1 {
				t.Fatalf("%s was acknowledged and stands %d times in its place", title, strings.Count(all, quoted))
			}
			at += i
		}
	}
}

func status(t *testing.T, srv *proc, path string) (code int, took time.Duration) {
	t.Helper()
	began := time.Now()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+srv.ownerToken())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, time.Since(began)
}

// sessionsOnRecord makes sessions and starts the server anew, so that the last
// of them is in no memory.
func sessionsOnRecord(t *testing.T, srv *proc, n int) []clew.SessionID {
	t.Helper()
	api := client.NewAPI(srv.URL(), srv.ownerToken())
	var ids []clew.SessionID
	for range n {
		id, err := api.CreateSession(t.Context(), client.NewSession{})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	srv.kill()
	if err := srv.Restart(); err != nil {
		t.Fatal(err)
	}
	return ids
}

// A full disk makes the server read-only and nothing worse: who reads goes on,
// also in a session that must be loaded first; who writes hears why at once; and
// when there is room again writes are taken again, in the same process, with
// everything that was acknowledged (T1, T9).
//
// Covers: STO-07
func TestFullDiskIsReadOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a disk")
	}
	dir := procs.SmallDisk(t, "64m")
	srv := startServer(t, options{dir: filepath.Join(dir, "data"), env: withoutReserve()})
	ids := sessionsOnRecord(t, srv, 6)
	written, cold := ids[:4], ids[4:]
	w := startWriters(t.Context(), client.NewAPI(srv.URL(), srv.ownerToken()), written)
	defer w.stop()
	var longest, slowestRead time.Duration
	for round, coldID := range []clew.SessionID{cold[0], cold[1], cold[0]} {
		acks := w.acks.Load()
		eventually(t, "writes", func() bool { return w.acks.Load() > acks+20 })
		free := fillDisk(t, dir)
		refusals := w.refusals.Load()
		eventually(t, "refusals", func() bool { return w.refusals.Load() > refusals+20 })
		if e := w.refusal.Load(); e.Code != clew.StorageFailed || !strings.Contains(e.Message, "disk is full") {
			t.Errorf("a writer heard %v", e)
		}
		for _, path := range []string{"/api/v1/sessions/" + string(coldID), "/api/v1/sessions/" + string(written[0]), "/api/v1/sessions/" + string(written[1]) + "/messages", "/api/v1/sessions"} {
			code, took := status(t, srv, path)
			if code != http.StatusOK {
				t.Errorf("round %d: GET %s gave %d", round, path, code)
			}
			slowestRead = max(slowestRead, took)
		}
		if code, _ := status(t, srv, "/readyz"); code != http.StatusServiceUnavailable {
			t.Errorf("/readyz gave %d", code)
		}
		if code, _ := status(t, srv, "/healthz"); code != http.StatusOK {
			t.Errorf("/healthz gave %d", code)
		}
		acks = w.acks.Load()
		began := time.Now()
		free()
		eventually(t, "writes after there is room", func() bool { return w.acks.Load() > acks })
		longest = max(longest, time.Since(began))
		if code, _ := status(t, srv, "/readyz"); code != http.StatusOK {
			t.Errorf("/readyz gave %d after there was room", code)
		}
	}
	nightly.Promise(t, "reading with a full disk", slowestRead, 2500*time.Millisecond)
	nightly.Promise(t, "writing again after there is room", longest, 10*time.Second)
	nightly.Promise(t, "a refusal", time.Duration(w.slowest.Load()), time.Second)
	w.end(t, srv)
	t.Logf("figures acknowledged=%d lost=0 refused=%d slowest_refusal=%v back_after=%v", w.acks.Load(), w.refusals.Load(), time.Duration(w.slowest.Load()).Round(time.Millisecond), longest.Round(time.Millisecond))
	if err := srv.Stop(); err != nil {
		t.Errorf("exit: %v", err)
	}
}

// A flush that fails, as a dying disk has it, is healed in the process too, and
// nothing that was acknowledged is lost (T1).
//
// Covers: STO-07
func TestFlushFailureIsHealed(t *testing.T) {
	if testing.Short() {
		t.Skip("traces a server")
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("not run: strace is not installed")
	}
	srv := startServer(t, options{env: quiet})
	ids := sessionsOnRecord(t, srv, 4)
	w := startWriters(t.Context(), client.NewAPI(srv.URL(), srv.ownerToken()), ids)
	defer w.stop()
	eventually(t, "writes", func() bool { return w.acks.Load() > 20 })
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	trace := exec.CommandContext(ctx, strace, "-f", "-qq", "-o", "/dev/null", "-p", strconv.Itoa(srv.Pid()), "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO:when=5")
	trace.Cancel = func() error { return trace.Process.Signal(syscall.SIGINT) }
	trace.WaitDelay = 5 * time.Second // strace may never get rid of a process that was just being made
	if err := trace.Start(); err != nil {
		t.Fatal(err)
	}
	// It may be that tracing is not allowed here.
	ended := make(chan error, 1)
	go func() { ended <- trace.Wait() }()
	gone := false
	eventually(t, "a flush to fail", func() bool {
		select {
		case <-ended:
			gone = true
		default:
		}
		return gone || strings.Contains(srv.Out.String(), "takes no more records")
	})
	if gone {
		t.Skip("not run: the server cannot be traced here")
	}
	stop()
	<-ended
	acks := w.acks.Load()
	eventually(t, "writes after the flush failed", func() bool { return w.acks.Load() > acks+20 })
	w.end(t, srv)
	t.Logf("figures acknowledged=%d lost=0 refused=%d", w.acks.Load(), w.refusals.Load())
}

// Below the reserve nothing new is begun, and whatever ends or takes back still
// goes through.
//
// Covers: STO-07
func TestDiskReserve(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a disk")
	}
	dir := procs.SmallDisk(t, "64m") // of which a quarter is kept
	env := maps.Clone(quiet)
	env["DISK_RESERVE"] = "5%" // the usual one, which other tests do without
	srv := startServer(t, options{dir: filepath.Join(dir, "data"), env: env})
	api := client.NewAPI(srv.URL(), srv.ownerToken())
	id, err := api.CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	command := func(typ clew.CommandType, data any) error {
		_, err := api.Command(t.Context(), id, "", typ, data)
		return err
	}
	if err := command(clew.CommandUserMessage, clew.UserMessageData{Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the echo to answer", func() bool {
		s, err := api.GetSession(t.Context(), id)
		return err == nil && s.Status == clew.StatusIdle
	})
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 50<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "new work to be refused", func() bool {
		_, err := api.CreateSession(t.Context(), client.NewSession{})
		return clew.CodeOf(err) == clew.StorageFailed && strings.Contains(err.Error(), "low on disk space")
	})
	for _, work := range []struct {
		typ  clew.CommandType
		data any
	}{
		{clew.CommandUserMessage, clew.UserMessageData{Text: "more"}},
		{clew.CommandNewTask, clew.NewTaskData{Text: "more"}},
		{clew.CommandForkSession, clew.ForkSessionData{}},
	} {
		if err := command(work.typ, work.data); clew.CodeOf(err) != clew.StorageFailed {
			t.Errorf("%s gave %v", work.typ, err)
		}
	}
	first := 0
	for _, end := range []struct {
		typ  clew.CommandType
		data any
	}{
		{clew.CommandRenameSession, clew.RenameSessionData{Title: "low"}},
		{clew.CommandInterrupt, clew.InterruptData{}},
		{clew.CommandRewind, clew.RewindData{Target: clew.Target{Index: &first}}},
		{clew.CommandUndoRewind, clew.UndoRewindData{}},
		{clew.CommandArchiveSession, clew.ArchiveSessionData{Archived: true}},
	} {
		if err := command(end.typ, end.data); err != nil {
			t.Errorf("%s gave %v", end.typ, err)
		}
	}
	if code, _ := status(t, srv, "/api/v1/sessions/"+string(id)+"/export"); code != http.StatusOK {
		t.Errorf("an export gave %d", code)
	}
	if code, _ := status(t, srv, "/readyz"); code != http.StatusOK {
		t.Errorf("/readyz gave %d: it can append", code)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	eventually(t, "new work to be taken", func() bool { return command(clew.CommandUserMessage, clew.UserMessageData{Text: "more"}) == nil })
}

// On a disk that is slow to flush, sessions do not wait in one line for it (P2):
// a hundred commands at once take a fraction of what they take with one stream.
func TestSlowFlushesRunBesideEachOther(t *testing.T) {
	if testing.Short() {
		t.Skip("traces a server")
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("not run: strace is not installed")
	}
	const sessions = 100
	took := func(partitions string) time.Duration {
		env := maps.Clone(quiet)
		if partitions != "" {
			env["JOURNAL_PARTITIONS"] = partitions
		}
		srv := startServer(t, options{env: env})
		defer srv.kill()
		api := client.NewAPI(srv.URL(), srv.ownerToken())
		var ids []clew.SessionID
		for range sessions {
			id, err := api.CreateSession(t.Context(), client.NewSession{})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		out := &strings.Builder{}
		trace := exec.CommandContext(ctx, strace, "-f", "-p", strconv.Itoa(srv.Pid()), "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:delay_exit=10000")
		trace.Cancel = func() error { return trace.Process.Signal(syscall.SIGINT) }
		trace.WaitDelay = 5 * time.Second // strace may never get rid of a process that was just being made
		trace.Stderr = out
		if err := trace.Start(); err != nil {
			t.Fatal(err)
		}
		rename := func(id clew.SessionID) time.Duration {
			began := time.Now()
			if _, err := api.Command(t.Context(), id, "", clew.CommandRenameSession, clew.RenameSessionData{Title: "x"}); err != nil {
				t.Error(err)
			}
			return time.Since(began)
		}
		for slow, tries := 0, 0; slow < 2 && tries < 1000; tries++ { // until the tracer has its hands on it
			if rename(ids[0]) < 10*time.Millisecond {
				slow = 0
			} else {
				slow++
			}
		}
		began := time.Now()
		var all sync.WaitGroup
		for _, id := range ids {
			all.Go(func() { rename(id) })
		}
		all.Wait()
		d := time.Since(began)
		stop()
		if err := trace.Wait(); err != nil && strings.Contains(out.String(), "not permitted") {
			t.Skip("not run: the server cannot be traced here")
		}
		return d
	}
	one, usual := took("1"), took("")
	t.Logf("figures slow_flush_1_ms=%d slow_flush_default_ms=%d ratio=%.1f", one.Milliseconds(), usual.Milliseconds(), one.Seconds()/usual.Seconds())
	if one < 2*usual {
		t.Errorf("%d commands at once took %v, with one stream %v", sessions, usual, one)
	}
}
