package term

import (
	"testing"
	"time"
)

func TestAmounts(t *testing.T) {
	now := time.Date(2026, 5, 2, 15, 0, 0, 0, time.UTC)
	for got, want := range map[string]string{
		Count(1, "file"): "1 file", Count(0, "line"): "0 lines",
		Goes(1, "step", "is", "are"): "1 step is", Goes(2, "step", "is", "are"): "2 steps are",
		Tokens(1): "1 token", Tokens(999): "999 tokens", Tokens(3300): "3.3k tokens", Tokens(1_234_567): "1.2M tokens",
		Dollars(0): "$0.00", Dollars(0.004): "$0.0040", Dollars(1.25): "$1.25",
		Duration(59 * time.Second): "59 s", Duration(61 * time.Second): "1 min 1 s", Duration(3*time.Hour + 5*time.Minute): "3 h 5 min",
		Ago(now.Add(-time.Hour), now): "14:00", Ago(now.Add(-48*time.Hour), now): "Apr 30 15:00", Ago(now.AddDate(-1, 0, 0), now): "2025-05-02",
		FirstLine(" one\n\n"): "one", FirstLine("one\ntwo"): "one …",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
