package ipc

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
)

// records takes n records of a session and checks that they follow seq.
func (g *guest) records(id clew.SessionID, seq uint64, n int) {
	g.t.Helper()
	for n > 0 {
		l := g.next()
		if l.Data.MessageID == "" || l.Relay != "" {
			continue
		}
		got, err := clew.MessageID(l.Data.MessageID).Seq()
		if err != nil || got != seq+1 || l.Data.Session != id {
			g.t.Fatalf("after %d: %s", seq, l.raw)
		}
		seq, n = got, n-1
	}
}

func (g *guest) follow(id, more string) {
	g.t.Helper()
	g.command("follow", fmt.Sprintf(`"session_id":%q,"data":{"scope":"own"%s}`, id, more))
}

// A client that comes back names the last record it has, and gets the state, the
// rest, and the word that this is the present; the journal helps where the feed
// does not reach.
func TestResume(t *testing.T) {
	b := newBench(t)
	s := b.host.add("s1", "owner")
	s.append(3000, "") // more than a feed holds
	for _, from := range []struct {
		cursor string
		after  uint64
	}{{"start", 0}, {"msg_000000000001", 1}, {"msg_000000002990", 2990}, {"msg_000000003000", 3000}} {
		g := b.connect()
		g.narrow()
		g.follow("s1", `,"resume_from":"`+from.cursor+`","epoch":"e1"`)
		l := g.next()
		if l.Data.Type != "session_state" || l.Relay != g.id || l.with("epoch") != "e1" || l.with("last_message_id") != "msg_000000003000" {
			t.Fatalf("%s", l.raw)
		}
		g.records("s1", from.after, 3000-int(from.after))
		if l := g.find("sync_complete"); l.with("replayed") != fmt.Sprint(3000-from.after) || l.Relay != g.id {
			t.Errorf("%s", l.raw)
		}
		_ = g.conn.Close()
	}
	g := b.connect()
	g.narrow()
	g.follow("s1", "")
	g.find("sync_complete")
	s.append(4, "")
	s.appendOf(1, clew.EventTaskStarted, "", `{"task_id":"task_1","root_task_id":"task_1"}`) // without that nobody speaks
	s.stream("word")
	g.records("s1", 3000, 5)
	if l := g.find("agent_response"); l.with("delta") != "word" {
		t.Errorf("%s", l.raw)
	}
	s.move() // to another owner
	s.append(2, "")
	g.records("s1", 3005, 2)
	g.follow("s1", `,"resume_from":"msg_000000003004"`) // once more
	g.find("session_state")
	g.records("s1", 3004, 3)
	for _, lost := range []string{`,"resume_from":"msg_000000009999"`, `,"resume_from":"rubbish"`, `,"resume_from":"msg_000000000001","epoch":"e0"`} {
		g.follow("s1", lost)
		if l := g.find("error"); l.with("code") != "CURSOR_LOST" || l.Relay != g.id {
			t.Errorf("%s: %s", lost, l.raw)
		}
		if l := g.find("sync_complete"); l.with("replayed") != "0" {
			t.Errorf("%s: %s", lost, l.raw)
		}
	}
}

// A session that a client only happens to hear of is let go when it is quiet, and
// nothing is missed when it moves again.
func TestQuietSession(t *testing.T) {
	b := newBench(t, func(o *Options) { o.QuietAfter = time.Millisecond })
	s := b.host.add("s1", "somebody")
	g := b.connect()
	for i := range 50 {
		s.append(2, "")
		g.records("s1", uint64(2*i), 2)
		if i%10 == 0 {
			b.until("it is let go", func() bool { return b.host.openWatches() == 0 })
		}
	}
}

// The word that a record was written may come after somebody has sent the record and
// let the session go. It is not sent again.
func TestLateWord(t *testing.T) {
	b := newBench(t, func(o *Options) { o.QuietAfter = time.Millisecond })
	s := b.host.add("s1", "somebody")
	g := b.connect()
	for i := range uint64(5) {
		s.append(1, "")
		g.records("s1", i, 1)
		b.until("it is let go", func() bool { return b.host.openWatches() == 0 })
		b.host.tell("s1", i+1)
		b.until("it is let go again", func() bool { return b.host.openWatches() == 0 })
	}
}

// A narrowed client hears no more of others, a widened one hears them again.
func TestScope(t *testing.T) {
	b := newBench(t)
	s := b.host.add("s1", "somebody")
	own := b.host.add("s2", "owner")
	g := b.connect()
	s.append(1, "")
	g.records("s1", 0, 1)
	g.follow("s2", "")
	g.find("sync_complete")
	b.until("the other one is let go", func() bool { return b.host.openWatches() == 0 }) // and nobody works in its own
	s.append(1, "")
	own.append(1, "")
	g.records("s2", 0, 1)
	g.command("follow", `"data":{"scope":"all"}`)
	g.find("message_accepted")
	s.append(1, "")
	g.records("s1", 2, 1)
}

// A client that does not read costs a bounded buffer, is told, and can come back;
// others do not notice.
func TestSlowClient(t *testing.T) {
	b := newBench(t, func(o *Options) { o.WriteTimeout = time.Second })
	s := b.host.add("s1", "owner")
	slow, quick := b.connect(), b.connect()
	for _, g := range []*guest{slow, quick} {
		g.narrow()
		g.follow("s1", "")
		g.find("sync_complete")
	}
	const total = 20_000
	got := make(chan struct{})
	go func() {
		defer close(got)
		quick.records("s1", 0, total)
	}()
	for range total / 100 {
		s.append(100, "")
	}
	<-got
	b.until("the slow one is closed", func() bool { return b.Clients() == 1 })
	_ = slow.conn.SetReadDeadline(time.Now().Add(patience))
	var last string
	lines := bufio.NewScanner(slow.in)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		last = lines.Text()
		n++
	}
	if n >= total {
		t.Errorf("it got all %d lines", n)
	}
	// Its buffer was full, so the last words may not have reached it whole.
	if !strings.Contains(b.log.String(), "does not read and is closed") {
		t.Error(b.log.String())
	}
	t.Logf("%d lines, the last one: %s", n, last)
}

// A client that reads again within the grace hears why it is closed, on a line
// of its own.
func TestSlowClientHearsWhy(t *testing.T) {
	b := newBench(t, func(o *Options) { o.WriteTimeout, o.Linger = 20*time.Millisecond, patience })
	s := b.host.add("s1", "owner")
	g := b.connect()
	g.narrow()
	g.follow("s1", "")
	g.find("sync_complete")
	go func() {
		for range 200 {
			s.append(100, "")
		}
	}()
	b.until("it is too slow", func() bool { return strings.Contains(b.log.String(), "does not read and is closed") })
	all, err := io.ReadAll(g.in)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(all), "\n"), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, `"code":"CONNECTION_TIMEOUT"`) || !strings.HasPrefix(last, `{"type":"task_event"`) {
		t.Errorf("the last line is %.300s", last)
	}
	for _, l := range lines {
		if !strings.HasPrefix(l, `{"type":"task_event"`) || !strings.HasSuffix(l, "}") {
			t.Errorf("half a line: %.300s", l)
		}
	}
}
