package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/clew-run/clew/internal/llm"
)

// callAppends is how many durable appends clew makes for a call: the model's
// answer, with which the call begins; and its result, with which the model is
// asked again.
const callAppends = 2

// calls measures what a tool call costs beside one durable append. The figure is
// taken with a model of no cost in clew's process; the detail has the same
// through a model over HTTP, where what the model takes is subtracted.
func (s *stage) calls() error {
	s.b.logf("tool calls")
	n := s.b.size.calls
	var over costs
	for range s.b.rounds(s.b.size.callRounds, 0.5) {
		c, err := s.cost("calls", n)
		if err != nil {
			return err
		}
		over = append(over, c)
	}
	batch, err := s.cost("batch", n)
	if err != nil {
		return err
	}
	one, by, err := s.instants(n)
	if err != nil {
		return err
	}
	s.b.figures.ToolCallVsAppend = one.ratio
	durable := over.median(durable)
	s.b.detail("tool_call", map[string]any{
		"calls": n, "append_bytes": s.record, "append_p50_us": one.appendUS, "bare_p50_us": one.bareUS, "call_ms": one.callMS, "by_length": by,
		"records": over.median(records), "over_http": map[string]any{
			"append_p50_us": round(durable / 1e3), "call_ms": round(over.median(each) / 1e6), "call_mean_ms": round(over.median(mean) / 1e6),
			"append_same_bytes_p50_us": round(over.median(wide) / 1e3), "quiet_vs_append": round(over.median(quiet)),
			"vs_append": round(over.median(vsAppend)), "one_answer_call_ms": round(batch.mean / 1e6),
			"one_answer_vs_append": ratio(batch.mean, durable), "allocated_kib": over.median(func(c cost) float64 { return c.kib }),
		},
	})
	return nil
}

// instantFigure is a turn with the model of no cost, in figures.
type instantFigure struct {
	callMS, appendUS, ratio, bareUS float64
}

// instants measures turns of several lengths with the model of no cost: what a
// call takes must not grow with the turn's length as the turn itself does.
func (s *stage) instants(n int) (usual instantFigure, by map[string]any, err error) {
	by = map[string]any{}
	for _, calls := range []int{max(1, n/4), n / 2, n, 2 * n} { // the first warms up
		var ratios, call, appends, engine []float64
		for range s.b.rounds(s.b.size.callRounds, 0.5) {
			var c instantCost
			s.sessions++
			err := s.clew.ask("instant", instantTurn{Session: string(sessionName("instant", s.sessions)), Calls: calls, Record: s.record}, &c)
			if err != nil {
				return usual, nil, err
			}
			step, one := float64(c.Steps.p50()), float64(c.Appends.p50())
			ratios, call, appends = append(ratios, step/one), append(call, step/1e6), append(appends, one/1e3)
			engine = append(engine, float64(c.Bare.p50())/1e3)
		}
		f := instantFigure{round(median(call)), round(median(appends)), round(median(ratios)), round(median(engine))}
		by[fmt.Sprint(calls)] = map[string]any{"call_ms": f.callMS, "append_p50_us": f.appendUS, "vs_append": f.ratio, "bare_p50_us": f.bareUS}
		if calls == n {
			usual = f
		}
	}
	return usual, by, nil
}

// cost is what clew adds to a tool call, in nanoseconds, and what else is known
// of it.
type cost struct {
	// each is the median over the calls of a turn: what came between two model
	// calls, minus the same bare with as long a history. Other programs stop
	// this one now and then; they spoil some calls, and the median is that of
	// the others. mean is the whole turn minus all its model calls bare, divided
	// by their number.
	each, mean float64
	bare       float64 // its model call, bare
	// quiet is the same beside an append from the fastest tenth of both, which
	// other programs have not stopped.
	quiet    float64
	durable  float64 // the median of bare durable appends
	wide     float64 // the same with as many bytes as clew's appends have
	cpu, kib float64 // CPU time in ms and KiB allocated, its model call among them
	records  float64
}

type costs []cost

func each(c cost) float64     { return c.each }
func mean(c cost) float64     { return c.mean }
func durable(c cost) float64  { return c.durable }
func vsAppend(c cost) float64 { return c.each / c.durable }
func wide(c cost) float64     { return c.wide }
func quiet(c cost) float64    { return c.quiet }
func records(c cost) float64  { return c.records }

