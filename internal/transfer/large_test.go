package transfer_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/transfer"
)

const (
	largeBytes = 48 << 20
	textBytes  = 8 << 10
	smallHeap  = 40 << 20
	condensed  = 100 // messages to the model, then a summary takes their place
)

// endless makes the records of a long talk while they are read.
type endless struct{ n uint64 }

func (e endless) Read(_ context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		s := newScribe(id)
		text := strings.Repeat("words and ", textBytes/10)
		for told := 1; s.head.Seq < e.n; told++ {
			for _, r := range s.records {
				if r.Seq >= from && r.Seq <= to && !yield(r, nil) {
					return
				}
			}
			s.records = s.records[:0]
			if s.head.Seq == 1 {
				s.ask("task_1", "begin")
			}
			s.say(clew.Message{Say: clew.SayText, TaskID: "task_1", Text: text})
			s.tell("task_1", clew.SpeakerAssistant, textPart(text))
			if told%condensed == 0 { // no model takes 200 MB
				s.add(&clew.ModelMessageData{TaskID: "task_1", Hides: condensed, Message: clew.ModelMessage{
					Role: clew.SpeakerUser, IsSummary: true, CondenseID: fmt.Sprint("c", told), TS: s.ts(), Content: clew.List[clew.Part]{textPart("so far")},
				}})
			}
		}
		for _, r := range s.records {
			if r.Seq >= from && r.Seq <= to && !yield(r, nil) {
				return
			}
		}
	}
}

// meter looks at the heap every few megabytes.
type meter struct {
	t     *testing.T
	n     int64
	total int64
	peak  uint64
}

func (m *meter) count(n int) {
	m.total += int64(n)
	if m.n += int64(n); m.n < 16<<20 {
		return
	}
	m.n = 0
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	m.peak = max(m.peak, s.HeapAlloc)
}

func (m *meter) Write(b []byte) (int, error) { m.count(len(b)); return len(b), nil }

// metered hands the records through.
type metered struct {
	endless
	m *meter
}

func (r metered) Read(ctx context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		for record, err := range r.endless.Read(ctx, id, from, to) {
			r.m.count(len(record.Line()))
			if !yield(record, err) {
				return
			}
		}
	}
}

// swallow takes a session and keeps nothing of it.
type swallow struct {
	m *meter
	n uint64
}

func (s *swallow) Import(_ context.Context, _ clew.Principal, _ clew.SessionID, f session.InitialHistory, _ clew.SessionImportedData) error {
	for r, err := range f.Records {
		if err != nil {
			return err
		}
		s.n = r.Seq
		s.m.count(len(r.Line()))
	}
	for range f.Kept {
		s.m.count(1)
	}
	return nil
}

// A journal leaves and comes with a heap that is smaller than it, in every form.
func TestLargeSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("moves gigabytes")
	}
	for _, format := range conversations {
		began := time.Now()
		records := endless{n: largeBytes / textBytes}
		head := uint64(0)
		for r, err := range records.Read(t.Context(), "sess_1", 1, 1<<40) {
			if err != nil {
				t.Fatal(err)
			}
			head = r.Seq
		}
		m := &meter{t: t}
		x := &transfer.Exporter{Records: metered{records, m}, Dir: t.TempDir()}
		e, err := x.Prepare(t.Context(), transfer.What{Session: "sess_1", Head: head, Format: format, All: true})
		if err != nil {
			t.Fatal(err)
		}
		r, w := io.Pipe()
		done := make(chan error, 1)
		go func() {
			err := e.Write(t.Context(), w)
			_ = w.CloseWithError(err)
			done <- err
		}()
		to := &swallow{m: m}
		im := &transfer.Importer{Sessions: to, Dir: t.TempDir(), Now: func() int64 { return nowMS }}
		got, err := im.Import(t.Context(), r, transfer.Upload{By: ada})
		_ = r.CloseWithError(io.ErrClosedPipe)
		if err2 := <-done; err != nil || err2 != nil {
			t.Fatalf("%s: %v, %v", format, err, err2)
		}
		if got.Records != to.n || to.n < head/4 || m.total < largeBytes || m.peak == 0 || m.peak > smallHeap {
			t.Errorf("%s: %d of %d records, %d MB seen, heap of %d MB", format, to.n, head, m.total>>20, m.peak>>20)
		}
		t.Logf("%s: %d records, heap of %d MB at most, %v", format, to.n, m.peak>>20, time.Since(began))
	}
}
