package budget

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew/internal/nightly"
)

func TestReservationsNeverPassTheLimit(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		limit := Limit(rapid.Float64Range(0, 10).Draw(t, "usd"), rapid.Int64Range(0, 100_000).Draw(t, "tokens"))
		var taken, sum Amount
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			next := Cost(rapid.Float64Range(-1, 3).Draw(t, "cost"), rapid.Int64Range(-10, 30_000).Draw(t, "used"))
			after, refusal := Reserve(limit, taken, next)
			if refusal != nil {
				if after != taken {
					t.Fatalf("a refusal took something: %+v, then %+v", taken, after)
				}
				continue
			}
			taken = after
			sum.NanoUSD += max(next.NanoUSD, 0)
			sum.Tokens += max(next.Tokens, 0)
		}
		if taken != sum {
			t.Fatalf("%+v was reserved, %+v counted", sum, taken)
		}
		if (limit.NanoUSD > 0 && sum.NanoUSD > limit.NanoUSD) || (limit.Tokens > 0 && sum.Tokens > limit.Tokens) {
			t.Fatalf("%+v of %+v", sum, limit)
		}
	})
}

func TestReserveAtTheEdges(t *testing.T) {
	cases := []struct {
		name               string
		limit, taken, next Amount
		ok                 bool
	}{
		{"exactly all", Cost(1, 10), Amount{}, Cost(1, 10), true},
		{"a bit too much", Cost(1, 10), Amount{}, Cost(1.000000001, 1), false},
		{"nothing left, nothing wanted", Cost(1, 0), Cost(1, 0), Amount{}, false},
		{"no limit", Amount{}, Cost(1e9, 1e15), Cost(1e9, 1e15), true},
		{"not a number", Cost(1, 0), Amount{}, Cost(math.NaN(), 0), false},
		{"endless", Cost(1, 0), Amount{}, Cost(math.Inf(1), 0), false},
		{"sum beyond all numbers", Amount{Tokens: math.MaxInt64 - 1}, Amount{Tokens: math.MaxInt64 - 2}, Amount{Tokens: math.MaxInt64 - 2}, false},
		{"nothing is given back", Cost(1, 0), Cost(0.9, 0), Amount{NanoUSD: -5e8}, true},
	}
	for _, c := range cases {
		after, refusal := Reserve(c.limit, c.taken, c.next)
		if (refusal == nil) != c.ok || after.NanoUSD < c.taken.NanoUSD {
			t.Errorf("%s: %+v, %v", c.name, after, refusal)
		}
	}
	if l := Limit(1e-12, 0); l.NanoUSD != 1 {
		t.Errorf("a tiny budget became %+v", l)
	}
}
