// Package budget counts what was spent against what may be.
package budget

import (
	"fmt"
	"math"
)

// An Amount is what was spent, or would be. Money is counted in billionths of a
// dollar: sums of whole numbers are exact, so a limit is a limit.
type Amount struct {
	NanoUSD int64
	Tokens  int64
}

// Cost makes an amount of a price in dollars, rounded up, and a number of
// tokens. What is not a number counts as more than any limit.
func Cost(usd float64, tokens int64) Amount {
	return Amount{NanoUSD: nano(usd, math.Ceil), Tokens: tokens}
}

// USD gives the money in dollars, for people.
func (a Amount) USD() float64 { return float64(a.NanoUSD) / 1e9 }

func nano(usd float64, round func(float64) float64) int64 {
	n := round(usd * 1e9)
	switch {
	case math.IsNaN(n) || n >= math.MaxInt64:
		return math.MaxInt64
	case n < 0:
		return 0
	}
	return int64(n)
}

// Limit makes an amount of a limit in dollars, rounded down, and one in tokens. 0
// is no limit.
func Limit(usd float64, tokens int64) Amount {
	limit := Amount{Tokens: max(tokens, 0)}
	if usd > 0 {
		// A limit below the smallest unit is still a limit.
		limit.NanoUSD = max(nano(usd, math.Floor), 1)
	}
	return limit
}

// Times is a limit that was raised.
func (a Amount) Times(n int) Amount {
	return Amount{NanoUSD: a.NanoUSD * int64(n), Tokens: a.Tokens * int64(n)}
}

// A Refusal says which limit a call would pass. It becomes a question.
type Refusal struct {
	What        string // USD or tokens
	Limit, Want string
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("the budget of %s %s is not enough: %s", r.Limit, r.What, r.Want)
}

// Reserve takes the estimated cost of the next call out of the budget of the
// whole task tree before the call is made. taken is all that was spent and
// reserved so far; the answer is taken with the call added, or a refusal, and
// then nothing is taken. A call of no cost is refused too once nothing is left.
func Reserve(limit, taken, next Amount) (Amount, *Refusal) {
	usd, okUSD := add(limit.NanoUSD, taken.NanoUSD, next.NanoUSD)
	tokens, okTokens := add(limit.Tokens, taken.Tokens, next.Tokens)
	switch {
	case !okUSD:
		return taken, &Refusal{What: "USD", Limit: dollars(limit),
			Want: fmt.Sprintf("%s spent, %s more needed", dollars(taken), dollars(next))}
	case !okTokens:
		return taken, &Refusal{What: "tokens", Limit: fmt.Sprint(limit.Tokens),
			Want: fmt.Sprintf("%d used, %d more needed", taken.Tokens, next.Tokens)}
	}
	return Amount{NanoUSD: usd, Tokens: tokens}, nil
}

// dollars writes money as people do, with more digits where it is little.
func dollars(a Amount) string {
	if a.NanoUSD%10_000_000 == 0 || a.USD() >= 10 {
		return fmt.Sprintf("%.2f", a.USD())
	}
	return fmt.Sprintf("%.4f", a.USD())
}

// add gives the sum, and whether it stays within the limit. A negative amount
// would give budget back, so it counts as nothing.
func add(limit, taken, next int64) (int64, bool) {
	taken, next = max(taken, 0), max(next, 0)
	sum := taken + next
	if sum < 0 {
		sum = math.MaxInt64
	}
	if limit <= 0 {
		return sum, true
	}
	return sum, taken < limit && sum <= limit
}
