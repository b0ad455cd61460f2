package session

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// decidePurely decides a command twice and says what Decide did beside deciding:
// whether the state or the command is another one, or the second decision differs
// from the first. Under the race detector somebody reads the state meanwhile, so
// that a write which puts back what was there is found, too.
func decidePurely(s *core.State, cmd clew.Command, now int64) error {
	state, command := fingerprint(s), fingerprint(cmd.Data)
	var reader sync.WaitGroup
	if raceEnabled {
		reader.Go(func() { fingerprint(s) })
	}
	first := decided(s, cmd, now)
	second := decided(s, cmd, now)
	reader.Wait()
	switch {
	case fingerprint(s) != state:
		return fmt.Errorf("%T changes the state", cmd.Data)
	case fingerprint(cmd.Data) != command:
		return fmt.Errorf("%T is changed", cmd.Data)
	case first != second:
		return fmt.Errorf("%T gives\n%s\nand then\n%s", cmd.Data, first, second)
	}
	return nil
}

// decided is a decision as text. A panic is one, too: the session contains it.
func decided(s *core.State, cmd clew.Command, now int64) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint("panic: ", p)
		}
	}()
	tx, err := decide.Decide(s, cmd, now)
	if err != nil {
		return fmt.Sprint("error: ", err)
	}
	var b strings.Builder
	for _, e := range tx.Events() {
		data, err := json.Marshal(e.Data)
		fmt.Fprintf(&b, "%s %s %v\n", e.Type, data, err)
	}
	result, err := json.Marshal(tx.Result)
	fmt.Fprintf(&b, "result %s %v", result, err)
	return b.String()
}

var seed = maphash.MakeSeed()

// fingerprint sums up a value with all that it refers to, exported or not, and
// with what lies in slices behind their ends: who appends there has changed it.
func fingerprint(v any) uint64 {
	f := printer{seen: map[seenKey]bool{}}
	f.h.SetSeed(seed)
	f.add(reflect.ValueOf(v))
	return f.h.Sum64()
}

type seenKey struct {
	p uintptr
	t reflect.Type
}

type printer struct {
	h    maphash.Hash
	seen map[seenKey]bool
}

func (f *printer) number(n uint64) { maphash.WriteComparable(&f.h, n) }

func (f *printer) add(v reflect.Value) {
	f.number(uint64(v.Kind()))
	switch v.Kind() {
	case reflect.String:
		_, _ = f.h.WriteString(v.String())
		f.number(uint64(v.Len()))
	case reflect.Bool:
		maphash.WriteComparable(&f.h, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		maphash.WriteComparable(&f.h, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		f.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		maphash.WriteComparable(&f.h, v.Float())
	case reflect.Pointer:
		f.pointer(v)
	case reflect.Interface:
		if !v.IsNil() {
			f.add(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.add(v.Field(i))
		}
	case reflect.Slice:
		f.number(uint64(v.Len()))
		f.list(v.Slice(0, v.Cap()))
	case reflect.Array:
		f.list(v)
	case reflect.Map:
		f.mapping(v)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128, reflect.Invalid:
	}
}

func (f *printer) list(v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
		_, _ = f.h.Write(v.Bytes())
		return
	}
	for i := range v.Len() {
		f.add(v.Index(i))
	}
}

func (f *printer) pointer(v reflect.Value) {
	key := seenKey{v.Pointer(), v.Type()}
	if v.IsNil() || f.seen[key] {
		return
	}
	f.seen[key] = true
	f.add(v.Elem())
}

// mapping sums up the entries in any order.
func (f *printer) mapping(v reflect.Value) {
	var sum uint64
	for it := v.MapRange(); it.Next(); {
		e := printer{seen: map[seenKey]bool{}}
		e.h.SetSeed(seed)
		e.add(it.Key())
		e.add(it.Value())
		sum += e.h.Sum64()
	}
	f.number(uint64(v.Len()))
	f.number(sum)
}

// The watch over Decide finds what it is there for.
func TestImpurityIsFound(t *testing.T) {
	calls := 0
	for name, impure := range map[string]func(tx *decide.Tx, s *core.State, t *core.Task){
		"a field":        func(_ *decide.Tx, s *core.State, _ *core.Task) { s.Title += "x" },
		"a hidden field": func(_ *decide.Tx, s *core.State, _ *core.Task) { s.Pending = &core.State{} },
		"deep inside":    func(_ *decide.Tx, s *core.State, t *core.Task) { s.Tasks[t.TaskID].Turn.Reply += "x" },
		"behind a slice": func(_ *decide.Tx, s *core.State, _ *core.Task) { _ = append(s.Problems, clew.Problem{MessageID: "x"}) },
		"a map":          func(_ *decide.Tx, s *core.State, _ *core.Task) { s.Access["eve"] = clew.RoleOwner },
		"another outcome": func(tx *decide.Tx, _ *core.State, _ *core.Task) {
			calls++
			tx.Add(&clew.SessionRenamedData{Title: fmt.Sprint(calls)})
		},
	} {
		if raceEnabled && name != "another outcome" { // the detector would find it first
			continue
		}
		b := newBench()
		b.atWork()
		b.s.state.Access = map[clew.UserID]clew.Role{}
		b.s.state.Problems = make([]clew.Problem, 0, 10)
		task := b.task()
		cmd := clew.Command{Data: &decide.TurnReport{Task: task.TaskID, Turn: task.Turn.ID, Intent: decide.Script(impure)}}
		if err := decidePurely(b.s.state, cmd, b.now); err == nil {
			t.Errorf("%s: not found", name)
		}
	}
	b := newBench()
	b.atWork()
	if err := decidePurely(b.s.state, clew.Command{By: by("ann"), Data: &clew.RenameSessionData{Title: "x"}}, b.now); err != nil {
		t.Error(err)
	}
}
