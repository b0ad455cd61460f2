package ipc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// A start that is sent again on another connection brings the session from its
// first record, also if the client has heard something of it there already.
func TestRepeatedStartFromTheFirstRecord(t *testing.T) {
	b := newBench(t)
	g := b.connect()
	g.command("start_new_task", `"client_message_id":"1","data":{"text":"once"}`)
	id := g.find("message_accepted").Data.Session
	_ = g.conn.Close()
	b.until("those who were there have heard of it", func() bool {
		b.movedMu.Lock()
		defer b.movedMu.Unlock()
		return len(b.moved) == 0 && len(b.kick) == 0
	})
	again := b.connect() // it hears of everything
	b.host.get(id).append(2, "")
	again.records(id, 3, 2)
	again.id = g.id
	again.command("start_new_task", `"client_message_id":"1","data":{"text":"once"}`)
	again.records(id, 0, 5)
	b.host.get(id).append(1, "")
	again.records(id, 5, 1)
	// Once more, on a connection that has it all.
	again.command("start_new_task", `"client_message_id":"1","data":{"text":"once"}`)
	again.find("message_accepted")
	b.host.get(id).append(1, "")
	again.records(id, 6, 1)
	if n := len(b.host.commands()); n != 1 {
		t.Errorf("%d commands", n)
	}
}

// A start that broke off half-way leaves nothing in the way of its repetition.
func TestStartAfterFault(t *testing.T) {
	b := newBench(t)
	g := b.connect()
	b.host.mu.Lock()
	b.host.creating = func() { panic("a fault") }
	b.host.mu.Unlock()
	g.command("start_new_task", `"client_message_id":"1","data":{"text":"x"}`)
	if l := g.find("error"); l.with("code") != "INTERNAL" {
		t.Errorf("%s", l.raw)
	}
	b.host.mu.Lock()
	b.host.creating = nil
	b.host.mu.Unlock()
	g.command("start_new_task", `"client_message_id":"1","data":{"text":"x"}`)
	id := g.find("message_accepted").Data.Session
	b.host.get(id).append(1, "")
	g.find("todo_progress")
}

// Two programs may call their commands alike in one session: both count. The same
// program is known by its name on another connection.
func TestNamesOfTwoPrograms(t *testing.T) {
	b := newBench(t)
	b.host.add("s1", "owner")
	one, two := b.connect(), b.connect()
	for _, g := range []*guest{one, two} {
		g.narrow()
		g.command("send_message", `"session_id":"s1","client_message_id":"1","data":{"text":"x"}`)
		if l := g.find("message_accepted"); l.with("client_message_id") != "1" {
			t.Errorf("%s", l.raw)
		}
	}
	if n := len(b.host.commands()); n != 2 {
		t.Errorf("%d commands of two programs", n)
	}
	if a, b := b.host.commands()[0].ClientMessageID, b.host.commands()[1].ClientMessageID; a != clew.ClientMessageID(one.id+":1") || b != clew.ClientMessageID(two.id+":1") {
		t.Errorf("%s %s", a, b)
	}
	for range 2 {
		g := b.connect()
		g.id = "nightly-build"
		g.command("send_message", `"session_id":"s1","client_message_id":"1","data":{"text":"x"}`)
		g.find("message_accepted")
		_ = g.conn.Close()
	}
	if n := len(b.host.commands()); n != 3 {
		t.Errorf("%d commands of three programs", n)
	}
}

