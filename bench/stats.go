package main

import (
	"math"
	"slices"
	"time"
)

// samples are times of one thing measured many times.
type samples []time.Duration

// at gives a quantile, 0 if there are no samples.
func (s samples) at(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(float64(len(sorted))*q))]
}

func (s samples) p50() time.Duration { return s.at(0.5) }
func (s samples) p99() time.Duration { return s.at(0.99) }

func (s samples) sum() (sum time.Duration) {
	for _, d := range s {
		sum += d
	}
	return sum
}

// median of values; the mean of the middle two if their number is even.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

func ms(d time.Duration) float64 { return round(float64(d) / float64(time.Millisecond)) }
func us(d time.Duration) float64 { return round(float64(d) / float64(time.Microsecond)) }

// round keeps four significant digits, which is more than the noise leaves.
func round(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	scale := math.Pow(10, 4-math.Ceil(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// ratio is a/b, rounded, and 0 if b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return round(a / b)
}
