package env

import (
	"regexp"
	"time"

	"github.com/clew-run/clew"
)

var (
	digits = regexp.MustCompile(`^[0-9]+$`)
	// Number is the place of a message, from the end if negative.
	Number = regexp.MustCompile(`^#?(-?[0-9]+)$`)
)

// namesMessage reports whether a word can be the name of a message.
func namesMessage(word string) bool {
	_, err := clew.MessageID(word).Seq()
	_, isTime := TimeOf(word, time.Now())
	return err == nil || isTime || Number.MatchString(word)
}

// timeForms are how times are read; the short ones are of today.
var timeForms = []struct {
	layout string
	today  bool
}{
	{"15:04", true}, {time.TimeOnly, true}, {"2006-01-02 15:04", false}, {time.DateTime, false},
	{"2006-01-02T15:04", false}, {"2006-01-02T15:04:05", false}, {time.RFC3339, false},
}

// TimeOf reads a time in one of the forms that people write.
func TimeOf(text string, now time.Time) (time.Time, bool) {
	for _, f := range timeForms {
		t, err := time.ParseInLocation(f.layout, text, now.Location())
		if err != nil {
			continue
		}
		if f.today {
			t = time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), now.Location())
		}
		return t, true
	}
	return time.Time{}, false
}
