package ipc

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/wire"
)

// A task is a command as its client knows it.
type task struct {
	cmd   clew.TaskCommandData
	text  string
	taken client.LocalAnswer // zero until it is acknowledged
}

// A visitor comes, says something and goes, at random, for as long as it is
// asked to.
type visitor struct {
	crowd *crowd
	n     int
	rnd   *rand.Rand
	local *client.Local
	tasks []*task
}

type crowd struct {
	*stage
	taken  atomic.Int64 // acknowledged commands
	broken atomic.Int64 // commands whose answer the client did not hear
	stop   chan struct{}
}

func (v *visitor) live() {
	v.local = client.NewLocal(v.crowd.socket())
	defer v.local.Close()
	for !v.crowd.over() {
		if _, connected := v.local.Ack(); !connected && !v.come() {
			v.rest()
			continue
		}
		v.speak()
		switch v.rnd.IntN(10) {
		case 0:
			v.drop(false)
		case 1:
			v.drop(true)
		}
	}
}

func (c *crowd) over() bool {
	select {
	case <-c.stop:
		return true
	default:
		return false
	}
}

// rest leaves the machine to the others for a moment. It is no synchronisation.
func (v *visitor) rest() {
	select {
	case <-time.After(time.Duration(5+v.rnd.IntN(40)) * time.Millisecond):
	case <-v.crowd.stop:
	}
}

// come connects and asks for its own sessions only.
func (v *visitor) come() bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return v.local.Connect(ctx) == nil && v.local.Follow(ctx, "", clew.FollowData{Scope: clew.FollowOwn}) == nil
}

