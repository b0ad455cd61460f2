package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// chain makes n records that follow head, with data of about size bytes.
func chain(id clew.SessionID, head clew.Head, n, size int) []clew.Record {
	rng := rand.New(rand.NewPCG(head.Seq, uint64(n)<<32|uint64(size)))
	words := strings.Fields("the agent read a file and wrote another one then asked whether to go on with plan")
	list := make([]clew.Record, 0, n)
	for range n {
		var text []string
		for l := 0; l < size; {
			w := words[rng.IntN(len(words))]
			text = append(text, w)
			l += len(w) + 1
		}
		data, _ := json.Marshal(map[string]any{"text": strings.Join(text, " "), "n": rng.Uint32()})
		r := head.Next(id, 1, 1_700_000_000_000+int64(head.Seq)*7, "user-1", "message_created", data)
		list = append(list, r)
		head = r.After()
	}
	return list
}

func dirURL(dir string) string { return "file://" + dir }

func openDir(tb testing.TB, dir string) *Archive {
	tb.Helper()
	a, err := Open(tb.Context(), dirURL(dir))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = a.Close() })
	return a
}

// put seals records after prev and flushes.
func put(tb testing.TB, a *Archive, prev *Seal, id clew.SessionID, records []clew.Record, state string) *Seal {
	tb.Helper()
	s, err := a.Put(tb.Context(), prev, sealing(prev, id, records, state))
	if err == nil {
		err = a.Sync(tb.Context())
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func sealing(prev *Seal, id clew.SessionID, records []clew.Record, state string) Sealing {
	s := Sealing{Session: id, Epoch: "e1", Records: records, State: []byte(state)}
	if prev != nil {
		s.Head = prev.Head
	}
	if len(records) > 0 {
		s.Head = records[len(records)-1].After()
	}
	s.Mark = s.Head.Seq * 3
	return s
}

func latest(tb testing.TB, a *Archive, id clew.SessionID) *Seal {
	tb.Helper()
	s, err := a.Latest(tb.Context(), id)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func collect(ctx context.Context, a *Archive, s *Seal, from, to uint64) (list []clew.Record, err error) {
	for r, err := range a.Read(ctx, s, from, to) {
		if err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}

// equalLines says where two histories differ, "" if they do not.
func equalLines(got, want []clew.Record) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d records instead of %d", len(got), len(want))
	}
	for i := range got {
		if string(got[i].Line()) != string(want[i].Line()) || got[i].Seq != want[i].Seq || got[i].Type != want[i].Type {
			return fmt.Sprintf("record %d differs", want[i].Seq)
		}
	}
	return ""
}

func wantRecords(tb testing.TB, a *Archive, s *Seal, want []clew.Record, from, to uint64) {
	tb.Helper()
	got, err := collect(tb.Context(), a, s, from, to)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := equalLines(got, want[from-1:to]); diff != "" {
		tb.Fatalf("read %d to %d: %s", from, to, diff)
	}
}

func isDamaged(err error) bool {
	var d *DamagedError
	return errors.As(err, &d) && d.Object != "" && d.Reason != ""
}
