package main

import (
	"errors"
	"math/rand/v2"
	"time"
)

// fillStores makes the stores that opening is measured in: a small one, with
// the long sessions, and a large one.
func (b *bench) fillStores() error {
	b.logf("filling stores: %d and %d sessions, %d records", b.size.smallSessions, b.size.largeSessions, b.size.longRecords)
	done := make(chan error, 2)
	go func() { done <- b.fillSmall() }()
	go func() {
		count, err := b.fillSessions(b.large, b.size.largeSessions)
		b.size.largeSessions = count
		done <- err
	}()
	return errors.Join(<-done, <-done)
}

// shortRecords is the length of the session that long ones are compared with.
const shortRecords = 1000

func (b *bench) fillSmall() error {
	if _, err := b.fillSessions(b.small, b.size.smallSessions); err != nil {
		return err
	}
	for _, f := range []fill{
		{Set: "cold", From: 0, To: 1, Records: b.size.coldRecords},
		{Set: "long", From: 0, To: 1, Records: shortRecords},
		{Set: "long", From: 1, To: 2},
	} {
		f.Size = fanSize
		if err := b.small.ask("create", f, nil); err != nil {
			return err
		}
		if err := b.small.ask("records", f, nil); err != nil {
			return err
		}
	}
	if err := b.fillLong(); err != nil {
		return err
	}
	return b.small.ask("seal", nil, nil)
}

// fillLong fills the long session, in parts, as far as the time goes.
func (b *bench) fillLong() error {
	const part = 20_000
	done := 0
	for done < b.size.longRecords && (done == 0 || !b.fillIsLate()) {
		n := min(part, b.size.longRecords-done)
		if err := b.small.ask("records", fill{Set: "long", From: 1, Records: n, Size: fanSize}, nil); err != nil {
			return err
		}
		done += n
	}
	b.size.longRecords = done
	return nil
}

func (b *bench) fillIsLate() bool {
	return b.size.fillTime > 0 && time.Since(b.started) > b.size.fillTime
}

// fillSessions makes cold sessions in parts, so that the server's memory stays
// what it would be, and says how many there was time for.
func (b *bench) fillSessions(c *child, count int) (int, error) {
	const part = 2500
	done := 0
	for done < count && (done == 0 || !b.fillIsLate()) {
		n := min(part, count-done)
		if err := c.ask("create", fill{Set: "many", From: done, To: done + n}, nil); err != nil {
			return done, err
		}
		if err := c.ask("seal", nil, nil); err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// openMany compares opening a cold session in the small and in the large store.
func (b *bench) openMany() error {
	b.logf("open, many sessions")
	small, large := rand.Perm(b.size.smallSessions), rand.Perm(b.size.largeSessions)
	var inSmall, inLarge samples
	each := b.size.opens
	for round := range b.rounds(b.size.openRounds, 0.2) {
		for _, side := range []struct {
			c    *child
			pick []int
			into *samples
		}{{b.small, small, &inSmall}, {b.large, large, &inLarge}} {
			var got samples
			pick := side.pick[round*each%len(side.pick):]
			if err := side.c.ask("open", opening{Set: "many", Pick: pick[:min(each, len(pick))]}, &got); err != nil {
				return err
			}
			*side.into = append(*side.into, got...)
		}
	}
	b.figures.OpenManySessions = ratio(float64(inSmall.p50()), float64(inLarge.p50()))
	b.detail("open_many_sessions", map[string]any{
		"small_sessions": b.size.smallSessions, "large_sessions": b.size.largeSessions,
		"small_p50_us": us(inSmall.p50()), "large_p50_us": us(inLarge.p50()),
		"small_p99_us": us(inSmall.p99()), "large_p99_us": us(inLarge.p99()),
	})
	return nil
}

// openLong compares opening a short and a long cold session, and reading 1,000
// records: all of the short one, the middle of the long one.
func (b *bench) openLong() error {
	b.logf("open, long session")
	middle := uint64(b.size.longRecords)/2 + 1 //nolint:gosec // a count
	var s struct{ short, long, shortPage, longPage samples }
	for range b.rounds(max(1, b.size.openRounds*b.size.opens/8), 0.3) {
		for _, step := range []struct {
			into *samples
			how  opening
		}{
			{&s.short, opening{Pick: []int{0}}},
			{&s.long, opening{Pick: []int{1}}},
			{&s.shortPage, opening{Pick: []int{0}, From: 1, To: shortRecords}},
			{&s.longPage, opening{Pick: []int{1}, From: middle, To: middle + shortRecords - 1}},
		} {
			step.how.Set, step.how.Clear = "long", true
			var got samples
			if err := b.small.ask("open", step.how, &got); err != nil {
				return err
			}
			*step.into = append(*step.into, got...)
		}
	}
	b.figures.OpenLongSession = ratio(float64(s.short.p50()), float64(s.long.p50()))
	b.detail("open_long_session", map[string]any{
		"records": b.size.longRecords, "short_p50_us": us(s.short.p50()), "long_p50_us": us(s.long.p50()),
		"page_long_session": ratio(float64(s.shortPage.p50()), float64(s.longPage.p50())),
		"short_page_p50_us": us(s.shortPage.p50()), "long_page_p50_us": us(s.longPage.p50()),
	})
	return nil
}
