package report

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	clew "github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

func TestChartCountsAndOrder(t *testing.T) {
	v := newView(sample(), limitsFor(5, 1))
	c := v.Chart
	if len(c.Bars) != 4 || c.Bars[0].ID != "t1" || c.Bars[3].ID != "t5" {
		t.Errorf("bars: %+v", c.Bars)
	}
	want := []count{{clew.TodoCompleted, 3}, {clew.TodoFailed, 1}, {clew.TodoSkipped, 1}}
	for i, n := range want {
		if c.Counts[i] != n {
			t.Errorf("count %d: %v", i, c.Counts[i])
		}
	}
	if len(c.Gaps) != 0 || len(c.Ticks) < 3 {
		t.Errorf("gaps %v, ticks %v", c.Gaps, c.Ticks)
	}
}

// A day of waiting must not press the work into dots.
func TestChartCutsWaiting(t *testing.T) {
	v := newView(withGaps(), limitsFor(5, 1))
	if len(v.Chart.Gaps) != 1 || v.Chart.Gaps[0].Label != "1 d 1 h" {
		t.Fatalf("gaps: %+v", v.Chart.Gaps)
	}
	for _, b := range v.Chart.Bars {
		if b.To-b.From < 0.03 {
			t.Errorf("%s is a dot: %.3f to %.3f", b.ID, b.From, b.To)
		}
	}
}

func TestChartIsSound(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		var todos []clew.Todo
		for range rapid.IntRange(0, 80).Draw(t, "n") {
			todos = append(todos, clew.Todo{
				StartedMS:  rapid.Int64().Draw(t, "start"),
				DurationMS: rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 10_000)).Draw(t, "duration"),
				Status:     clew.TodoStatus(rapid.SampledFrom(append(clew.TodoStatus("").Values(), "?")).Draw(t, "status")),
			})
		}
		c := newChart(todos, make([]row, len(todos)))
		sum := 0
		for _, n := range c.Counts {
			sum += n.N
		}
		if sum != len(todos) || len(c.Bars) > maxBars || len(c.Ticks) > 12 {
			t.Fatalf("%d counted of %d, %d bars, %d ticks", sum, len(todos), len(c.Bars), len(c.Ticks))
		}
		last := 0.0
		for _, b := range c.Bars {
			if math.IsNaN(b.From) || b.From < 0 || b.To > 1+1e-9 || b.To < b.From || b.From < last {
				t.Fatalf("bar from %v to %v after %v", b.From, b.To, last)
			}
			last = b.From
		}
		if err := wellFormed(writeSVG(c, false)); err != nil {
			t.Fatal(err)
		}
	})
}
