package shell

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestKeeperKeepsBothEnds(t *testing.T) {
	for _, step := range []int{1, 7, 64, 1000} {
		var all strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&all, "line %d\n", i)
		}
		k := keeper{limit: 1000}
		for rest := []byte(all.String()); len(rest) > 0; {
			n := min(step, len(rest))
			k.Write(rest[:n])
			rest = rest[n:]
		}
		want := all.String()
		note := fmt.Sprintf("\n[… %d bytes left out …]\n", len(want)-1000)
		if got := k.String(); got != want[:500]+note+want[len(want)-500:] {
			t.Fatalf("step %d: %q", step, got)
		}
		if cap(k.head)+cap(k.tail) > 4000 {
			t.Fatalf("it holds %d bytes", cap(k.head)+cap(k.tail))
		}
	}
}

func TestKeeperKeepsAllThatFits(t *testing.T) {
	k := keeper{limit: 100}
	k.Write([]byte(strings.Repeat("a", 60)))
	k.Write([]byte(strings.Repeat("b", 40)))
	if got := k.String(); got != strings.Repeat("a", 60)+strings.Repeat("b", 40) {
		t.Errorf("%q", got)
	}
}

func TestOutputTakesWhatIsNew(t *testing.T) {
	o := newOutput(1000, nil)
	o.Write([]byte("one\n"))
	<-o.first
	if got := o.Take(); got != "one\n" {
		t.Errorf("%q", got)
	}
	o.Write([]byte("two\n\xc3"))
	o.End()
	if got := o.Take(); got != "two\n\uFFFD" {
		t.Errorf("%q", got)
	}
	if got := o.Take(); got != "" {
		t.Errorf("%q", got)
	}
}

// blocked is a watcher that takes nothing until it is let go.
type blocked struct {
	free chan struct{}
	mu   sync.Mutex
	got  bytes.Buffer
}

func (b *blocked) Write(p []byte) (int, error) {
	<-b.free
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.got.Write(p)
}

func TestStreamWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w, done, ended := newStream(), &blocked{free: make(chan struct{})}, make(chan struct{}), make(chan struct{})
		go func() { defer close(ended); s.Run(w, done) }()
		piece := []byte(strings.Repeat("y\n", 4096))
		for range 1000 {
			s.Add(piece) // returns although nothing is taken
		}
		close(w.free)
		close(done)
		<-ended
		if n := w.got.Len(); n > 3*livePending {
			t.Errorf("%d bytes were queued", n)
		}
		if !strings.Contains(w.got.String(), "bytes not shown") {
			t.Error("nothing says that output was left out")
		}
	})
}

func TestStreamOfAFloodIsGentle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w, done, ended := newStream(), &blocked{free: make(chan struct{})}, make(chan struct{}), make(chan struct{})
		close(w.free)
		go func() { defer close(ended); s.Run(w, done) }()
		piece := []byte(strings.Repeat("y\n", 16<<10))
		for range 60_000 { // a minute
			s.Add(piece)
			time.Sleep(time.Millisecond)
		}
		close(done)
		<-ended
		if n := w.got.Len(); n < liveGentle || n > 2*liveGentle {
			t.Errorf("%d bytes were shown of a flood", n)
		}
	})
}
