package report

import (
	"cmp"
	"fmt"
	"slices"

	clew "github.com/clew-run/clew"
)

// maxBars is the most todos that the timeline shows: beyond it, the table is the
// better picture.
const maxBars = 60

// maxMS keeps sums of times far from overflow.
const maxMS = 1 << 53

// A chart is the timeline of the todos and their counts, in shares of the width.
// How it is drawn is the matter of each form.
type chart struct {
	Bars   []bar
	Ticks  []tick
	Gaps   []gap
	Counts []count
	Total  int // todos of the run
	More   int // todos that ran and are not shown
	Span   string
}

// A bar is one todo that ran.
type bar struct {
	ID, Task string
	Status   clew.TodoStatus
	Duration string
	Retries  int
	From, To float64 // 0 to 1
}

type tick struct {
	At    float64
	Label string
}

// A gap is a time in which nothing ran, drawn shorter than it was.
type gap struct {
	From, To float64
	Label    string
}

type count struct {
	Status clew.TodoStatus
	N      int
}

// newChart lays out the todos that started; rows has their cleaned texts.
func newChart(todos []clew.Todo, rows []row) chart {
	c := chart{Total: len(todos), Counts: counts(todos)}
	type item struct {
		row
		from, to int64
	}
	var items []item
	for i, t := range todos[:len(rows)] {
		if t.StartedMS > 0 {
			from := min(t.StartedMS, maxMS)
			items = append(items, item{rows[i], from, from + min(max(t.DurationMS, 0), maxMS)})
		}
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.from, b.from) })
	if len(items) > maxBars {
		c.More = len(items) - maxBars
		items = items[:maxBars]
	}
	if len(items) == 0 {
		return c
	}
	var spans [][2]int64
	for _, it := range items {
		spans = append(spans, [2]int64{it.from, it.to})
	}
	s := newScale(spans)
	for _, it := range items {
		c.Bars = append(c.Bars, bar{it.ID, it.Task, it.Status, it.Duration, it.Retries, s.at(it.from), s.at(it.to)})
	}
	c.Ticks, c.Gaps, c.Span = s.ticks(), s.gaps, duration(s.end-s.start)
	return c
}

// counts says how many todos stand where, in the order a reader asks.
func counts(todos []clew.Todo) []count {
	n := map[clew.TodoStatus]int{}
	for _, t := range todos {
		if statusName(t.Status) == "unknown" {
			t.Status = clew.TodoPending // it has at least not ended
		}
		n[t.Status]++
	}
	var out []count
	for _, s := range []clew.TodoStatus{clew.TodoCompleted, clew.TodoFailed, clew.TodoSkipped, clew.TodoInProgress, clew.TodoPending} {
		if n[s] > 0 {
			out = append(out, count{s, n[s]})
		}
	}
	return out
}

// A scale maps time to the width of the chart. People answer questions after
// hours: a time in which nothing ran and which is longer than all the work
// would press the bars into dots, so it takes a small fixed share.
type scale struct {
	start, end int64
	points     []point
	gaps       []gap
}

type point struct {
	ms int64
	at float64
}

const gapShare = 0.08

func newScale(spans [][2]int64) *scale {
	busy := union(spans)
	s := &scale{start: busy[0][0], end: busy[len(busy)-1][1]}
	var work int64
	for _, b := range busy {
		work += b[1] - b[0]
	}
	long := func(i int) bool { return busy[i][0]-busy[i-1][1] > max(work, 1000) }
	// The gaps of normal size count as work time on the axis.
	total, cuts := s.end-s.start, 0
	for i := 1; i < len(busy); i++ {
		if long(i) {
			total -= busy[i][0] - busy[i-1][1]
			cuts++
		}
	}
	share := min(gapShare, 0.5/float64(max(cuts, 1)))
	unit := (1 - share*float64(cuts)) / float64(max(total, 1))
	at, last := 0.0, s.start
	s.points = []point{{s.start, 0}}
	for i := 1; i < len(busy); i++ {
		if !long(i) {
			continue
		}
		from, to := busy[i-1][1], busy[i][0]
		at += float64(from-last) * unit
		s.points = append(s.points, point{from, at}, point{to, at + share})
		s.gaps = append(s.gaps, gap{at, at + share, duration(to - from)})
		at, last = at+share, to
	}
	s.points = append(s.points, point{s.end, 1})
	return s
}

// union joins spans that touch. They come sorted by their start.
func union(spans [][2]int64) [][2]int64 {
	out := [][2]int64{spans[0]}
	for _, sp := range spans[1:] {
		if last := &out[len(out)-1]; sp[0] <= last[1] {
			last[1] = max(last[1], sp[1])
		} else {
			out = append(out, sp)
		}
	}
	return out
}

func (s *scale) at(ms int64) float64 {
	for i := 1; i < len(s.points); i++ {
		a, b := s.points[i-1], s.points[i]
		if ms <= b.ms {
			if b.ms == a.ms {
				return a.at
			}
			return a.at + (b.at-a.at)*float64(ms-a.ms)/float64(b.ms-a.ms)
		}
	}
	return 1
}

var steps = []int64{
	1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1800e3,
	3600e3, 7200e3, 14400e3, 21600e3, 43200e3, 86400e3, 2 * 86400e3, 7 * 86400e3, 30 * 86400e3,
}

// ticks are round times since the start. Over a cut axis they would mislead, so
// there only the two ends are marked.
func (s *scale) ticks() []tick {
	total := s.end - s.start
	if len(s.gaps) > 0 || total <= 0 {
		return []tick{{0, "0"}, {1, tickLabel(total)}}
	}
	step := steps[len(steps)-1]
	for _, x := range steps {
		if total/x <= 4 {
			step = x
			break
		}
	}
	step *= total/step/5 + 1 // longer than any step foresees
	var out []tick
	for ms := int64(0); ms <= total; ms += step {
		out = append(out, tick{float64(ms) / float64(total), tickLabel(ms)})
	}
	return out
}

func tickLabel(ms int64) string {
	switch {
	case ms == 0:
		return "0"
	case ms%86400e3 == 0:
		return fmt.Sprintf("%d d", ms/86400e3)
	case ms%3600e3 == 0:
		return fmt.Sprintf("%d h", ms/3600e3)
	case ms%60e3 == 0:
		return fmt.Sprintf("%d min", ms/60e3)
	case ms < 60e3 && ms%1000 == 0:
		return fmt.Sprintf("%d s", ms/1000)
	}
	return duration(ms)
}
