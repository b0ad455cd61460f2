package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/clew-run/clew"
)

// Centrifugo's figures on the machine where the engine was chosen, and the
// plain server's there. They are used only as a ratio to the plain server in
// this run.
const (
	centrifugoRecovery   = 2200 * time.Microsecond // 1,000 missed messages, memory engine
	plainThere           = 375_000.0               // deliveries/s to 100 clients, coder/websocket
	centrifugoThere100   = 465_000.0
	centrifugoThere1000  = 188_000.0
	plainThere1000       = 558_000.0
	warmAllowed          = 1.5
	replayed             = 1000
	coldReplayed         = 10_000
	warmBefore           = 200 // records before the missed ones
	replayMarginMessages = 1   // records that the session starts with
)

// warmReplay measures how long a client that missed 1,000 records of a live
// session waits, from its upgrade request to sync_complete.
func (b *bench) warmReplay() error {
	b.logf("replay, warm")
	if err := b.live.ask("create", fill{Set: "warm", To: 1}, nil); err != nil {
		return err
	}
	if err := b.live.ask("records", fill{Set: "warm", Records: warmBefore + replayed, Size: fanSize}, nil); err != nil {
		return err
	}
	id := sessionName("warm", 0)
	from := clew.MessageIDOf(warmBefore + replayMarginMessages)
	at := map[string]string{
		"clew":  "/ws/" + string(id) + "?resume_from=" + string(from),
		"plain": fmt.Sprintf("/replay/%d/%d", replayed, fanSize),
	}
	messages := map[string]int64{"clew": replayed + greeting, "plain": replayed}
	hello := map[string]string{}
	rivals := []*comparison{b.rivals["clew"], b.rivals["plain"]}
	if c := b.rivals["centrifuge"]; c != nil {
		position, err := missed(c)
		if err != nil {
			return err
		}
		at["centrifuge"], messages["centrifuge"], hello["centrifuge"] = c.path, 1, position
		rivals = append(rivals, c)
	}
	times := map[string]samples{}
	for range b.rounds(b.size.replayRounds, 0.15) {
		for _, r := range rivals {
			d, err := timedConnect(r.where.Addr, at[r.name], hello[r.name], messages[r.name])
			if err != nil {
				return fmt.Errorf("replay from %s: %w", r.name, err)
			}
			times[r.name] = append(times[r.name], d)
		}
	}
	b.warmResult(times)
	return nil
}

func (b *bench) warmResult(times map[string]samples) {
	clewTime := times["clew"].p50()
	scale := 1.0
	if b.plain100 > 0 {
		scale = plainThere / b.plain100
	}
	reference := time.Duration(float64(centrifugoRecovery) * scale)
	b.warm = ratio(warmAllowed*float64(reference), float64(clewTime))
	d := map[string]any{
		"warm": b.warm, "clew_1000_ms": ms(clewTime), "plain_1000_ms": ms(times["plain"].p50()),
		"centrifugo_scaled_ms": ms(reference), "scale": round(scale),
	}
	if c := times["centrifuge"]; len(c) > 0 {
		d["centrifuge_1000_ms"] = ms(c.p50())
		d["warm_vs_centrifuge"] = ratio(warmAllowed*float64(c.p50()), float64(clewTime))
	}
	b.detail("replay_warm", d)
}

// missed publishes what a client misses and gives the hello of a client that
// was there before.
func missed(c *comparison) (string, error) {
	var at struct {
		Offset uint64
		Epoch  string
	}
	if err := c.child.ask("publish", publishing{Count: replayed, Size: fanSize}, &at); err != nil {
		return "", err
	}
	return fmt.Sprintf(`{"id":1,"connect":{"subs":{"bench":{"recover":true,"offset":%d,"epoch":%q}}}}`, at.Offset-replayed, at.Epoch), nil
}

// timedConnect times a client from its upgrade request until it has that many
// messages.
func timedConnect(addr, path, hello string, messages int64) (time.Duration, error) {
	s, err := dial(addr, "")
	if err != nil {
		return 0, err
	}
	defer s.close()
	start := time.Now()
	if err := s.upgrade(path, hello); err != nil {
		return 0, err
	}
	err = s.until(messages)
	return time.Since(start), err
}

// coldReplay measures reading 10,000 records of a session that is sealed and
// not in memory, beside the bare engine's direct-get batch of as many messages.
func (b *bench) coldReplay() error {
	b.logf("replay, cold")
	count := b.size.coldRecords
	engine, err := startBare(filepath.Join(b.dir, "bare-cold"), false)
	if err != nil {
		return err
	}
	defer engine.stop()
	if err := engine.fill(count, bytes.Repeat([]byte{'x'}, storedSize)); err != nil {
		return err
	}
	var bareTimes, clewTimes, wireTimes samples
	path := "/ws/" + string(sessionName("cold", 0)) + "?resume_from=" + string(clew.MessageIDOf(1))
	var where address
	if err := b.small.ask("where", nil, &where); err != nil {
		return err
	}
	for range b.rounds(b.size.coldRounds, 0.3) {
		d, err := engine.readBatch(count)
		if err != nil {
			return err
		}
		bareTimes = append(bareTimes, d)
		var got samples
		if err := b.small.ask("open", opening{Set: "cold", Pick: []int{0}, From: 2, To: uint64(count) + 1, Clear: true}, &got); err != nil { //nolint:gosec // a count
			return err
		}
		clewTimes = append(clewTimes, got...)
		if err := b.small.ask("open", opening{Clear: true, Set: "cold", Pick: []int{0}}, nil); err != nil {
			return err
		}
		if d, err = timedConnect(where.Addr, path, "", int64(count)+greeting); err != nil {
			return err
		}
		wireTimes = append(wireTimes, d)
	}
	b.cold = ratio(float64(bareTimes.p50()), float64(clewTimes.p50()))
	b.detail("replay_cold", map[string]any{
		"cold": b.cold, "records": count, "bare_ms": ms(bareTimes.p50()), "clew_ms": ms(clewTimes.p50()),
		"clew_ws_ms": ms(wireTimes.p50()), "cold_ws": ratio(float64(bareTimes.p50()), float64(wireTimes.p50())),
	})
	b.figures.Replay = min(b.warm, b.cold)
	return nil
}

// storedSize is what a record of fanSize takes in the journal: the envelope and
// what only the journal needs.
const storedSize = fanSize + 143

// newest is the part of a text after the last mark, for readers of stamps.
func newest(text, mark string) (string, bool) {
	i := strings.LastIndex(text, mark)
	if i < 0 {
		return "", false
	}
	return text[i+len(mark):], true
}
