package journaltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// Suite checks what every journal promises. node gives the journal as seen by
// one node; all nodes share the store.
func Suite(t *testing.T, node func(t *testing.T, name string) session.Journal) {
	tests := map[string]func(*testing.T, func(*testing.T, string) session.Journal){
		"AppendThenRead":      appendThenRead,
		"BatchIsWhole":        batchIsWhole,
		"OpenAfterSeal":       openAfterSeal,
		"ReadRanges":          readRanges,
		"StaleLeaseIsRefused": staleLease,
		"RacingOwners":        racingOwners,
		"ManySessions":        manySessions,
		"UnknownIsEmpty":      unknownIsEmpty,
		"PastOfShort":         pastOfShort,
		"PastOfLong":          pastOfLong,
		"PastOfVersions":      pastOfVersions,
		"Fork":                fork,
		"ForkOfFork":          forkOfFork,
		"ForkIsSealedOn":      forkIsSealedOn,
		"PastOfFork":          pastOfFork,
		"FoundRefuses":        foundRefuses,
		"Import":              importRecords,
		"BrokenImport":        brokenImport,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, node) })
	}
}

func open(t *testing.T, j session.Journal, id clew.SessionID) (session.Log, core.Loaded, session.Lease) {
	t.Helper()
	lease, err := j.Claim(t.Context(), session.ShardOf(id))
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	log, loaded, err := j.Open(t.Context(), lease, id)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return log, loaded, lease
}

// Records makes n records that follow head.
func Records(head clew.Head, id clew.SessionID, term uint64, n int) ([]clew.Record, clew.Head) {
	records := make([]clew.Record, n)
	for i := range records {
		data := json.RawMessage(fmt.Sprintf(`{"title":"title %d"}`, head.Seq+1))
		records[i] = head.Next(id, term, 1_700_000_000_000, "owner", clew.EventSessionRenamed, data)
		head = records[i].After()
	}
	return records, head
}

func mustAppend(t *testing.T, log session.Log, records []clew.Record) {
	t.Helper()
	if err := log.Append(t.Context(), records); err != nil {
		t.Fatalf("append: %v", err)
	}
}

func mustSeal(t *testing.T, j session.Journal, log session.Log, head clew.Head, state string, recent []clew.Record) {
	t.Helper()
	if err := log.Seal(t.Context(), head, []byte(state), recent); err != nil {
		t.Fatalf("seal: %v", err)
	}
	if err := j.Flush(t.Context()); err != nil {
		t.Fatalf("flush: %v", err)
	}
}

func collect(t *testing.T, j session.Journal, id clew.SessionID, from, to uint64) []clew.Record {
	t.Helper()
	var got []clew.Record
	for r, err := range j.Read(t.Context(), id, from, to) {
		if err != nil {
			t.Fatalf("read %d..%d: %v", from, to, err)
		}
		got = append(got, r)
	}
	return got
}

func same(t *testing.T, got, want []clew.Record) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d records, want %d", len(got), len(want))
	}
	for i := range got {
		if string(got[i].Line()) != string(want[i].Line()) {
			t.Fatalf("record %d is\n%s\nwant\n%s", i, got[i].Line(), want[i].Line())
		}
	}
}

func appendThenRead(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, id := node(t, "a"), clew.NewSessionID()
	log, loaded, lease := open(t, j, id)
	var all []clew.Record
	head := loaded.Head
	for range 20 {
		var r []clew.Record
		r, head = Records(head, id, lease.Term, 1)
		mustAppend(t, log, r)
		all = append(all, r...)
	}
	same(t, collect(t, j, id, 1, 20), all)
	_, loaded, _ = open(t, j, id)
	if loaded.Head != head {
		t.Errorf("head is %+v, want %+v", loaded.Head, head)
	}
	same(t, loaded.Tail, all)
}

func batchIsWhole(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, id := node(t, "a"), clew.NewSessionID()
	log, loaded, lease := open(t, j, id)
	records, _ := Records(loaded.Head, id, lease.Term, 300)
	mustAppend(t, log, records[:1])
	mustAppend(t, log, records[1:200])
	mustAppend(t, log, records[200:])
	same(t, collect(t, j, id, 1, 300), records)
}

func openAfterSeal(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, id := node(t, "a"), clew.NewSessionID()
	log, loaded, lease := open(t, j, id)
	records, _ := Records(loaded.Head, id, lease.Term, 50)
	mustAppend(t, log, records[:30])
	mustSeal(t, j, log, records[29].After(), `"at 30"`, nil)
	mustAppend(t, log, records[30:])
	_, loaded, _ = open(t, j, id)
	if string(loaded.State) != `"at 30"` || loaded.StateSeq != 30 {
		t.Errorf("state %s at %d, want the seal's at 30", loaded.State, loaded.StateSeq)
	}
	same(t, loaded.Tail, records[30:])
	same(t, collect(t, j, id, 1, 50), records)
	mustSeal(t, j, log, records[49].After(), `"at 50"`, records[40:])
	_, loaded, _ = open(t, j, id)
	if loaded.Head != records[49].After() || len(loaded.Tail) != 0 {
		t.Errorf("after a full seal the head is %d with a tail of %d", loaded.Head.Seq, len(loaded.Tail))
	}
	same(t, collect(t, j, id, 25, 45), records[24:45])
}

