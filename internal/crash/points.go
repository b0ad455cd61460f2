//go:build crashpoints

package crash

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// CLEW_CRASH_AT=name:n kills the program when it passes the place for the n-th
// time, or has it panic there if CLEW_CRASH_HOW=panic. With CLEW_CRASH_HOW=hold whoever
// passes waits there, and nobody else does: opening the FIFO that CLEW_CRASH_HOLD names
// for writing returns when somebody is there, and closing it lets them go on.
// CLEW_CRASH_LOG=file lists the places that were passed.
var (
	mu     sync.Mutex
	passed = map[string]int{}
	name   string
	nth    int
	log    *os.File
)

func init() {
	at, count, ok := strings.Cut(os.Getenv("CLEW_CRASH_AT"), ":")
	if ok {
		name = at
		nth, _ = strconv.Atoi(count)
	}
	if path := os.Getenv("CLEW_CRASH_LOG"); path != "" {
		log, _ = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
}

// On says whether there are such places.
const On = true

// At is a place where the program may be killed.
func At(place string) {
	if !passes(place) {
		return
	}
	switch os.Getenv("CLEW_CRASH_HOW") {
	case "panic":
		panic("planted at " + place)
	case "hold":
		_, _ = os.ReadFile(os.Getenv("CLEW_CRASH_HOLD"))
	default:
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal may take a moment; nothing happens in it
	}
}

// passes notes that a place is passed, and reports whether it is the one.
func passes(place string) bool {
	mu.Lock()
	defer mu.Unlock()
	passed[place]++
	if log != nil {
		_, _ = log.WriteString(place + ":" + strconv.Itoa(passed[place]) + "\n")
	}
	return place == name && passed[place] == nth
}
