// Package hostile attacks the real program: a scripted model calls tools as an
// enemy would, secrets are put in through every door, and the tests look for
// what came of it outside.
package hostile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
)

// patience is how long a test waits for an outside process.
const patience = 60 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(peerVar) != "" {
		if err := peer(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
	code := proc.Main(m)
	if err := tally.print(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// A server is the program as a process, and what these tests ask of it.
type server struct {
	*proc.Proc
	t testing.TB
}

// startProc starts a server with further variables of its environment, as given.
func startProc(t testing.TB, env map[string]string) *server {
	t.Helper()
	// Cores are allowed as far as they can be: the server has to forbid them.
	var cores syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CORE, &cores) == nil {
		cores.Cur = cores.Max
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &cores)
	}
	s := &server{proc.New(t, proc.Program(t, ""), t.TempDir(), env), t}
	proc.Must(t, s.Start())
	return s
}

// dump ends the server as a crash would, with all goroutines on stderr.
func (s *server) dump() {
	_ = s.Quit() // its exit code says that it crashed
	select {
	case <-s.Exited():
	default:
		s.t.Fatal("the server did not end")
	}
}

func (s *server) token() string {
	token, err := s.Token()
	proc.Must(s.t, err)
	return token
}

// rest makes a request as the owner and gives all that came back, headers too.
func (s *server) rest(method, path, body string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.URL()+path, strings.NewReader(body))
	proc.Must(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.token())
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	proc.Must(s.t, err)
	defer func() { _ = resp.Body.Close() }()
	var all bytes.Buffer
	fmt.Fprintln(&all, resp.Status, resp.Header)
	_, err = io.Copy(&all, resp.Body)
	proc.Must(s.t, err)
	return all.String()
}

// clew runs another command of the program and gives all it says.
func (s *server) clew(args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, errs, _, err := s.Run(ctx, args...)
	proc.Must(s.t, err)
	return out + errs // what it says is what counts
}
