package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/poll"
)

// audit holds what the fault left against the promises: what people saw, then
// what is there after a restart, then the journal itself.
func (w *world) audit() {
	w.t.Helper()
	w.caughtUp()
	states := w.states()
	w.leave()
	w.people.Wait()
	w.frugal()
	w.stopAll()
	w.restarted(states)
	w.journals()
	if w.cluster == nil {
		w.doctor()
	} else {
		w.fences()
		w.cluster.Stop()
	}
	w.secrets()
}

// whole lists the sessions that were not spoilt on purpose.
func (w *world) whole() (ids []clew.SessionID) {
	for _, id := range w.sessions() {
		if w.spoilt(id) == "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// caughtUp waits until those who watched all along have seen everything.
func (w *world) caughtUp() {
	for _, x := range w.watches {
		if w.spoilt(x.id) != "" {
			continue
		}
		s, err := w.api(w.nodes[0]).GetSession(w.t.Context(), x.id)
		poll.Within(15*time.Second, func() bool { return err != nil || x.upTo() >= s.LastSeq })
		w.holds(resumeWhole, err == nil && x.upTo() >= s.LastSeq, "%s has %d records, of which a watcher saw %d: %v", x.id, s.LastSeq, x.upTo(), err)
		x.mu.Lock()
		w.holds(resumeWhole, x.lost == 0 || w.kind.losesCursors, "%s: a watcher was told %d times that its place is gone", x.id, x.lost)
		x.mu.Unlock()
	}
}

// states compares what each node says with what a client holds that was told of
// every change.
func (w *world) states() map[clew.SessionID]string {
	all := map[clew.SessionID]string{}
	for _, m := range w.mirrors {
		if w.spoilt(m.id) != "" {
			continue
		}
		for i, n := range w.nodes {
			var now string
			var err error
			poll.Within(10*time.Second, func() bool {
				now, err = w.fresh(n, m.id)
				return err != nil || m.text() == now
			})
			held := m.text()
			w.holds(oneState, err == nil && held == now, "%s: a client holds another state than node %d has: %v\n%s", m.id, i, err, difference(held, now))
			all[m.id] = now
		}
	}
	return all
}

// restarted starts everything again and compares the states.
func (w *world) restarted(before map[clew.SessionID]string) {
	for _, n := range w.nodes {
		if err := n.Start(); err != nil {
			w.broke(liveAgain, "the server does not start again: %v", err)
			return
		}
	}
	for id, was := range before {
		now, err := w.fresh(w.nodes[0], id)
		w.holds(oneState, err == nil && was == now, "%s: after a restart the state is another one: %v\n%s", id, err, difference(was, now))
	}
	for _, id := range w.sessions() {
		if how := w.spoilt(id); how != "" {
			_, err := w.api(w.nodes[0]).Command(w.t.Context(), id, "after", clew.CommandRenameSession, clew.RenameSessionData{Title: "after"})
			w.holds(chainWhole, clew.CodeOf(err) == clew.SessionDamaged, "%s was spoilt (%s) and is served: %v", id, how, err)
		}
	}
	w.stopAll()
}

func (w *world) stopAll() {
	for _, n := range w.nodes {
		err := n.Stop()
		w.holds(noOrphan, err == nil, "the server ends with %v", err)
	}
	for _, left := range processesIn(filepath.Join(w.dir, "work")) {
		w.broke(noOrphan, "a process is left: %s", left)
	}
	w.kept(noOrphan, 1)
}

// processesIn lists processes that work in a directory.
func processesIn(dir string) (list []string) {
	found, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range found {
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, dir) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			list = append(list, string(bytes.ReplaceAll(line, []byte{0}, []byte(" "))))
		}
	}
	return list
}

// frugal checks what the server takes, now that nobody is there.
func (w *world) frugal() {
	if most := w.slow.most - w.slow.first; w.slow.first > 0 {
		w.holds(slowBounded, most < 200<<10, "the server took %d MB more with a slow reader", most>>10)
	}
	for _, n := range w.nodes {
		few := poll.Within(10*time.Second, func() bool { return openFiles(n.Pid()) <= 120 })
		w.holds(noOrphan, few, "%d descriptors are open though nobody is there", openFiles(n.Pid()))
	}
}

// journals reads all records as they lie there.
func (w *world) journals() {
	ctx := context.Background()
	j, err := journal.Open(ctx, w.store(), discard)
	if err != nil {
		w.broke(chainWhole, "the journal does not open: %v", err)
		return
	}
	defer j.Close(ctx)
	for _, id := range w.whole() {
		b := newBook(w, id)
		for r, err := range j.Read(ctx, id, 1, 1<<40) {
			if err != nil {
				w.broke(chainWhole, "%s: %v", id, err)
				break
			}
			b.take(r)
		}
		b.close()
	}
	if w.cluster != nil { // the doctor examines a node with its own engine alone
		found, err := j.Examine(ctx)
		w.holds(chainWhole, err == nil && len(found.Findings)+len(found.Wrong) == 0, "the examination finds %v, %v: %v", found.Findings, found.Wrong, err)
	}
}

// doctor has the program look at its own store.
func (w *world) doctor() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, errs, _, err := w.nodes[0].Run(ctx, "doctor", "--json", "--data", w.data)
	var found struct {
		Verified bool              `json:"verified"`
		Findings []json.RawMessage `json:"findings"`
	}
	if err == nil {
		err = json.Unmarshal([]byte(out), &found)
	}
	spoilt := w.spoiltCount()
	w.holds(chainWhole, err == nil && found.Verified && (len(found.Findings) == 0) == (spoilt == 0),
		"clew doctor finds %s, %v, and %d sessions were spoilt: %s", found.Findings, err, spoilt, errs)
}

// secrets looks for the key in everything that the server wrote or said.
func (w *world) secrets() {
	for _, n := range w.nodes {
		w.holds(noSecret, !strings.Contains(n.Out.String(), secret), "the key is in the log")
	}
	for _, dir := range []string{w.data, filepath.Join(w.dir, "work")} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			b, err := os.ReadFile(path)
			w.holds(noSecret, err == nil && !bytes.Contains(b, []byte(secret)), "the key is in %s (%v)", path, err)
			return nil
		})
		proc.Must(w.t, err)
	}
}

// difference shows the first lines that two texts do not share.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d\n- %s\n+ %s", i, strings.Join(x[i:min(i+4, len(x))], "\n- "), strings.Join(y[i:min(i+4, len(y))], "\n+ "))
		}
	}
	return fmt.Sprintf("%d lines and %d", len(x), len(y))
}
