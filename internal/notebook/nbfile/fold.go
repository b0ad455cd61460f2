package nbfile

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew/internal/notebook/ipynb"
)

// folds is what the outputs of all cells share.
type folds struct {
	size, count int
	displays    map[string][]display // by display_id
}

// A display is an output that a later one may change.
type display struct {
	of *fold
	s  *shown
}

// A shown is an output that a cell shows, and about how many bytes it takes in a file.
type shown struct {
	o    ipynb.Output
	text *strings.Builder // of a stream that may grow
	size int
	gone bool
}

// A fold is what a cell shows after some of what its run put out.
type fold struct {
	all       *folds
	list      []*shown
	size      int
	left      int  // outputs that had no place
	cut       bool // a stream had none: what it says later would stand in the wrong place
	clearNext bool // what is there goes with the next output
}

func (f *fold) add(r RunOutput) {
	switch r.Type {
	case clearOutput:
		if f.clearNext = r.Wait; !r.Wait {
			f.clear()
		}
		return
	case updateDisplay:
		f.all.update(r)
		return
	case string(ipynb.Stream), string(ipynb.DisplayData), string(ipynb.ExecuteResult), string(ipynb.Error):
	default:
		return
	}
	if f.clearNext {
		f.clear()
	}
	if r.Type == string(ipynb.Stream) {
		f.print(r.Name, r.Text)
		return
	}
	f.all.update(r) // whatever has the same id shows the same
	o := r.output()
	s := &shown{o: o, size: sizeOf(&o)}
	if !f.room(s.size) || len(f.list) >= maxCount || f.all.count >= maxCountAll {
		f.left++
		return
	}
	f.show(s)
	if r.DisplayID != "" {
		f.all.displays[r.DisplayID] = append(f.all.displays[r.DisplayID], display{f, s})
	}
}

func (f *fold) show(s *shown) {
	f.list = append(f.list, s)
	f.all.count++
	f.take(s.size)
}

func (f *fold) take(size int) {
	f.size += size
	f.all.size += size
}

func (f *fold) room(size int) bool {
	return f.size+size <= maxCellOutputs && f.all.size+size <= maxOutputs
}

func (f *fold) clear() {
	for _, s := range f.list {
		s.gone = true
	}
	f.all.count -= len(f.list)
	f.take(-f.size)
	f.list, f.left, f.cut, f.clearNext = nil, 0, false, false
}

// print lets a stream grow, as far as there is room.
func (f *fold) print(name, text string) {
	if text == "" {
		return
	}
	part := f.part(text)
	if part != "" {
		var s *shown
		if last := len(f.list) - 1; last >= 0 && f.list[last].text != nil && f.list[last].o.Name == name {
			s = f.list[last]
		} else if len(f.list) < maxCount && f.all.count < maxCountAll {
			s = &shown{o: ipynb.Output{Type: ipynb.Stream, Name: name}, text: &strings.Builder{}}
			f.show(s)
		}
		if s == nil {
			part = ""
		} else {
			s.text.WriteString(part)
			f.take(written(part))
		}
	}
	if len(part) < len(text) {
		f.left++
		f.cut = true
	}
}

// part is the beginning of a text that there is room for.
func (f *fold) part(text string) string {
	if f.cut {
		return ""
	}
	if f.room(written(text)) {
		return text
	}
	most := min(maxCellOutputs-f.size, maxOutputs-f.all.size)
	for i, r := range text {
		if most -= written(string(r)); most < 0 {
			return text[:i]
		}
	}
	return text
}

// update changes what is displayed under an id, in all cells.
func (a *folds) update(r RunOutput) {
	if r.DisplayID == "" {
		return
	}
	for _, d := range a.displays[r.DisplayID] {
		if d.s.gone {
			continue
		}
		o := r.output()
		o.Type, o.ExecutionCount = d.s.o.Type, d.s.o.ExecutionCount
		size := sizeOf(&o)
		if !d.of.room(size - d.s.size) {
			d.of.left++
			continue
		}
		d.of.take(size - d.s.size)
		d.s.o, d.s.size = o, size
	}
}

// outputs is what the cell shows in the end. address is where all of it is.
func (f *fold) outputs(address string) []ipynb.Output {
	var list []ipynb.Output
	for _, s := range f.list {
		if s.text != nil {
			s.o.Text = s.text.String()
		}
		list = append(list, s.o)
	}
	switch {
	case f.left > 0 && address != "":
		list = append(list, note(fmt.Sprintf("More output (%d) is not in this file. The session has all of it: %s%s", f.left, blobScheme, strings.TrimPrefix(address, blobScheme))))
	case f.left > 0:
		list = append(list, note(fmt.Sprintf("More output (%d) is not in this file.", f.left)))
	}
	return list
}

func (r *RunOutput) output() ipynb.Output {
	o := ipynb.Output{Type: ipynb.OutputType(r.Type), EName: r.EName, EValue: r.EValue, Traceback: r.Traceback, Data: r.Data}
	_ = json.Unmarshal(r.Metadata, &o.Metadata) // what is no object is nothing
	if o.Type == ipynb.ExecuteResult && r.ExecutionCount > 0 {
		count := r.ExecutionCount
		o.ExecutionCount = &count
	}
	o.Fit()
	return o
}

// sizeOf says about how many bytes an output takes in a file.
func sizeOf(o *ipynb.Output) int {
	size := 100 + written(o.EName) + written(o.EValue)
	for mime, value := range o.Data {
		size += len(mime) + len(value) + 20 + 16*strings.Count(string(value), `\n`)
	}
	for key, value := range o.Metadata {
		size += len(key) + 3*len(value) + 20
	}
	for _, line := range o.Traceback {
		size += written(line) + 16
	}
	return size
}

// written says how many bytes a text takes in a file: lines stand by themselves there, and
// what cannot be shown is escaped.
func written(text string) int {
	size := len(text)
	for _, r := range text {
		switch {
		case r == '\n':
			size += 16
		case r < ' ' || r == '"' || r == '\\' || r == utf8.RuneError:
			size += 5
		}
	}
	return size
}
