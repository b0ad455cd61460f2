package transfer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/transfer"
)

const (
	largeBytes = 200 << 20
	textBytes  = 8 << 10
	mayGrow    = largeBytes * 3 / 4 // of the server's memory, while all of that comes and goes
)

// long makes the records of a session while they are read: a person who says much
// that is hard to compress.
type long struct{}

func (long) Read(_ context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		head := clew.Head{TS: 1_700_000_000_000}
		random := rand.New(rand.NewPCG(1, 2))
		noise := make([]byte, 4<<20) // more than the packer looks back
		for i := range noise {
			noise[i] = 'A' + byte(random.Uint32()%58)
		}
		for seq := uint64(1); seq <= to; seq++ {
			data := any(&clew.SessionCreatedData{Owner: "ada", Title: "Long"})
			if seq > 1 {
				at := random.IntN(len(noise) - textBytes)
				data = &clew.MessageCreatedData{Message: clew.Message{
					MessageID: clew.MessageIDOf(seq), TS: head.TS + 1, Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: string(noise[at : at+textBytes]),
				}}
			}
			raw, err := clew.MarshalData(data)
			r := head.Write(id, 1, head.TS+1, clew.Draft{By: "ada", Type: clew.NewEvent(data).Type, Data: raw})
			head = r.After()
			if seq >= from && !yield(r, err) {
				return
			}
		}
	}
}

// peak is the most memory that a process ever had.
func peak(t testing.TB, pid int) int64 {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kb int64
		if _, err := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kb); err == nil {
			return kb << 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}

// A session of 200 MB comes to a server and leaves it, and the server's memory
// hardly notices.
func TestLargeSessionIsStreamed(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" || os.Getenv("CLEW_E2E_RACE") == "1" {
		t.Skip("moves hundreds of megabytes, and looks at /proc")
	}
	n := start(t, "http://127.0.0.1:1")
	dir := t.TempDir()
	file, again := filepath.Join(dir, "long.clew"), filepath.Join(dir, "again.clew")
	head := uint64(largeBytes / textBytes)
	e, err := (&transfer.Exporter{Records: long{}, Dir: dir}).Prepare(t.Context(), transfer.What{Session: "sess_long", Head: head, Format: transfer.Bundle})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Write(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || f.Close() != nil || size < largeBytes/4 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	before, began := peak(t, n.Pid()), time.Now()
	n.has(n.run(0, "import", file), fmt.Sprintf("%d records", head))
	came := peak(t, n.Pid())
	n.run(0, "export", "sess_long", "-o", again)
	left := peak(t, n.Pid())
	t.Logf("%d MB in and out in %v; the server had %d MB at most before, %d after the import, %d after the export",
		size>>20, time.Since(began), before>>20, came>>20, left>>20)
	if left-before > mayGrow {
		t.Error("the server's memory grew with the session")
	}
	was, is := recordsOf(t, file), recordsOf(t, again)
	for i := range was {
		if was[i] != is[i] {
			t.Fatalf("record %d is another", i+1)
		}
	}
	if len(is) <= len(was) {
		t.Errorf("%d records, then %d", len(was), len(is))
	}
}

// recordsOf gives the hashes of a bundle's records.
func recordsOf(t testing.TB, name string) []string {
	t.Helper()
	var list []string
	for _, line := range linesOf(bundle(t, name)) {
		list = append(list, fmt.Sprintf("%x", sum(line)))
	}
	return list
}
