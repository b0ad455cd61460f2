package archive

import (
	"fmt"
	"os"
	"testing"

	"github.com/clew-run/clew"
)

// longSession makes a session of n records, sealed in steps of 20,000.
func longSession(tb testing.TB, a *Archive, id clew.SessionID, n int) *Seal {
	tb.Helper()
	var s *Seal
	for done := 0; done < n; {
		step := min(n-done, 20_000)
		next, err := a.Put(tb.Context(), s, sealing(s, id, chain(id, headOf(s), step, 60), "state"))
		if err != nil {
			tb.Fatal(err)
		}
		s = next
		done += step
	}
	if err := a.Sync(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return latest(tb, a, id)
}

// BenchmarkLatest opens sessions of different lengths.
func BenchmarkLatest(b *testing.B) {
	for _, n := range []int{1, 10, 1_000, 1_000_000} {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			if n > 1000 && testing.Short() {
				b.Skip("long")
			}
			a := openDir(b, b.TempDir())
			longSession(b, a, "sess_bench", n)
			b.ReportAllocs()
			for b.Loop() {
				latest(b, a, "sess_bench")
			}
		})
	}
}

// BenchmarkLatestCrowded opens a small session among the siblings that a store
// of a million sessions has in its directory.
func BenchmarkLatestCrowded(b *testing.B) {
	for _, siblings := range []int{0, 15, 60} {
		b.Run(fmt.Sprintf("siblings=%d", siblings), func(b *testing.B) {
			dir := b.TempDir()
			a := openDir(b, dir)
			s := longSession(b, a, "sess_bench", 5)
			for range siblings {
				name := sealKey(clew.NewSessionID(), 9, 0)[len("000/0/"):]
				if err := os.WriteFile(dir+"/"+leafOf(s.Session)+name, []byte("x"), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				latest(b, a, "sess_bench")
			}
		})
	}
}

// BenchmarkReadMiddle reads 1,000 records from the middle.
func BenchmarkReadMiddle(b *testing.B) {
	for _, n := range []uint64{1_000, 1_000_000} {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			if n > 1000 && testing.Short() {
				b.Skip("long")
			}
			a := openDir(b, b.TempDir())
			s := longSession(b, a, "sess_bench", int(n))
			from := n/2 - 499
			b.ReportAllocs()
			for b.Loop() {
				list, err := collect(b.Context(), a, s, from, from+999)
				if err != nil || len(list) != 1000 {
					b.Fatal(len(list), err)
				}
			}
		})
	}
}

// BenchmarkPutSmall seals new sessions of ten records, a flush for every 1,000.
// The sessions are of a few shards, so that a directory is filled about as a
// million sessions would fill it and its making does not dominate.
func BenchmarkPutSmall(b *testing.B) {
	a := openDir(b, b.TempDir())
	s := sealing(nil, "", chain("sess_bench", clew.Head{}, 10, 60), `{"title":"a small session","status":"idle"}`)
	var ids []clew.SessionID
	for i := 0; len(ids) < 50_000; i++ {
		if id := clew.SessionID(fmt.Sprintf("sess_%032x", i)); shardOf(id) < 200 {
			ids = append(ids, id)
		}
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if n == len(ids) {
			b.Fatal("ask for a smaller -benchtime")
		}
		s.Session = ids[n]
		if _, err := a.Put(b.Context(), nil, s); err != nil {
			b.Fatal(err)
		}
		if n++; n%1000 == 0 {
			if err := a.Sync(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkPutAgain seals ten more records of a session that has a few.
func BenchmarkPutAgain(b *testing.B) {
	a := openDir(b, b.TempDir())
	id := clew.SessionID("sess_bench")
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprintf("open=%d", n), func(b *testing.B) {
			prev := longSession(b, a, id+clew.SessionID(fmt.Sprint(n)), n)
			s := sealing(prev, prev.Session, chain(prev.Session, prev.Head, 10, 60), "state")
			b.ReportAllocs()
			for b.Loop() {
				next := *prev
				next.rev = 0
				if _, err := a.Put(b.Context(), &next, s); err != nil {
					b.Fatal(err)
				}
				a.store.(*directory).drop()
			}
		})
	}
}

// drop gives up what is pending, so that a benchmark can write it again.
func (d *directory) drop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, file := range d.pending {
		_ = os.Remove(file)
		delete(d.pending, key)
	}
}
