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

// deltaWindow is the time over which a p99 is taken. Other programs stop this
// one now and then for longer than a delta takes; they spoil some windows, and
// the median is that of the others.
const deltaWindow = 250 * time.Millisecond

// deltas measures how late streamed text is, from the agent's hand to the
// client, beside a plain server that writes to a socket as often. Both stream
// at the same time, so that what else the machine does hits both.
func (b *bench) deltas() error {
	b.logf("deltas")
	var added []float64
	var clewAll, plainAll samples
	for round := range b.rounds(b.size.deltaRounds, 0.9) {
		var plainTimes *stamps
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
		added = append(added, addedBy(clewTimes, plainTimes)...)
		clewAll, plainAll = append(clewAll, clewTimes.all...), append(plainAll, plainTimes.all...)
	}
	b.figures.DeltaP99MS = round(median(added))
	b.detail("delta", map[string]any{
		"per_second": 1000, "deltas": len(clewAll), "windows": len(added), "added_p50_ms": ms(clewAll.p50() - plainAll.p50()),
		"clew_p50_ms": ms(clewAll.p50()), "clew_p99_ms": ms(clewAll.p99()),
		"plain_p50_ms": ms(plainAll.p50()), "plain_p99_ms": ms(plainAll.p99()), "added_p99_ms": added,
	})
	return nil
}

// stamps are the latencies of a stream, in all and by window.
type stamps struct {
	all     samples
	windows map[int64]samples
}

// addedBy gives what the first adds to the second at p99, for each window that
// both were busy in.
func addedBy(a, b *stamps) (added []float64) {
	const enough = 20
	for at, in := range a.windows {
		if other := b.windows[at]; len(in) >= enough && len(other) >= enough {
			added = append(added, ms(in.p99()-other.p99()))
		}
	}
	return added
}

func (b *bench) plainStream() (*stamps, error) {
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
	return got, err
}

// clewStream lets the agent stream in a session of its own.
func (b *bench) clewStream(round int) (*stamps, error) {
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
	return got, err
}

// listenStamps has every stamp that arrives turned into a latency. A stamp that
// is cut in two by a read is left out. So is the text of a snapshot, which is
// much longer and repeats old stamps.
func listenStamps(s *socket) *stamps {
	got := &stamps{windows: map[int64]samples{}}
	s.seen = func(part []byte) {
		now := time.Now().UnixNano()
		if at, ok := stampOf(part); ok && s.size <= 2*deltaEnvelope {
			late, window := time.Duration(now-at), at/int64(deltaWindow)
			got.all = append(got.all, late)
			got.windows[window] = append(got.windows[window], late)
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
func readStamps(s *socket, got *stamps, count int) error {
	if err := s.conn.SetReadDeadline(time.Now().Add(time.Duration(count)*time.Millisecond + 20*time.Second)); err != nil {
		return err
	}
	for len(got.all) < count-count/100 {
		if err := s.read(); err != nil {
			return fmt.Errorf("after %d of %d deltas: %w", len(got.all), count, err)
		}
	}
	return nil
}
