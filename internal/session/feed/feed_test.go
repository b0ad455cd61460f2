package feed

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

func same(b []byte) []byte { return b }

// chain makes n records after head whose data has about size bytes.
func chain(head clew.Head, n, size int) ([]clew.Record, clew.Head) {
	data := json.RawMessage(`{"title":"` + strings.Repeat("x", size) + `"}`)
	records := make([]clew.Record, n)
	for i := range records {
		records[i] = head.Next("s", 1, 1000, "u", clew.EventSessionRenamed, data)
		head = clew.Head{Seq: head.Seq + 1, TS: records[i].TS} // a feed does not look at hashes
	}
	return records, head
}

// feedModel is a feed that keeps everything and counts what the real one must
// have let go.
type feedModel struct {
	items []modelItem // items[i] stands at position i+1
	first uint64
	seq   uint64
	size  int
}

type modelItem struct {
	Seq      uint64
	Envelope []byte
}

func (m *feedModel) push(it modelItem) {
	for n := len(m.items) - int(m.first) + 1; n > 0 && (n >= maxItems || m.size+len(it.Envelope) > maxBytes); n-- {
		m.size -= len(m.items[m.first-1].Envelope)
		m.items[m.first-1].Envelope = nil
		m.first++
	}
	m.items = append(m.items, it)
	m.size += len(it.Envelope)
	if it.Seq > 0 {
		m.seq = it.Seq
	}
}

func (m *feedModel) next() uint64 { return uint64(len(m.items)) + 1 }

func (m *feedModel) seek(seq uint64) (uint64, bool) {
	if seq == m.seq {
		return m.next(), true
	}
	for pos := m.first; pos < m.next(); pos++ {
		if m.items[pos-1].Seq == seq+1 {
			return pos, true
		}
	}
	return 0, false
}

// Covers: WS-122, C-79
func TestFeedAgainstModel(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		start := rapid.Uint64Range(0, 5).Draw(t, "start")
		feed := New(start, same)
		model := &feedModel{first: 1, seq: start}
		head := clew.Head{Seq: start}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				n := rapid.SampledFrom([]int{0, 1, 2, 7, 7, 40, maxItems / 3}).Draw(t, "n")
				size := rapid.SampledFrom([]int{1, 1, 100, 100, maxBytes / 6}).Draw(t, "size")
				n = min(n, maxBytes/size+1)
				var records []clew.Record
				records, head = chain(head, n, size)
				feed.Append(records)
				for _, r := range records {
					model.push(modelItem{Seq: r.Seq, Envelope: r.Envelope()})
				}
			},
			"stream": func(t *rapid.T) {
				env := []byte(strings.Repeat("s", rapid.SampledFrom([]int{1, 50, 50, maxBytes / 6}).Draw(t, "size")))
				feed.Stream(clew.EventAgentResponse, env)
				model.push(modelItem{Envelope: env})
			},
			"next": func(t *rapid.T) {
				checkNext(t, feed, model, rapid.Uint64Range(0, model.next()+2).Draw(t, "pos"), rapid.IntRange(1, 64).Draw(t, "buf"))
			},
			"seek": func(t *rapid.T) {
				seq := rapid.Uint64Range(0, model.seq+2).Draw(t, "seq")
				pos, ok := feed.Seek(seq)
				wantPos, wantOK := model.seek(seq)
				if ok != wantOK || pos != wantPos {
					t.Fatalf("seek %d gives %d, %v, want %d, %v", seq, pos, ok, wantPos, wantOK)
				}
			},
			"": func(t *rapid.T) {
				if pos, seq := feed.End(); pos != model.next() || seq != model.seq {
					t.Fatalf("end is %d at record %d, want %d at %d", pos, seq, model.next(), model.seq)
				}
				checkNext(t, feed, model, model.first, 1)
				checkNext(t, feed, model, model.first-1, 1)
			},
		})
	})
}

func checkNext(t *rapid.T, feed *Feed, model *feedModel, pos uint64, size int) {
	buf := make([]*Item, size)
	n, behind, wait, err := feed.Next(pos, buf)
	switch {
	case pos < model.first:
		if !errors.Is(err, ErrBehind) {
			t.Fatalf("next at %d, first is %d: %v", pos, model.first, err)
		}
	case pos >= model.next():
		if n != 0 || wait == nil || err != nil {
			t.Fatalf("next at the end gives %d items, %v", n, err)
		}
	default:
		want := model.items[pos-1 : min(int(pos)-1+size, len(model.items))]
		if err != nil || n != len(want) || behind != len(model.items)-int(pos)+1-n {
			t.Fatalf("next at %d gives %d items with %d behind, %v", pos, n, behind, err)
		}
		for i, it := range buf[:n] {
			if it.Seq != want[i].Seq || string(it.Envelope) != string(want[i].Envelope) {
				t.Fatalf("item %d at %d is another", i, pos)
			}
		}
	}
}

