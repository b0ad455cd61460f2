package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

const (
	deltaSize     = 40  // text of one delta, about what a model sends at once
	deltaEnvelope = 330 // the envelope around it
)

// deltas measures how late streamed text is, from the agent's hand to the
// client, beside a plain server that writes to a socket as often. Both stream
// at the same time, so that what else the machine does hits both.
func (b *bench) deltas() error {
	b.logf("deltas")
	var added []float64
	var clewAll, plainAll samples
	for round := range b.rounds(b.size.deltaRounds, 0.9) {
		var plainTimes, clewTimes samples
		failed := make(chan error, 1)
		go func() {
			var err error
			plainTimes, err = b.plainStream()
			failed <- err
		}()
		clewTimes, err := b.clewStream(round)
		if err = errors.Join(err, <-failed); err != nil {
			return err
		}
		added = append(added, ms(clewTimes.p99()-plainTimes.p99()))
		clewAll, plainAll = append(clewAll, clewTimes...), append(plainAll, plainTimes...)
	}
	b.figures.DeltaP99MS = round(median(added))
	b.detail("delta", map[string]any{
		"per_second": 1000, "deltas": b.size.deltas, "clew_p50_ms": ms(clewAll.p50()), "clew_p99_ms": ms(clewAll.p99()),
		"plain_p50_ms": ms(plainAll.p50()), "plain_p99_ms": ms(plainAll.p99()), "added_p99_ms": added,
	})
	return nil
}

func (b *bench) plainStream() (samples, error) {
	s, err := dial(b.rivals["plain"].where.Addr, "")
	if err != nil {
		return nil, err
	}
	defer s.close()
	got := listenStamps(s)
	if err := s.upgrade(fmt.Sprintf("/stream/%d/%d", b.size.deltas, deltaEnvelope), ""); err != nil {
		return nil, err
	}
	err = readStamps(s, got, b.size.deltas)
	return *got, err
}

// clewStream lets the agent stream in a session of its own.
func (b *bench) clewStream(round int) (samples, error) {
	if err := b.live.ask("create", fill{Set: "delta", From: round, To: round + 1}, nil); err != nil {
		return nil, err
	}
	id := string(sessionName("delta", round))
	s, err := dial(b.rivals["clew"].where.Addr, "")
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.upgrade("/ws/"+id, ""); err != nil {
		return nil, err
	}
	if err := s.until(greeting); err != nil {
		return nil, err
	}
	got := listenStamps(s)
	if err := b.live.ask("say", publishing{Session: id, Count: b.size.deltas, Size: deltaSize}, nil); err != nil {
		return nil, err
	}
	err = readStamps(s, got, b.size.deltas)
	return *got, err
}

// listenStamps has every stamp that arrives turned into a latency. A stamp that
// is cut in two by a read is left out. So is the text of a snapshot, which is
// much longer and repeats old stamps.
func listenStamps(s *socket) *samples {
	got := new(samples)
	s.seen = func(part []byte) {
		now := time.Now().UnixNano()
		if at, ok := stampOf(part); ok && s.size <= 2*deltaEnvelope {
			*got = append(*got, time.Duration(now-at))
		}
	}
	return got
}

func stampOf(part []byte) (int64, bool) {
	after, ok := newest(string(part), stampMark)
	if !ok || len(after) < 19 {
		return 0, false
	}
	at, err := strconv.ParseInt(after[:19], 10, 64)
	return at, err == nil
}

// readStamps reads until nearly all deltas have come.
func readStamps(s *socket, got *samples, count int) error {
	if err := s.conn.SetReadDeadline(time.Now().Add(time.Duration(count)*time.Millisecond + 20*time.Second)); err != nil {
		return err
	}
	for len(*got) < count-count/100 {
		if err := s.read(); err != nil {
			return fmt.Errorf("after %d of %d deltas: %w", len(*got), count, err)
		}
	}
	return nil
}
