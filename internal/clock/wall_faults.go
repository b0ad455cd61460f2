//go:build faults

package clock

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// FileVariable names the environment variable with the path of a file that says how
// wrong the time of day is: "OFFSET RATE", such as "1h 1", "-1h 1", "0s 0" (it stands
// still from now on) or "0s 1.5". The file may change while the program runs; without
// one the time is right. Only programs that are built with the tag faults know it.
const FileVariable = "CLEW_FAULT_CLOCK"

// wrong is how the time of day is wrong. The lock guards all of it.
var wrong struct {
	sync.Mutex
	text string    // of the file
	real time.Time // when that was first seen
	at   time.Time // the time of day then, without the offset
	rate float64
	off  time.Duration
}

func wall() time.Time {
	now := time.Now()
	path := os.Getenv(FileVariable)
	if path == "" {
		return now
	}
	b, err := os.ReadFile(path)
	wrong.Lock()
	defer wrong.Unlock()
	if text := strings.TrimSpace(string(b)); err == nil && text != wrong.text {
		change(now, text)
	}
	return told(now)
}

// told is the time of day that the program believes.
func told(now time.Time) time.Time {
	if wrong.real.IsZero() {
		return now
	}
	return wrong.at.Add(time.Duration(float64(now.Sub(wrong.real)) * wrong.rate)).Add(wrong.off)
}

// change goes on from the time of day as it is now, but for a new offset.
func change(now time.Time, text string) {
	offset, rate, _ := strings.Cut(text, " ")
	off, err1 := time.ParseDuration(offset)
	r, err2 := strconv.ParseFloat(rate, 64)
	if err1 != nil || err2 != nil {
		return // it is being written
	}
	at := told(now).Add(-wrong.off)
	wrong.text, wrong.real, wrong.at, wrong.off, wrong.rate = text, now, at, off, r
}
