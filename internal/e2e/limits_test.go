package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	procs "github.com/clew-run/clew/internal/e2e/proc"
)

// A directory has one server. A second one says so and leaves it alone.
//
// Covers: STO-07
func TestSecondServerOnADirectory(t *testing.T) {
	first := startServer(t, options{})
	id, err := client.NewAPI(first.URL(), first.ownerToken()).CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	second := newProc(t, options{dir: first.Dir})
	if err := second.Start(); err == nil {
		t.Fatal("a second server started")
	}
	if said := second.Out.String(); !strings.Contains(said, "in use by another clew process") || strings.Contains(said, "goroutine ") {
		t.Errorf("the second server said %q", said)
	}
	if out, errs, code := second.clew("doctor", "--store", "--data", first.Dir); code != 1 || !strings.Contains(errs, "in use") {
		t.Errorf("the doctor looked at a directory in use: %d %s %s", code, out, errs)
	}
	if _, err := client.NewAPI(first.URL(), first.ownerToken()).GetSession(t.Context(), id); err != nil {
		t.Errorf("the first server suffered: %v", err)
	}
}

// SIGTERM closes sockets with a code that says "come back" and ends with 0.
func TestStopIsGraceful(t *testing.T) {
	srv := startServer(t, options{})
	api := client.NewAPI(srv.URL(), srv.ownerToken())
	id, err := api.CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	ws, err := dialBare(t.Context(), srv.URL(), srv.ownerToken(), id, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	ended := make(chan error, 1)
	go func() {
		for {
			if _, _, err := ws.Read(t.Context()); err != nil {
				ended <- err
				return
			}
		}
	}()
	if err := srv.Stop(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if err := <-ended; !strings.Contains(err.Error(), "1001") && !strings.Contains(err.Error(), "STOPPING") {
		t.Errorf("the socket ended with %v", err)
	}
}

// When the disk is full commands are refused with a reason, the server stays
// up, and what was acknowledged is there afterwards.
//
// Covers: STO-07
func TestDiskFull(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a disk")
	}
	dir := procs.SmallDisk(t, "24m")
	srv := startServer(t, options{dir: filepath.Join(dir, "data"), env: withoutReserve()})
	s := &store{secret: srv.ownerToken(), frames: map[clew.SessionID][][]byte{}}
	api := client.NewAPI(srv.URL(), s.secret)
	id, err := api.CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	acked, refusal := fill(t, api, id)
	t.Logf("after %d titles the server said: %v", len(acked), refusal)
	switch clew.CodeOf(refusal) {
	case clew.StorageFailed, clew.Unavailable, clew.Internal, clew.ConnectionTimeout, clew.ConnectionFailed:
	default:
		t.Errorf("refused with %v", refusal)
	}
	if r := srv.do(t, call{method: "GET", path: "/healthz"}); r.status != 200 {
		t.Errorf("the server is not well: %d", r.status)
	}
	srv.kill()
	s.dir = filepath.Join(t.TempDir(), "data")
	if out, err := exec.Command("cp", "-a", srv.Dir, s.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	roomy := startServer(t, options{dir: s.dir, env: quiet})
	all := strings.Join(texts(s.read(t, roomy, id)), "\n")
	for _, title := range acked {
		if !strings.Contains(all, title) {
			t.Fatalf("%.20q was acknowledged and is gone", title)
		}
	}
	if _, err := client.NewAPI(roomy.URL(), s.secret).Command(t.Context(), id, "", clew.CommandRenameSession, clew.RenameSessionData{Title: "room again"}); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// fill writes until the server refuses.
func fill(t *testing.T, api *client.API, id clew.SessionID) (acked []string, refusal error) {
	t.Helper()
	for i := range 10_000 {
		title := fmt.Sprintf("%06d%s", i, strings.Repeat("x", 180))
		text := fmt.Sprintf("%s %s", title, strings.Repeat("x", 100_000))
		eventually(t, "the echo catches up", func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
			defer cancel()
			_, refusal = api.Command(ctx, id, "", clew.CommandUserMessage, clew.UserMessageData{Text: text})
			return clew.CodeOf(refusal) != clew.QueueFull
		})
		if refusal != nil {
			return acked, refusal
		}
		acked = append(acked, title)
	}
	t.Fatal("the disk did not get full")
	return nil, nil
}

func texts(frames [][]byte) []string {
	list := make([]string, len(frames))
	for i, f := range frames {
		list[i] = string(f)
	}
	return list
}

// README's first five minutes, followed literally.
//
// Covers: WS-094, WS-097
func TestFirstFiveMinutes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	script := filepath.Join(procs.Root(), "examples", "first-five-minutes.sh")
	if _, err := os.Stat(script); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not here")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", script)
	cmd.Env = procs.Environment(map[string]string{"CLEW_PROGRAM": procs.Program(t, "")})
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "all steps passed") {
		t.Fatalf("%v\n%s", errors.Join(err, ctx.Err()), out)
	}
}