func (c costs) median(of func(cost) float64) float64 {
	values := make([]float64, len(c))
	for i := range c {
		values[i] = of(c[i])
	}
	return median(values)
}

// cost lets the agent make count calls, and then makes the same model calls
// bare.
func (s *stage) cost(kind string, count int) (c cost, err error) {
	sock, err := s.connect()
	if err != nil {
		return c, err
	}
	defer sock.close()
	var before, after consumed
	if err := s.clew.ask("usage", nil, &before); err != nil {
		return c, err
	}
	s.model.steps()
	seen := sock.count.Load()
	var e latencyProbe
	turn, err := e.turn(sock, fmt.Sprintf("bench %s %d", kind, count), turnLimit)
	if err != nil {
		return c, err
	}
	through := s.model.steps()
	seen = sock.count.Load() - seen
	s.record = e.heard / int(seen)
	if err := s.clew.ask("usage", nil, &after); err != nil {
		return c, err
	}
	want := 2*count + 1
	if kind == "batch" {
		want = 3
	}
	var r bareTurn
	err = s.clew.ask("bare", bareTurnOf{Model: s.model.url, Body: *s.model.last.Load(), Messages: want, Record: s.record, Wide: e.heard / count / callAppends}, &r)
	if err != nil {
		return c, err
	}
	c.quiet = quietRatio(through, r)
	per := func(v float64) float64 { return v / float64(count) }
	bare := r.Calls.sum()
	return cost{
		quiet: c.quiet, each: added(through, r.Calls), mean: per(float64(turn - bare)), bare: per(float64(bare)), durable: float64(r.Appends.p50()), wide: float64(r.Wide.p50()),
		cpu: round(per(after.CPUMS - before.CPUMS)), kib: round(per(after.AllocatedKiB - before.AllocatedKiB)),
		records: round(per(float64(seen))),
	}, nil
}

// added is the median of what each step takes longer than the same step bare.
func added(through, bare samples) float64 {
	var more []float64
	for i := range min(len(through), len(bare)) {
		more = append(more, float64(through[i]-bare[i]))
	}
	return median(more)
}

// quietRatio looks at the calls in the middle of a turn, whose histories are
// about as long.
func quietRatio(through samples, bare bareTurn) float64 {
	n := min(len(through), len(bare.Calls))
	if n < 4 {
		return 0
	}
	fast := func(s samples) float64 { return float64(s[n/4 : n*3/4].at(0.1)) }
	return (fast(through) - fast(bare.Calls)) / fast(bare.Appends)
}

// bareTurnOf asks for the model calls of a turn, bare.
type bareTurnOf struct {
	Model    string          `json:"model"`    // address
	Body     json.RawMessage `json:"body"`     // of the turn's last request
	Messages int             `json:"messages"` // that it has
	Record   int             `json:"record"`   // bytes of a durable append
	Wide     int             `json:"wide"`     // bytes of one of several records
}

// bareTurn is what they took, and what a durable append took after each.
type bareTurn struct {
	Calls   samples `json:"calls"`
	Appends samples `json:"appends"`
	Wide    samples `json:"wide"` // appends as long as clew's, of several records
}

// replay makes the model calls of a turn again: the last request has the whole
// history, of which each call before had the beginning. It runs in clew's own
// process, so that memory and scheduler are the same for both. After each call
// comes one append to the bare engine: an append in the rhythm of a turn takes
// longer than one of many in a row.
func (r bareTurnOf) replay(engine *baseline) (out bareTurn, err error) {
	req, err := requestOf(r.Body)
	if err != nil {
		return out, err
	}
	all := req.Messages
	if len(all) != r.Messages {
		return out, fmt.Errorf("the model got %d messages, not %d", len(all), r.Messages)
	}
	p := bareProvider(r.Model)
	data, wide := []byte(strings.Repeat("x", r.Record)), []byte(strings.Repeat("x", r.Wide))
	for n := 1; n <= len(all); n += 2 {
		req.Messages = all[:n]
		start := time.Now()
		if _, err := p.Stream(context.Background(), req, func(llm.Delta) error { return nil }); err != nil {
			return out, err
		}
		out.Calls = append(out.Calls, time.Since(start))
		d, err := engine.publish(data)
		if err != nil {
			return out, err
		}
		out.Appends = append(out.Appends, d)
		if d, err = engine.publish(wide); err != nil {
			return out, err
		}
		out.Wide = append(out.Wide, d)
	}
	return out, nil
}