func readRanges(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, id := node(t, "a"), clew.NewSessionID()
	log, loaded, lease := open(t, j, id)
	records, _ := Records(loaded.Head, id, lease.Term, 40)
	mustAppend(t, log, records[:10])
	mustSeal(t, j, log, records[9].After(), `{}`, nil)
	mustAppend(t, log, records[10:25])
	mustAppend(t, log, records[25:])
	for from := uint64(0); from <= 42; from += 3 {
		for to := from; to <= 42; to += 5 {
			lo, hi := max(from, 1), min(to, 40)
			var want []clew.Record
			if lo <= hi {
				want = records[lo-1 : hi]
			}
			same(t, collect(t, j, id, from, to), want)
		}
	}
}

func staleLease(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, id := node(t, "a"), clew.NewSessionID()
	old, loaded, lease := open(t, j, id)
	records, _ := Records(loaded.Head, id, lease.Term, 2)
	mustAppend(t, old, records[:1])
	_, loaded, newer := open(t, j, id) // the shard is claimed anew
	if newer.Term <= lease.Term {
		t.Fatalf("term %d after %d", newer.Term, lease.Term)
	}
	// The new owner has appended nothing yet; the old one is refused all the same.
	if err := old.Append(t.Context(), records[1:]); !errors.Is(err, session.ErrLeaseLost) {
		t.Fatalf("append under a stale lease: %v", err)
	}
	same(t, collect(t, j, id, 1, 10), records[:1])
	if loaded.Head != records[0].After() {
		t.Error("the new owner did not see the old one's record")
	}
}

// racingOwners lets two owners fight over one session: each takes the lease,
// appends, loses it. Every acknowledged record is there exactly once, in one
// chain.
func racingOwners(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, id := node(t, "a"), clew.NewSessionID()
	var mu sync.Mutex
	acked := map[string]bool{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 30 {
				lease, err := j.Claim(context.Background(), session.ShardOf(id))
				if err != nil {
					t.Error(err)
					return
				}
				log, loaded, err := j.Open(context.Background(), lease, id)
				if err != nil {
					t.Error(err)
					return
				}
				records, _ := Records(loaded.Head, id, lease.Term, 3)
				for _, r := range records {
					err := log.Append(context.Background(), []clew.Record{r})
					if errors.Is(err, session.ErrLeaseLost) {
						break
					}
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					acked[string(r.Line())] = true
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	got := collect(t, j, id, 1, 1<<40)
	var head clew.Head
	for _, r := range got {
		if err := r.Follows(head); err != nil {
			t.Fatal(err)
		}
		head = r.After()
		delete(acked, string(r.Line()))
	}
	if len(acked) > 0 {
		t.Errorf("%d acknowledged records are missing", len(acked))
	}
}

func manySessions(t *testing.T, node func(*testing.T, string) session.Journal) {
	j := node(t, "a")
	var wg sync.WaitGroup
	shards := map[int]bool{} // each claims its own: a second claim of one ends the first
	for len(shards) < 16 {
		id := clew.NewSessionID()
		if shards[session.ShardOf(id)] {
			continue
		}
		shards[session.ShardOf(id)] = true
		wg.Go(func() {
			lease, err := j.Claim(context.Background(), session.ShardOf(id))
			if err != nil {
				t.Error(err)
				return
			}
			log, loaded, err := j.Open(context.Background(), lease, id)
			if err != nil {
				t.Error(err)
				return
			}
			records, _ := Records(loaded.Head, id, lease.Term, 25)
			for i := range records {
				if err := log.Append(context.Background(), records[i:i+1]); err != nil {
					t.Error(err)
					return
				}
			}
			n := 0
			for _, err := range j.Read(context.Background(), id, 1, 100) {
				if err != nil {
					t.Error(err)
				}
				n++
			}
			if n != 25 {
				t.Errorf("%d records, want 25", n)
			}
		})
	}
	wg.Wait()
}

func unknownIsEmpty(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, id := node(t, "a"), clew.NewSessionID()
	_, loaded, _ := open(t, j, id)
	if loaded.Head.Seq != 0 || loaded.State != nil || len(loaded.Tail) != 0 {
		t.Errorf("an unknown session is loaded as %+v", loaded)
	}
	if got := collect(t, j, id, 1, 10); len(got) != 0 {
		t.Errorf("an unknown session has %d records", len(got))
	}
}
