package term

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// FirstLine is the first line of a text, with … if there is more.
func FirstLine(s string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(s), "\n")
	if more && strings.TrimSpace(rest) != "" {
		first += " …"
	}
	return first
}

// Dollars is a cost as people read it.
func Dollars(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Duration is a time span in its two largest units.
func Duration(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// Count is a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Goes is Count with a verb.
func Goes(n int, noun, one, many string) string {
	if n == 1 {
		return Count(n, noun) + " " + one
	}
	return Count(n, noun) + " " + many
}

// Ago is a time as people say it: the hour for today, the day for what is older.
func Ago(at, now time.Time) string {
	at = at.In(now.Location())
	switch {
	case at.Year() == now.Year() && at.YearDay() == now.YearDay():
		return at.Format("15:04")
	case at.Year() == now.Year():
		return at.Format("Jan 2 15:04")
	}
	return at.Format(time.DateOnly)
}

// Size is a number of bytes for people.
func Size(n int64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%d kB", (n+1023)>>10)
	case n < 1<<30:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}

// Tokens is a number of tokens for people.
func Tokens(n int64) string {
	if n < 1000 {
		return Count(int(n), "token")
	}
	return Short(n) + " tokens"
}

// Short is a number in few characters.
func Short(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}
