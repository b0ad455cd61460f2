package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/view"
)

var ownFold = []byte(fmt.Sprintf(`{"fold":%d,`, core.FoldVersion))

// older is a fold as the trees before FoldVersion stored it, with what it does
// not know left out.
func older(state []byte) []byte {
	state = bytes.Replace(state, []byte(`"archived":true,`), nil, 1)
	return append([]byte("{"), bytes.TrimPrefix(state, ownFold)...)
}

// newer is a fold of a program to come.
func newer(state []byte) []byte {
	head := fmt.Sprintf(`{"fold":%d,"tomorrow":{"is":"another day"},"messages":7,`, core.FoldVersion+1)
	return append([]byte(head), bytes.TrimPrefix(bytes.Replace(state, []byte(`"messages":`), []byte(`"messages_were":`), 1), ownFold)...)
}

func archive(t *testing.T, h *session.Host, id clew.SessionID) {
	t.Helper()
	do(t, h, id, clew.Command{Type: clew.CommandArchiveSession, By: ann, Data: &clew.ArchiveSessionData{Archived: true}})
}

// sealedSession makes a session that is archived, sealed and on no node.
func sealedSession(t *testing.T, m *journaltest.Memory, id clew.SessionID) {
	t.Helper()
	h := start(t, m.Node("a"), session.Config{})
	create(t, h, id)
	do(t, h, id, rename("r1"))
	archive(t, h, id)
	stop(h)
	if got := m.Sealed(id); !bytes.HasPrefix(got, ownFold) || core.FoldOf(got) != core.FoldVersion {
		t.Fatalf("the seal does not begin with its version: %.60s", got)
	}
}

// An older program opened a session that a newer one had sealed, dropped what it
// did not know and sealed again. The records tell the truth.
func TestOlderFoldIsMadeAnew(t *testing.T) {
	m := new(journaltest.Memory)
	sealedSession(t, m, "s1")
	want := m.Sealed("s1")
	m.Replace("s1", older)
	h := start(t, m.Node("a"), session.Config{})
	if st := stateOf(t, h, "s1"); !st.Archived || st.Title != "title r1" {
		t.Errorf("the state is of the older fold: archived %v, title %q", st.Archived, st.Title)
	}
	if got := m.Sealed("s1"); !bytes.Equal(got, want) {
		t.Errorf("sealed\n%s\nwant\n%s", got, want)
	}
	list, _, err := h.List(t.Context(), session.ListQuery{Owner: "ann", Archived: true, Limit: 5})
	if err != nil || len(list) != 1 {
		t.Errorf("the list of archived sessions has %v, %v", list, err)
	}
}

// A long session is folded from its first record once: what is kept on the way
// serves later returns.
func TestLongSessionIsFoldedAnewOnce(t *testing.T) {
	m := new(journaltest.Memory)
	h := start(t, m.Node("a"), session.Config{})
	create(t, h, "s1")
	for i := range 2300 {
		do(t, h, "s1", rename(fmt.Sprint("r", i)))
	}
	stop(h)
	want := m.Sealed("s1")
	m.Replace("s1", older)
	j := &countingReads{MemoryNode: m.Node("a")}
	h = start(t, j, session.Config{})
	stateOf(t, h, "s1")
	stop(h)
	if got := m.Sealed("s1"); !bytes.Equal(got, want) {
		t.Error("the fold from the records is another one")
	}
	j.records = 0
	h = start(t, j, session.Config{})
	stateOf(t, h, "s1")
	if j.records > 0 {
		t.Errorf("%d records were read to open it again", j.records)
	}
	if _, err := view.StateAt(t.Context(), j, "s1", 2250); err != nil || j.records > 260 {
		t.Errorf("%d records were read for a state near a kept fold: %v", j.records, err)
	}
}

