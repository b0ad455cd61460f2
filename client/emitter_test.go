package client_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew/client"
)

// Listeners are called in order; one that is removed is not called again, also
// if it goes while others are called; to remove twice is harmless.
//
// Covers: EVT-20
func TestEmitter(t *testing.T) {
	var e client.Emitter[int]
	var heard []string
	listen := func(name string) func() {
		return e.On(func(v int) { heard = append(heard, fmt.Sprint(name, v)) })
	}
	a := listen("a")
	var c func()
	b := e.On(func(v int) {
		heard = append(heard, fmt.Sprint("b", v))
		if v == 2 {
			c()
		}
	})
	c = listen("c")
	e.Emit(1)
	e.Emit(2) // b removes c
	a()
	a()
	e.Emit(3)
	b()
	e.Emit(4)
	if got := strings.Join(heard, " "); got != "a1 b1 c1 a2 b2 b3" {
		t.Error(got)
	}
}
