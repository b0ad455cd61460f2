package travel_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/checkpointtest"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
)

// target chooses a message to go to. cut is the first one that goes.
func (x *walk) target(st clew.SessionState) (at clew.Target, cut clew.MessageID, keep bool) {
	i := x.pick(len(st.Messages))
	if keep = x.pick(4) == 0 && i+1 < len(st.Messages); keep {
		cut = st.Messages[i+1].MessageID
	} else {
		cut = st.Messages[i].MessageID
	}
	at = clew.Target{MessageID: st.Messages[i].MessageID}
	if x.pick(3) == 0 {
		at = clew.Target{TS: st.Messages[i].TS}
	}
	return at, cut, keep
}

// checkpoint is the one that files go to with the message at cut.
func (x *walk) checkpoint(cut clew.MessageID) string {
	for _, hash := range []string{x.own[cut], x.prior[cut], x.first} {
		if hash != "" {
			return hash
		}
	}
	return ""
}

// rewind goes back to a message, with files or without, and says something else
// there at times.
func (x *walk) rewind() {
	x.t.Helper()
	st := x.rest()
	if len(st.Messages) == 0 {
		return
	}
	x.othersChange()
	if x.asks(x.seq()) {
		x.w.tally["with questions"]++
	}
	at, cut, keep := x.target(st)
	to, err := cut.Seq()
	proc.Must(x.t, err)
	files, edits := x.pick(5) > 0, !keep && x.pick(6) == 0
	var data any = &clew.RewindData{Target: at, KeepTarget: keep, RestoreCheckpoint: files}
	if edits {
		data = &clew.EditMessageConfirmData{Target: at, Text: "otherwise", RestoreCheckpoint: files}
	}
	before := x.before(files)
	if files && x.pick(4) == 0 {
		x.preview(at, keep, before)
	}
	want := x.trees[x.checkpoint(cut)]
	stood := x.prior[cut]
	if files {
		stood = x.checkpoint(cut)
	}
	x.now = stood // the agent goes on from there
	r := x.do(data)
	if !edits {
		x.filesAre("rewind", files, want, before)
	}
	x.learn(x.rest(), stood)
	x.arrived("rewind", r.Records, to-1, files, stood)
	x.undo, x.redo = append(x.undo, before.past), nil
}

// before is how things are before a return.
type before struct {
	past
	all, touched checkpointtest.Tree
}

func (x *walk) before(files bool) before {
	b := before{past: past{now: x.now, parts: x.parts(x.seq())}, all: readTree(x.t, x.dir, nil), touched: touched(x.t, x.dir, nil)}
	if files {
		b.files = readTree(x.t, x.dir, checkpointtest.LeftAlone)
	}
	return b
}

// back undoes the last return, or does it again.
func (x *walk) back(kind clew.RewindKind) {
	x.t.Helper()
	from, onto, data := &x.undo, &x.redo, any(&clew.UndoRewindData{})
	if kind == clew.KindRedo {
		from, onto, data = &x.redo, &x.undo, &clew.RedoRewindData{}
	}
	if len(*from) == 0 {
		return
	}
	x.othersChange()
	was := (*from)[len(*from)-1]
	before := x.before(was.files != nil)
	r := x.do(data)
	x.rest()
	x.filesAre(string(kind), was.files != nil, was.files, before)
	seq := x.check()
	if x.parts(seq) != was.parts {
		x.t.Fatalf("%s to\n%s\nwant\n%s", kind, x.parts(seq), was.parts)
	}
	x.now = was.now
	if was.files != nil {
		x.now = x.returned(r.Records).Files.Hash
		x.trees[x.now] = was.files
	}
	*from, *onto = (*from)[:len(*from)-1], append(*onto, before.past)
	x.w.tally[string(kind)]++
}

// filesAre checks what became of the files.
func (x *walk) filesAre(what string, moved bool, want checkpointtest.Tree, b before) {
	x.t.Helper()
	now := touched(x.t, x.dir, nil)
	if !moved {
		if d := b.touched.Differ(now); d != "" {
			x.t.Fatalf("%s: files were to stay:\n%s", what, d)
		}
		return
	}
	if d := alone(b.touched).Differ(alone(now)); d != "" {
		x.t.Fatalf("%s: these were to be left alone:\n%s", what, d)
	}
	if d := deviation(want, b.all, readTree(x.t, x.dir, nil)); d != "" {
		x.t.Fatalf("%s led to other files:\n%s", what, d)
	}
	x.w.tally["with files"]++
}

// returned finds the record of a return among those of a receipt.
func (x *walk) returned(records []clew.MessageID) *clew.Return {
	x.t.Helper()
	for _, id := range records {
		seq, err := id.Seq()
		proc.Must(x.t, err)
		for r, err := range x.w.journal.Read(x.t.Context(), x.id, seq, seq) {
			proc.Must(x.t, err)
			ev, err := clew.DecodeEvent(r.Type, r.Data())
			proc.Must(x.t, err)
			switch d := ev.Data.(type) {
			case *clew.HistoryRewoundData:
				return &d.Return
			case *clew.RewindUndoneData:
				return &d.Return
			}
		}
	}
	x.t.Fatal("no return is on record")
	return nil
}