// A fold of a newer program is left alone: the session can be read and nothing
// else.
func TestNewerFoldIsReadOnly(t *testing.T) {
	m := new(journaltest.Memory)
	sealedSession(t, m, "s1")
	m.Replace("s1", newer)
	want, records := m.Sealed("s1"), journaled(t, m.Node("a"), "s1")
	h := start(t, m.Node("a"), session.Config{})
	if st := stateOf(t, h, "s1"); !st.Archived || st.Title != "title r1" {
		t.Errorf("the state is %+v", st)
	}
	refusesWrites(t, h, "s1")
	stop(h)
	if got := m.Sealed("s1"); !bytes.Equal(got, want) {
		t.Errorf("the seal was replaced by\n%s", got)
	}
	if got := journaled(t, m.Node("a"), "s1"); len(got) != len(records) {
		t.Errorf("%d records, want %d", len(got), len(records))
	}
}

func refusesWrites(t *testing.T, h *session.Host, id clew.SessionID) {
	t.Helper()
	first := 0
	for _, data := range []any{
		&clew.RenameSessionData{Title: "x"}, &clew.UserMessageData{Text: "hello"}, &clew.ForkSessionData{},
		&clew.RewindData{Target: clew.Target{Index: &first}}, &clew.CheckpointSaveData{}, &clew.SetAccessData{UserID: "bob", Role: clew.RoleViewer},
	} {
		_, err := h.Do(t.Context(), id, clew.NewCommand(ann, data))
		if clew.CodeOf(err) != clew.SessionTooNew {
			t.Errorf("%T: %v", data, err)
		}
	}
	for name, err := range map[string]error{"seal": h.Seal(t.Context(), id), "wake": h.Wake(t.Context(), id)} {
		if clew.CodeOf(err) != clew.SessionTooNew {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A record of a type that is too new is no damage. Everything around it is shown,
// to the owner alone: it may have taken the others' access away.
func TestUnknownRecordIsReadOnly(t *testing.T) {
	m := new(journaltest.Memory)
	h := start(t, m.Node("a"), session.Config{})
	create(t, h, "s1")
	do(t, h, "s1", clew.NewCommand(ann, &clew.SetAccessData{UserID: "bob", Role: clew.RoleViewer}))
	do(t, h, "s1", say("m1", "hello"))
	stop(h)
	sealed := m.Sealed("s1")
	appendUnknown(t, m, "s1")
	h = start(t, m.Node("a"), session.Config{})
	w := watch(t, h, "s1")
	st, err := w.State(t.Context())
	if err != nil || len(st.Messages) != 1 {
		t.Fatalf("state %+v, %v", st, err)
	}
	var last clew.Record
	for r, err := range w.Read(t.Context(), 1, 1<<40) {
		if err != nil {
			t.Fatal(err)
		}
		last = r
	}
	if last.Type != "sun_rose" || st.LastMessageID != last.MessageID() {
		t.Errorf("the last record is %s, the state's %s", last.Type, st.LastMessageID)
	}
	if _, err := h.Access(t.Context(), "s1", bob); clew.CodeOf(err) != clew.SessionNotFound {
		t.Errorf("bob: %v", err)
	}
	_, err = h.Do(t.Context(), "s1", rename("r1"))
	if e := clew.AsError(err); e.Code != clew.SessionTooNew || !strings.Contains(e.Message, "sun_rose") || !e.Code.Info().Recoverable {
		t.Errorf("a command: %v", err)
	}
	refusesWrites(t, h, "s1")
	stop(h)
	if !bytes.Equal(m.Sealed("s1"), sealed) {
		t.Error("the session was sealed")
	}
}

// appendUnknown writes a record as a newer program would.
func appendUnknown(t *testing.T, m *journaltest.Memory, id clew.SessionID) {
	t.Helper()
	n := m.Node("a")
	lease, err := n.Claim(t.Context(), session.ShardOf(id))
	if err != nil {
		t.Fatal(err)
	}
	log, loaded, err := n.Open(t.Context(), lease, id)
	if err != nil {
		t.Fatal(err)
	}
	r := loaded.Head.Next(id, lease.Term, 1_800_000_000_000, "ann", "sun_rose", []byte(`{"at":"six"}`))
	if err := log.Append(t.Context(), []clew.Record{r}); err != nil {
		t.Fatal(err)
	}
}

// A fork whose first own record was still to come belongs to nobody, also after
// it was folded anew from its parent's records.
func TestFoundedForkStaysOwnerless(t *testing.T) {
	m := new(journaltest.Memory)
	sealedSession(t, m, "parent")
	n := m.Node("a")
	records := journaled(t, n, "parent")
	then, err := view.StateAt(t.Context(), n, "parent", 2)
	if err != nil {
		t.Fatal(err)
	}
	then.ID, then.Owner, then.CreatedMS = "child", "", 0
	state, err := then.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Found(t.Context(), "child", session.InitialHistory{Parent: "parent", Head: records[1].After(), State: older(state)}); err != nil {
		t.Fatal(err)
	}
	h := start(t, n, session.Config{})
	if _, err := h.Access(t.Context(), "child", ann); clew.CodeOf(err) != clew.SessionNotFound {
		t.Errorf("the fork has an owner before it is made: %v", err)
	}
}

// countingReads counts the records that are read.
type countingReads struct {
	*journaltest.MemoryNode
	records int
}

func (c *countingReads) Read(ctx context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		for r, err := range c.MemoryNode.Read(ctx, id, from, to) {
			c.records++
			if !yield(r, err) {
				return
			}
		}
	}
}

// nodes is a cluster as one node hears it.
type nodes struct {
	hold  bool
	newer string
	gave  []session.Lease
}

func (*nodes) Level() int        { return clew.Level }
func (n *nodes) HoldSeals() bool { return n.hold }
func (n *nodes) Newer() string   { return n.newer }

func (n *nodes) Yield(_ context.Context, l session.Lease) (session.Lease, error) {
	n.gave = append(n.gave, l)
	return l, nil
}

func (n *nodes) Offer(_ context.Context, l session.Lease, _ string) (session.Lease, error) {
	n.gave = append(n.gave, l)
	return l, nil
}

// While a node is up that could not read this program's folds, nothing is sealed:
// it may have to go on from the records.
func TestSealsWaitForTheLastNode(t *testing.T) {
	m := new(journaltest.Memory)
	c := &nodes{hold: true}
	h := start(t, m.Node("a"), session.Config{Cluster: c})
	create(t, h, "s1")
	for i := range 1100 {
		do(t, h, "s1", rename(fmt.Sprint("r", i)))
	}
	stop(h)
	if got := m.Sealed("s1"); got != nil {
		t.Errorf("sealed: %.100s", got)
	}
	h = start(t, m.Node("a"), session.Config{Cluster: &nodes{}})
	if st := stateOf(t, h, "s1"); st.Title != "title r1099" {
		t.Errorf("the title is %q", st.Title)
	}
	stop(h)
	if got := m.Sealed("s1"); core.FoldOf(got) != core.FoldVersion {
		t.Errorf("sealed: %.100s", got)
	}
}

// A session that is too new is left to a newer node as soon as there is one.
func TestTooNewGoesToANewerNode(t *testing.T) {
	m := new(journaltest.Memory)
	sealedSession(t, m, "s1")
	m.Replace("s1", newer)
	c := &nodes{}
	ctx, asked := context.WithCancel(t.Context()) // who asked goes on until then
	defer asked()
	h := start(t, m.Node("a"), session.Config{Cluster: c, Peers: silent{asked: asked}})
	if st := stateOf(t, h, "s1"); st.Title != "title r1" {
		t.Errorf("the title is %q", st.Title)
	}
	if len(c.gave) != 1 || c.gave[0].Shard != session.ShardOf("s1") {
		t.Errorf("yielded %+v", c.gave)
	}
	c.newer = "b"
	if _, err := h.Do(ctx, "s1", rename("r2")); !errors.Is(err, errAsked) {
		t.Errorf("the newer node was not asked: %v", err)
	}
}

// silent are peers that only say who was asked.
type silent struct {
	session.Peers
	asked func()
}

var errAsked = errors.New("asked b")

func (silent) Self() string { return "a" }
func (silent) Serve(ctx context.Context, _ func(context.Context, []byte) []byte) error {
	<-ctx.Done()
	return nil
}

func (p silent) Call(_ context.Context, node string, _ []byte) ([]byte, error) {
	p.asked()
	if node != "b" {
		return nil, errors.New("asked " + node)
	}
	return nil, errAsked
}
func (silent) Publish(clew.SessionID, []byte) {}