// speak sends a command: one that is not acknowledged again, as it was, else a
// new one. Sometimes it does not wait for the answer.
func (v *visitor) speak() {
	t := v.next()
	if v.rnd.IntN(8) == 0 {
		_ = v.local.SendCommand(t.cmd)
		v.crowd.broken.Add(1)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer, err := v.local.Do(ctx, t.cmd)
	switch {
	case err == nil:
		t.taken = answer
		v.crowd.taken.Add(1)
	case clew.CodeOf(err) == clew.ConnectionFailed || clew.CodeOf(err) == clew.Unavailable:
		v.crowd.broken.Add(1)
	case clew.CodeOf(err) == clew.QueueFull: // all agents have work: it is sent again
		v.crowd.broken.Add(1)
		v.rest() // or the agents get no processor
	default:
		v.crowd.T.Errorf("visitor %d: %v", v.n, err)
	}
}

func (v *visitor) next() *task {
	if n := len(v.tasks); n > 0 && v.tasks[n-1].taken.SessionID == "" {
		return v.tasks[n-1]
	}
	t := &task{text: fmt.Sprintf("visitor %d says %d.", v.n, len(v.tasks))}
	t.cmd = clew.TaskCommandData{
		CommandName: clew.TaskCommandStartNewTask, ClientMessageID: clew.ClientMessageID(fmt.Sprint(len(v.tasks))),
		Data: clew.StartNewTaskData{Text: t.text},
	}
	if n := len(v.tasks); n > 0 && v.rnd.IntN(10) != 0 {
		t.cmd.CommandName, t.cmd.SessionID = clew.TaskCommandSendMessage, v.tasks[n-1].taken.SessionID
		t.cmd.Data = clew.UserMessageData{Text: t.text}
	}
	v.tasks = append(v.tasks, t)
	return t
}

// drop goes without a word, in the middle of one if midway.
func (v *visitor) drop(midway bool) {
	if midway {
		if conn, err := net.Dial("unix", v.crowd.socket()); err == nil {
			line, _ := wire.EncodeLocalCommand("", v.next().cmd)
			_, _ = conn.Write(line[:1+v.rnd.IntN(len(line)-1)])
			_ = conn.Close()
		}
	}
	v.local.Disconnect()
}

// Many clients connect, send and drop at random against a server under kill -9.
// What was acknowledged is there, once; what was sent again had no second effect;
// when all are gone, the server has nothing left of them.
func TestCrowd(t *testing.T) {
	visitors, kills, each := 200, 3, 300
	if nightly.On() {
		visitors, kills, each = 1000, 10, 1000
	}
	c := &crowd{stage: newStage(t, "", map[string]string{"CLEW_IDLE_AFTER": "1s"}).start(), stop: make(chan struct{})}
	seed := nightly.Seed(t)
	began := time.Now()
	all := make([]*visitor, visitors)
	var group sync.WaitGroup
	for i := range all {
		all[i] = &visitor{crowd: c, n: i, rnd: rand.New(rand.NewPCG(seed, uint64(i)))}
		group.Go(all[i].live)
	}
	for life := range kills + 1 {
		goal := int64((life + 1) * each)
		for taken := c.taken.Load(); taken < goal; taken = c.taken.Load() {
			eventually(t, "somebody is heard", func() bool { return c.taken.Load() > taken })
		}
		t.Logf("life %d: %d acknowledged, %s since the start", life, c.taken.Load(), time.Since(began).Round(time.Second))
		if life < kills {
			c.Srv.Kill()
			if err := c.Srv.Start(); err != nil {
				t.Fatal(err)
			}
		}
	}
	close(c.stop)
	group.Wait()
	t.Logf("%d acknowledged, %d broken off", c.taken.Load(), c.broken.Load())
	c.audit(all)
	c.leaks(all)
}

// audit reads every session that was acknowledged.
func (c *crowd) audit(all []*visitor) {
	c.T.Helper()
	want := map[clew.SessionID]map[string]bool{}
	open := 0 // commands that would make a session and are not acknowledged
	for _, v := range all {
		for _, task := range v.tasks {
			if task.cmd.CommandName == clew.TaskCommandStartNewTask && task.taken.SessionID == "" {
				open++
			}
			if id := task.taken.SessionID; id != "" {
				if want[id] == nil {
					want[id] = map[string]bool{}
				}
				want[id][task.text] = true
			}
		}
	}
	for id, texts := range want {
		var said map[string]int
		// What waits for an agent is said when its turn comes.
		eventually(c.T, fmt.Sprintf("all of %v is said in %s", texts, id), func() bool {
			said = c.said(id)
			for text := range texts {
				if said[text] == 0 {
					return false
				}
			}
			return true
		})
		for text, n := range said {
			if n > 1 {
				c.T.Errorf("%d times in %s: %s", n, id, text)
			}
		}
	}
	// The list follows the journal by a moment.
	eventually(c.T, "all sessions are listed", func() bool { return c.sessions() >= len(want) })
	if n := c.sessions(); n > len(want)+open {
		c.T.Errorf("%d sessions for %d commands, and %d whose fate is open", n, len(want), open)
	}
	c.T.Logf("%d sessions were read", len(want))
}

// said counts what was said in a session.
func (c *crowd) said(id clew.SessionID) map[string]int {
	c.T.Helper()
	page, err := c.api.Messages(context.Background(), id, client.PageOf{Limit: 1000})
	if err != nil {
		c.T.Fatal(err)
	}
	said := map[string]int{}
	for _, m := range page.Messages {
		if m.Role == clew.SpeakerUser {
			said[m.Text]++
		}
	}
	return said
}

// sessions counts those that the server has.
func (c *crowd) sessions() int {
	c.T.Helper()
	n := 0
	for cursor := ""; ; {
		page, err := c.api.ListSessions(context.Background(), "", cursor, 200)
		if err != nil {
			c.T.Fatal(err)
		}
		n += len(page.Sessions)
		if cursor = page.Next; cursor == "" {
			return n
		}
	}
}

// leaks compares the server with one that has had no such crowd.
func (c *crowd) leaks(all []*visitor) {
	c.T.Helper()
	eventually(c.T, "nobody is connected", func() bool { return c.metric("clew_local_clients") == 0 })
	eventually(c.T, "the sessions are let go", func() bool { return c.metric("clew_sessions_loaded") == 0 })
	files, routines, heap := c.files(), c.metric("go_goroutines"), c.metric("go_memstats_heap_inuse_bytes")
	for range 3 { // as many again, in the same life
		var group sync.WaitGroup
		for _, v := range all {
			group.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				if l, err := client.DialLocal(ctx, c.socket()); err == nil {
					defer l.Close()
					_ = l.SendCommand(clew.TaskCommandData{CommandName: clew.TaskCommandFollow, Data: clew.FollowData{Scope: clew.FollowOwn}})
					// Somebody who never got through to the server has said nothing.
					if v.n%10 == 0 && len(v.tasks) > 0 && v.tasks[0].taken.SessionID != "" {
						_ = l.Follow(ctx, v.tasks[0].taken.SessionID, clew.FollowData{ResumeFrom: "start"})
					}
				}
			})
		}
		group.Wait()
	}
	eventually(c.T, "nobody is connected", func() bool { return c.metric("clew_local_clients") == 0 })
	eventually(c.T, "the sessions are let go", func() bool { return c.metric("clew_sessions_loaded") == 0 })
	eventually(c.T, "file descriptors are closed", func() bool { return c.files() <= files+2 })
	eventually(c.T, "goroutines have ended", func() bool { return c.metric("go_goroutines") <= routines+4 })
	eventually(c.T, "memory is free again", func() bool { return c.metric("go_memstats_heap_inuse_bytes") <= 2*heap+64e6 }) // garbage may wait as long as it likes
	c.T.Logf("%d files, %.0f goroutines, %.0f MB in use", c.files(), c.metric("go_goroutines"), c.metric("go_memstats_heap_inuse_bytes")/1e6)
}
