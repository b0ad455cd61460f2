package search

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

var benchMessages = flag.Int("messages", 20_000, "how many messages TestQueriesAreFast indexes")

// vocabulary makes words whose frequencies fall as in a language: the n-th is n times
// rarer than the first.
func vocabulary(r *rand.Rand) func() string {
	const size = 50_000
	const consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"
	korean := strings.Fields("주 문 결 제 배 송 고 객 오 류 재 시 도 서 버 요 청 키 세 션")
	words := make([]string, size)
	for i := range words {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			if i%10 == 9 {
				b.WriteString(korean[r.IntN(len(korean))])
			} else {
				b.WriteByte(consonants[r.IntN(len(consonants))])
				b.WriteByte(vowels[r.IntN(len(vowels))])
				if r.IntN(3) == 0 {
					b.WriteByte(consonants[r.IntN(len(consonants))])
				}
			}
		}
		words[i] = b.String()
		if i > 500 && i%3 == 0 {
			words[i] = fmt.Sprintf("%s_%d", words[i], i)
		}
	}
	z := rand.NewZipf(r, 1.07, 3, size-1)
	return func() string { return words[z.Uint64()] }
}

// A query over many messages takes less than 200 ms in 95 of 100 cases. The nightly
// form has a million: make bench-search.
func TestQueriesAreFast(t *testing.T) {
	if testing.Short() {
		t.Skip("indexes many messages")
	}
	x, err := Open(t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	ctx, r := t.Context(), rand.New(rand.NewPCG(1, 2))
	word := vocabulary(r)
	const perSession = 100
	began := time.Now()
	for s := range *benchMessages / perSession {
		b := batch{session: clew.SessionID(fmt.Sprintf("s%d", s)), head: clew.Head{Seq: perSession}}
		b.rows = append(b.rows, row{slot: slotTitle, text: word() + " " + word()})
		for i := range perSession {
			var text []string
			for range 5 + r.IntN(60) {
				text = append(text, word())
			}
			b.rows = append(b.rows, row{seq: uint64(i + 1), slot: slotMessage + slot(r.IntN(4)), at: int64(s), text: strings.Join(text, " ")})
		}
		if err := x.put(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	took := time.Since(began)
	size := int64(0)
	files, _ := filepath.Glob(filepath.Join(x.dir, "*"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			size += info.Size()
		}
	}
	t.Logf("%d messages: indexed in %v (%v each), %.1f MB", *benchMessages, took.Round(time.Millisecond), took/time.Duration(*benchMessages), float64(size)/1e6)
	scope := Scope{Allows: func(context.Context, core.Summary) (bool, error) { return true, nil }}
	for s := range *benchMessages / perSession {
		scope.Lines = append(scope.Lines, core.Summary{ID: clew.SessionID(fmt.Sprintf("s%d", s))})
	}
	var times []time.Duration
	slowest, most := "", time.Duration(0)
	for i := range 300 {
		q := word()
		switch i % 4 {
		case 1:
			q += " " + word()
		case 2:
			q = `"` + q + " " + word() + `"`
		case 3:
			q = string([]rune(q)[:min(len([]rune(q)), 3)])
		}
		began := time.Now()
		found, err := x.Find(ctx, Query{Text: q, Limit: 20}, scope)
		if err != nil {
			t.Fatalf("%q: %v", q, err)
		}
		took := time.Since(began)
		if took > most {
			slowest, most = fmt.Sprintf("%q with %d matches", q, found.Total), took
		}
		times = append(times, took)
	}
	slices.Sort(times)
	p50, p95 := times[len(times)/2], times[len(times)*95/100]
	t.Logf("queries: p50 %v, p95 %v, the slowest %v: %s", p50, p95, most, slowest)
	if *benchMessages >= 1_000_000 && p95 > 200*time.Millisecond { // a crowded machine proves nothing in the short form
		t.Errorf("p95 is %v", p95)
	}
}