// follow reads records until the feed is closed, going back to the source when
// it has fallen behind.
func follow(feed *Feed, from uint64) (seqs []uint64, lost int) {
	pos := from
	buf := make([]*Item, 32)
	for {
		n, _, wait, err := feed.Next(pos, buf)
		switch {
		case errors.Is(err, ErrClosed):
			return seqs, lost
		case errors.Is(err, ErrBehind):
			lost++
			pos, _ = feed.End()
		case n == 0:
			<-wait
		}
		for _, it := range buf[:n] {
			if it.Seq > 0 {
				seqs = append(seqs, it.Seq)
			}
		}
		pos += uint64(n)
	}
}

// Covers: WS-122, WS-123
func TestFeedReadersSeeAllInOrder(t *testing.T) {
	feed := New(0, same)
	var wg sync.WaitGroup
	got := make([][]uint64, 8)
	for i := range got {
		wg.Go(func() { got[i], _ = follow(feed, 1) })
	}
	var head clew.Head
	for i := range 500 { // fewer than the ring holds, so that nobody falls behind
		var records []clew.Record
		records, head = chain(head, 1+i%3, 10)
		feed.Append(records)
		if i%10 == 0 {
			feed.Stream(clew.EventAgentResponse, []byte("{}"))
		}
	}
	feed.Close()
	feed.Close() // twice is once
	wg.Wait()
	var want []uint64
	for seq := uint64(1); seq <= head.Seq; seq++ {
		want = append(want, seq)
	}
	for i, seqs := range got {
		if !slices.Equal(seqs, want) {
			t.Errorf("reader %d saw %d of %d records", i, len(seqs), len(want))
		}
	}
}

func TestFeedTakesNothingAfterClose(t *testing.T) {
	feed := New(3, same)
	feed.Close()
	records, _ := chain(clew.Head{Seq: 3}, 1, 1)
	feed.Append(records)
	if pos, seq := feed.End(); pos != 1 || seq != 3 {
		t.Errorf("a closed feed moved on to %d, record %d", pos, seq)
	}
	if _, _, _, err := feed.Next(1, make([]*Item, 1)); !errors.Is(err, ErrClosed) {
		t.Errorf("next on a closed feed: %v", err)
	}
}

// A reader that fell behind finds its way back by the seq of its last record.
func TestFeedSeekAfterDrop(t *testing.T) {
	feed := New(0, same)
	records, _ := chain(clew.Head{}, maxItems+10, 1)
	feed.Append(records)
	for _, tt := range []struct {
		seq uint64
		ok  bool
	}{{0, false}, {9, false}, {10, true}, {maxItems + 9, true}, {maxItems + 10, true}, {maxItems + 11, false}} {
		t.Run(fmt.Sprint(tt.seq), func(t *testing.T) {
			if _, ok := feed.Seek(tt.seq); ok != tt.ok {
				t.Errorf("seek %d: %v", tt.seq, ok)
			}
		})
	}
	// Streamed text may push all records out of the ring.
	for range maxItems {
		feed.Stream(clew.EventAgentResponse, []byte("{}"))
	}
	if _, ok := feed.Seek(maxItems + 9); ok {
		t.Error("found a record that was dropped")
	}
	if _, ok := feed.Seek(maxItems + 10); !ok {
		t.Error("the end was not found")
	}
}

// An item larger than the whole feed is held alone.
func TestFeedHoldsOneOfAnySize(t *testing.T) {
	feed := New(0, same)
	small, head := chain(clew.Head{}, 3, 1)
	large, head := chain(head, 1, maxBytes+1)
	feed.Append(small)
	feed.Append(large)
	if pos, ok := feed.Seek(3); !ok || pos != 4 {
		t.Errorf("the large one stands at %d, %v", pos, ok)
	}
	if _, ok := feed.Seek(2); ok {
		t.Error("the small ones are still there")
	}
	next, _ := chain(head, 1, 1)
	feed.Append(next)
	if _, ok := feed.Seek(3); ok {
		t.Error("the large one is still there")
	}
}