// arrived holds a session that was taken back against a fold up to that point.
func (x *walk) arrived(what string, records []clew.MessageID, to uint64, files bool, hash string) {
	x.t.Helper()
	back := x.returned(records)
	if back.To != clew.MessageIDOf(to) || files != (back.Files != nil) || files && back.Files.Hash != hash {
		x.t.Fatalf("%s to %s with %+v, want %s with %s", what, back.To, back.Files, clew.MessageIDOf(to), hash)
	}
	for _, id := range records {
		at, err := id.Seq()
		proc.Must(x.t, err)
		if is := x.isReturn(at); is && x.parts(at) != x.parts(to) {
			x.t.Fatalf("%s to\n%s\nwant\n%s", what, x.parts(at), x.parts(to))
		}
	}
	x.check()
	x.w.tally[what]++
}

func (x *walk) isReturn(seq uint64) bool {
	for r, err := range x.w.journal.Read(x.t.Context(), x.id, seq, seq) {
		proc.Must(x.t, err)
		return r.Type == clew.EventHistoryRewound || r.Type == clew.EventRewindUndone
	}
	return false
}

// preview changes nothing, whatever it finds.
func (x *walk) preview(at clew.Target, keep bool, b before) {
	x.t.Helper()
	x.do(&clew.RewindPreviewData{Target: at, KeepTarget: keep, RestoreCheckpoint: true})
	if d := b.touched.Differ(touched(x.t, x.dir, nil)); d != "" {
		x.t.Fatalf("a preview changed files:\n%s", d)
	}
	x.w.tally["previews"]++
}

// fork goes on from a message in another session and another workspace.
func (x *walk) fork() *walk {
	x.t.Helper()
	st := x.rest()
	if len(st.Messages) == 0 {
		return nil
	}
	at, cut, keep := x.target(st)
	if at.MessageID == "" {
		at.MessageID = cut
		keep = false
	}
	dir := fmt.Sprintf("%s-fork%d", x.dir, len(x.w.walks))
	b := x.before(false)
	r := x.do(&clew.ForkSessionData{MessageID: at.MessageID, KeepTarget: keep, Workspace: dir})
	x.rest()
	x.filesAre("fork", false, nil, b)
	if d := x.trees[x.checkpoint(cut)].Differ(readTree(x.t, dir, nil)); d != "" {
		x.t.Fatalf("the fork has other files:\n%s", d)
	}
	own, err := cut.Seq() // the first record of its own
	proc.Must(x.t, err)
	child := x.clone(r.SessionID, dir, own)
	x.w.add(child)
	want := x.parts(own - 1)
	if child.parts(own-1) != want {
		x.t.Fatalf("the fork has another past\n%s\nwant\n%s", child.parts(own-1), want)
	}
	if !x.asks(own-1) && child.parts(own) != want { // in a fork, open questions have other names
		x.t.Fatalf("the fork begins with\n%s\nwant\n%s", child.parts(own), want)
	}
	child.check()
	x.w.tally["fork"]++
	x.w.tally["with files"]++
	return child
}

// play goes on at random.
func (x *walk) play(steps int, forks bool) {
	x.say()
	for range steps {
		switch n := x.pick(12); {
		case n < 4:
			x.say()
		case n < 8:
			x.rewind()
		case n < 10:
			x.back(clew.KindUndo)
		case n < 11:
			x.back(clew.KindRedo)
		case forks:
			if child := x.fork(); child != nil {
				child.play(3, false)
			}
		}
	}
	for range 2 { // there, back, there again and back again
		x.rewind()
		for _, kind := range []clew.RewindKind{clew.KindUndo, clew.KindRedo, clew.KindUndo} {
			x.back(kind)
		}
	}
}

// Sessions and their files are taken back and forth at random: wherever they
// go, both are exactly what they were there, by a fold from the first record
// and by a manifest of the tree; what is left alone, the person's repository
// and all that is outside of the workspace are not touched.
//
// Covers: HIS-12, HIS-26, CHK-24, C-42, C-75, C-76
func TestAnywhereWithFiles(t *testing.T) {
	w := newWorld(t)
	outside := filepath.Join(w.dir, "neighbour")
	was := touched(t, outside, nil)
	walks := nightly.Size(6, 24)
	atLeast := walks * 40 / 3 // of each walk about
	for n := range walks {
		t.Run(fmt.Sprint("walk ", n), func(t *testing.T) {
			w.newWalk(t, n).play(14, true)
			if d := was.Differ(touched(t, outside, nil)); d != "" {
				t.Fatalf("the neighbour was touched:\n%s", d)
			}
		})
	}
	if t.Failed() {
		return
	}
	c := w.tally
	t.Logf("exactness with files: %d walks, %d cases with files, %d rewinds, %d undos, %d redos, %d forks, %d previews, %d with open questions, 0 deviations",
		walks, c["with files"], c["rewind"], c["undo"], c["redo"], c["fork"], c["previews"], c["with questions"])
	if c["with files"] < atLeast {
		t.Errorf("%d cases, want at least %d", c["with files"], atLeast)
	}
}
