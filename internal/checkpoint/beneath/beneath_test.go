package beneath

import (
	"testing"
	"time"
)

// What was read in the tick of its last change, or before it, is not relied on.
func TestSettled(t *testing.T) {
	const change = int64(1_700_000_000_123_456_789)
	for _, c := range []struct {
		ctime, read int64
		want        bool
	}{
		{change, 0, false},
		{change, change - 1, false},
		{change, change, false},
		{change, change + int64(10*time.Millisecond), false},
		{change, change + int64(50*time.Millisecond), true},
		{change / 1e9 * 1e9, change/1e9*1e9 + int64(time.Second), false}, // a clock of seconds
		{change / 1e9 * 1e9, change/1e9*1e9 + int64(3*time.Second), true},
	} {
		if got := (Stamp{Ctime: c.ctime}).Settled(c.read); got != c.want {
			t.Errorf("changed at %d, read at %d: %v", c.ctime, c.read, got)
		}
	}
}
