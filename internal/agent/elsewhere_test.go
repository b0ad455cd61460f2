package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// severalNodes plays a test in which each host is another node, and the first one
// has written a file in the session's directory.
func severalNodes(t *testing.T, several bool, fn func(w *world), steps ...step) {
	t.Helper()
	write := calls(call("c1", "write_file", `{"path":"a.txt","content":"x"}`))
	run(t, allowed(), func(w *world) {
		w.several = several
		w.crash()
		w.say("write")
		w.idle()
		fn(w)
	}, append([]step{write, says("Written.")}, steps...)...)
}

// lonely is a node that hears of no other.
type lonely string

func (l lonely) Self() string                 { return string(l) }
func (lonely) Alive(string) bool              { return false }
func (lonely) Publish(clew.SessionID, []byte) {}

func (lonely) Call(context.Context, string, []byte) ([]byte, error) {
	return nil, errors.New("no such node")
}

func (lonely) Serve(ctx context.Context, _ func(context.Context, []byte) []byte) error {
	<-ctx.Done()
	return nil
}

func (lonely) Watch(clew.SessionID, func([]byte)) (func(), error) { return func() {}, nil }

// away takes the session's directory from this machine, and gives it back.
func (w *world) away() (back func()) {
	w.Helper()
	rename := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			w.Fatal(err)
		}
	}
	rename(w.dir, w.dir+".away")
	w.Cleanup(func() { _ = os.RemoveAll(w.dir + ".away") })
	return func() { rename(w.dir+".away", w.dir) }
}

func (w *world) choose(value string) {
	w.Helper()
	w.do(&clew.HitlInputResponseData{RequestID: w.question().RequestID(), Value: value})
}

// A directory that another node has and this one has not is asked about, once, and
// the agent hears that a person wants to continue without it.
func TestDirectoryOfAnotherNode(t *testing.T) {
	severalNodes(t, true, func(w *world) {
		w.away()
		w.crash()
		w.say("read")
		q, ok := w.question().Data.(*clew.HitlInputRequestData)
		if !ok || q.MissingWorkspace == nil || q.MissingWorkspace.Node != "node2" || q.MissingWorkspace.Here != "node3" || q.MissingWorkspace.Dir != w.dir {
			t.Fatalf("it asks %+v", w.question().Data)
		}
		if err := w.try(&clew.HitlInputResponseData{RequestID: q.RequestID, Value: "perhaps"}); clew.CodeOf(err) != clew.HitlInvalidResponse {
			t.Errorf("another answer: %v", err)
		}
		w.choose(clew.WorkspaceContinue)
		w.idle()
		if heard := w.model.last().Messages; !strings.Contains(fmt.Sprint(heard[len(heard)-1].Content), "Continue without the files") {
			t.Errorf("the model heard %+v", heard[len(heard)-1])
		}
	}, says("Nothing is here."))
}

// Who wants to wait can be talked into something else: a stop ends the waiting, and
// the next message asks again.
func TestWaitingEndsWithAStop(t *testing.T) {
	severalNodes(t, true, func(w *world) {
		back := w.away()
		w.crash()
		w.say("read")
		w.choose(clew.WorkspaceWait)
		if w.question() != nil || !strings.Contains(w.story(), "Waiting for node node2") {
			t.Fatalf("it waits:\n%s", w.story())
		}
		w.do(&clew.InterruptData{})
		w.idle()
		w.say("read")
		w.do(&clew.AskResponseData{AskResponse: clew.NoButtonClicked})
		w.idle()
		back()
		w.say("read")
		w.idle()
	}, says("It is here."))
}

// A directory that is there under the same path is on storage that nodes share, and
// a node that is alone asks nobody.
func TestDirectoryThatIsHere(t *testing.T) {
	severalNodes(t, true, func(w *world) {
		w.crash()
		w.say("read")
		w.idle()
	}, says("It is here."))
	severalNodes(t, false, func(w *world) {
		w.away()
		w.crash()
		w.say("read")
		w.idle()
	}, says("There is no workspace."))
}