// A client that has as many sessions at work as it may gets no further one: it is
// not made. When a task ends, there is a place again. What happens in a session
// at rest the client hears all the same, from where it stopped.
func TestOwnLimit(t *testing.T) {
	b := newBench(t)
	g := b.connect()
	g.narrow()
	var ids []clew.SessionID
	for i := range maxOwn {
		g.command("start_new_task", fmt.Sprintf(`"client_message_id":"%d","data":{"text":"x"}`, i))
		ids = append(ids, g.find("message_accepted").Data.Session)
	}
	full := func() {
		t.Helper()
		g.command("start_new_task", `"client_message_id":"too many","data":{"text":"x"}`)
		if l := g.find("error"); l.with("code") != "QUEUE_FULL" || aboutOf(l) != "too many" {
			t.Fatalf("%s", l.raw)
		}
	}
	full()
	b.host.add("s1", "owner")
	g.command("follow", `"client_message_id":"f","session_id":"s1"`)
	if l := g.find("error"); l.with("code") != "QUEUE_FULL" {
		t.Fatalf("%s", l.raw)
	}
	if n := len(b.host.made); n != maxOwn {
		t.Errorf("%d sessions were made", n)
	}
	b.host.get(ids[0]).end()
	g.find("task_completed")
	b.until("its place is free", func() bool { return b.host.openWatches() == maxOwn-1 })
	g.command("start_new_task", `"client_message_id":"more","data":{"text":"x"}`)
	g.find("message_accepted")
	full()
	for i := range 3 { // the one at rest
		b.host.get(ids[0]).append(1, "")
		if l := g.find("todo_progress"); l.Data.Session != ids[0] || l.Data.MessageID != string(clew.MessageIDOf(uint64(5+i))) {
			t.Fatalf("%s", l.raw)
		}
		b.until("it is let go", func() bool { return b.host.openWatches() == maxOwn })
	}
	g.command("send_message", `"session_id":"`+string(ids[0])+`","data":{"text":"go on"}`)
	if l := g.find("task_created"); l.Data.Session != ids[0] || l.Data.MessageID != "msg_000000000008" {
		t.Errorf("%s", l.raw)
	}
}

// A session that cannot be followed is a gap, and the client is told; it hears of
// the session again when it moves.
func TestGapIsTold(t *testing.T) {
	b := newBench(t)
	s := b.host.add("s1", "somebody")
	g := b.connect()
	b.host.failWatch(clew.Errorf(clew.Internal, "broken"))
	s.append(1, "")
	if l := g.find("error"); l.with("code") != "UNAVAILABLE" || l.Data.Session != "s1" || l.Relay != g.id {
		t.Errorf("%s", l.raw)
	}
	b.host.failWatch(clew.Errorf(clew.Unavailable, "it moves")) // which passes
	b.until("it is let go", func() bool { return b.follows() == 0 })
	s.append(1, "")
	b.until("it is tried", func() bool { return b.follows() == 1 })
	b.host.failWatch(nil)
	g.records("s1", 1, 1)
}

// follows counts the followers of all clients.
func (b *bench) follows() int {
	n := 0
	for _, c := range b.all() {
		c.fmu.Lock()
		n += len(c.follows)
		c.fmu.Unlock()
	}
	return n
}

// Once a client is told that it hears of its own sessions only, it does.
func TestNothingAfterNarrowed(t *testing.T) {
	b := newBench(t)
	var list []*fakeSession
	for i := range 20 {
		list = append(list, b.host.add(clew.SessionID(fmt.Sprintf("s%d", i)), "somebody"))
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			for _, s := range list {
				select {
				case <-stop:
					return
				default:
					s.append(3, "")
				}
			}
		}
	}()
	defer func() { close(stop); <-stopped }()
	for range 20 {
		g := b.connect()
		g.find("todo_progress")
		g.narrow()
		g.command("dance", `"client_message_id":"mark"`)
		if l := g.next(); aboutOf(l) != "mark" {
			t.Errorf("after it was narrowed: %s", l.raw)
		}
		_ = g.conn.Close()
	}
}

// Many sessions with much to say cost a client that does not read one buffer, not
// one each; when it reads, nothing is missing.
func TestOneBufferForAllSessions(t *testing.T) {
	b := newBench(t)
	const sessions, records, size = 30, 40, 50_000
	g := b.connect()
	data := `{"todo_id":"t1","progress":50,"note":"` + strings.Repeat("x", size) + `"}`
	want := map[clew.SessionID]uint64{}
	for i := range sessions {
		s := b.host.add(clew.SessionID(fmt.Sprintf("s%d", i)), "somebody")
		want[s.ID] = 0
		s.appendOf(records, clew.EventTodoProgress, "", data)
	}
	b.until("all are followed", func() bool { return b.host.openWatches() == sessions })
	c := b.all()[0]
	most := 0
	for total := 0; total < sessions*records; {
		c.mu.Lock()
		most = max(most, cap(c.pending))
		c.mu.Unlock()
		l := g.next()
		seq, err := clew.MessageID(l.Data.MessageID).Seq()
		if err != nil || seq != want[l.Data.Session]+1 {
			t.Fatalf("%s after %d: %.200s", l.Data.Session, want[l.Data.Session], l.raw)
		}
		want[l.Data.Session] = seq
		total++
	}
	if most > 2*(maxPending+2*size) { // a slice that grows may double
		t.Errorf("%d bytes were waiting", most)
	}
	t.Logf("%d bytes were waiting", most)
}
