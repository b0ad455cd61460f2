package supervisor

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew/internal/notebook/zmtp"
	"github.com/clew-run/clew/internal/poll"
)

// A recording has what a program publishes, as it came and from some message on: it begins
// anew when it is emptied, and when something does not fit.
func TestRecording(t *testing.T) {
	dir := t.TempDir()
	r := Recording{Socket: filepath.Join(dir, "s"), File: filepath.Join(dir, "published"), Max: 100}
	ended := make(chan struct{})
	go func() { defer close(ended); r.record(t.Context()) }()
	listen, err := net.Listen("unix", r.Socket) // perhaps later than it is looked for
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listen.Close() }()
	raw, err := listen.Accept()
	if err != nil {
		t.Fatal(err)
	}
	program, err := zmtp.Accept(t.Context(), raw, zmtp.Pub, func(*zmtp.Conn) {})
	if err != nil {
		t.Fatal(err)
	}
	if wish, err := program.Receive(t.Context()); err != nil || !bytes.Equal(wish[0], []byte{1}) {
		t.Fatalf("it subscribed with %q %v", wish, err)
	}
	small, large := bytes.Repeat([]byte("x"), 30), bytes.Repeat([]byte("y"), 101)
	var all []byte
	publish := func(frames ...[]byte) {
		t.Helper()
		if err := program.Send(t.Context(), frames...); err != nil {
			t.Fatal(err)
		}
		if all = append(all, zmtp.Encode(frames)...); len(all) > int(r.Max) {
			all = nil
		}
		poll.Until(t, "the message in the file", func() bool {
			got, err := os.ReadFile(r.File)
			return err == nil && bytes.Equal(got, all)
		})
	}
	publish([]byte("topic"), small)
	publish([]byte("topic"), []byte{})
	if err := os.Truncate(r.File, 0); err != nil {
		t.Fatal(err)
	}
	all = nil
	publish([]byte("after"), small)
	publish(large)
	publish(small)
	publish(small)
	frames := zmtp.NewReader(bytes.NewReader(all))
	for range 2 {
		if m, err := frames.Message(); err != nil || len(m) != 1 || !bytes.Equal(m[0], small) {
			t.Errorf("it has %q %v", m, err)
		}
	}
	if _, err := frames.Message(); err != io.EOF { //nolint:errorlint // given bare
		t.Errorf("and then %v", err)
	}
	publish(small)
	publish(small) // one too many
	if all != nil {
		t.Errorf("%d bytes fit", len(all))
	}
	_ = program.Close()
	<-ended
}
