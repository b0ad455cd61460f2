package notebook

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/notebook/nbfile"
)

// What a run may put into the transcript. All of it is in the spool.
const (
	maxShown      = 1_000
	maxShownBytes = 10 << 20
	maxText       = 64 << 10 // of one message
)

// An item is a message of a run, as it is now. It is on record once it has an id.
type item struct {
	m     clew.Message
	grown strings.Builder // the text of a stream
	dirty bool            // it is not on record as it is now
	// since is when it was last put on record, versions how often a display was
	// changed.
	since    time.Duration
	versions int
	inline   int  // bytes of its data
	gone     bool // it was cleared before anybody saw it
}

// A published is the content of what a kernel publishes: the fields of all types.
type published struct {
	Name           string                     `json:"name"`
	Text           string                     `json:"text"`
	Data           map[string]json.RawMessage `json:"data"`
	Metadata       json.RawMessage            `json:"metadata"`
	ExecutionCount int                        `json:"execution_count"`
	EName          string                     `json:"ename"`
	EValue         string                     `json:"evalue"`
	Traceback      []string                   `json:"traceback"`
	State          string                     `json:"execution_state"`
	Wait           bool                       `json:"wait"`
	Transient      struct {
		DisplayID string `json:"display_id"`
	} `json:"transient"`
}

// outputs turns what a kernel publishes for one run into messages, which flush puts on
// record. It belongs to one goroutine.
type outputs struct {
	about    clew.MessageCell
	silent   bool // nothing is shown
	put      func(context.Context, []byte) (string, error)
	spool    spool
	displays map[string]*item // of the kernel, by display_id

	items     []*item // of this run that are shown
	fresh     []*item // that are not on record yet
	changed   []*item // that are on record otherwise than they are now
	urgent    bool    // there is more than the status
	stream    *item   // that grows
	status    *item
	rest      *item // says that something was left out
	clearNext bool
	whole     bool // what is cleared is kept: whether anybody saw it is found out later, see match
	bytes     int
	leftOut   int
	words     words
	images    []string

	count   int        // of the cell, as the kernel said when it began
	failure *published // of the cell, as the kernel showed it
}

// take takes one message of iopub. Types that it does not know are nothing to it.
func (o *outputs) take(ctx context.Context, m kernel.Message) error {
	var p published
	if m.Problem != "" || json.Unmarshal(m.Content, &p) != nil {
		o.leftOut++
		return nil
	}
	if m.Type == "status" {
		o.kernelStatus(p.State)
		return nil
	}
	if m.Type == "clear_output" {
		if o.clearNext = p.Wait; !p.Wait {
			o.clear()
		}
		return o.spool.add(nbfile.RunOutput{Type: m.Type, Wait: p.Wait})
	}
	kind := clew.OutputKind(m.Type)
	switch m.Type {
	case "execute_input":
		o.count = p.ExecutionCount
		return nil
	case "error":
		o.failure = &p
	case "stream", "display_data", "execute_result", "update_display_data":
	default:
		return nil
	}
	if err := o.spool.add(p.saved(m.Type)); err != nil {
		return err
	}
	if o.clearNext && m.Type != "update_display_data" {
		o.clearNext = false
		o.clear()
	}
	if m.Type == "update_display_data" {
		o.update(ctx, p)
		return nil
	}
	o.show(ctx, kind, p)
	return nil
}

// saved is the output as a notebook file has it.
func (p published) saved(kind string) nbfile.RunOutput {
	s := nbfile.RunOutput{Type: kind, Name: p.Name, Text: p.Text, Data: p.Data, ExecutionCount: p.ExecutionCount, EName: p.EName, EValue: p.EValue, Traceback: p.Traceback, DisplayID: p.Transient.DisplayID}
	if len(p.Data) > 0 {
		s.Metadata = p.Metadata
	}
	return s
}

// show puts an output into the transcript, if there is room for it.
func (o *outputs) show(ctx context.Context, kind clew.OutputKind, p published) {
	switch kind {
	case clew.OutputStream:
		o.words.add(p.Text)
		o.write(p.Name, p.Text)
		return
	case clew.OutputError:
		text := strings.Join(p.Traceback, "\n")
		if text == "" {
			text = strings.TrimSuffix(p.EName+": "+p.EValue, ": ")
		}
		o.words.addBlock(text)
		m := o.message(clew.SayError, kind)
		m.Text = cutText(text)
		m.Metadata = map[string]any{"ename": short(p.EName), "evalue": short(p.EValue)}
		o.add(m, 0) // there is one, and nobody wants to miss it
		return
	case clew.OutputDisplay, clew.OutputResult, clew.OutputStatus:
	}
	say := clew.SayText
	if kind == clew.OutputResult {
		say = clew.SayCellExecuted
	}
	m := o.message(say, kind)
	m.Cell.DisplayID = short(p.Transient.DisplayID)
	o.words.addBlock(plainText(p.Data))
	if !o.room(1) {
		return
	}
	size := o.fill(ctx, &m, p)
	it := o.add(m, size)
	if id := m.Cell.DisplayID; id != "" && it != nil && (len(o.displays) < maxDisplays || o.displays[id] != nil) {
		o.displays[id] = it
	}
}

// fill puts a MIME bundle into a message and says how many bytes it takes.
func (o *outputs) fill(ctx context.Context, m *clew.Message, p published) int {
	if o.silent {
		return 0
	}
	b := bundle(ctx, p.Data, o.put)
	m.Text, m.Images = cutText(plainText(p.Data)), b.images
	m.Metadata = map[string]any{"data": b.data}
	if m.Cell.Output == clew.OutputResult {
		m.Metadata["execution_count"] = p.ExecutionCount
	}
	for _, image := range b.images {
		if len(o.images) < maxModelImages {
			o.images = append(o.images, image)
		}
	}
	return len(m.Text) + b.inline
}

// update changes the message that shows a display. One that nobody knows is left out,
// as Jupyter does.
func (o *outputs) update(ctx context.Context, p published) {
	it := o.displays[p.Transient.DisplayID]
	if it == nil || o.silent {
		return
	}
	it.versions++
	was := it.m
	cell := *was.Cell
	m := was
	m.Cell = &cell
	if size := o.fill(ctx, &m, p); o.bytes+size > maxShownBytes {
		o.leftOut++
		return
	}
	it.m = m
	o.mark(it)
}

// adopt takes over what another server put on record of the run: its status, and what it
// displays. A stream that was open then is closed; what comes now has a message of its own.
func (o *outputs) adopt(shown []clew.Message) {
	for _, m := range shown {
		it := &item{m: m}
		if m.Cell.Output == clew.OutputStatus {
			o.status = it
			continue
		}
		o.items = append(o.items, it)
		o.bytes += len(m.Text)
		if id := m.Cell.DisplayID; id != "" && len(o.displays) < maxDisplays {
			o.displays[id] = it
		}
		if m.Partial {
			it.m.Partial = false
			o.mark(it)
		}
	}
}

// message begins a message of the run.
func (o *outputs) message(say clew.Say, kind clew.OutputKind) clew.Message {
	cell := o.about
	cell.Output = kind
	return clew.Message{Type: clew.TypeSay, Say: say, Role: clew.SpeakerSystem, Cell: &cell}
}

// room says whether another output of some bytes fits, and counts it if not.
func (o *outputs) room(size int) bool {
	if o.silent {
		return false
	}
	if len(o.items) < maxShown && o.bytes+size <= maxShownBytes {
		return true
	}
	o.leaveOut()
	return false
}

// leaveOut counts an output that is not shown, and says so once.
func (o *outputs) leaveOut() {
	o.leftOut++
	o.endStream()
	if o.rest != nil {
		return
	}
	m := o.message(clew.SayCommandOutput, clew.OutputStream)
	m.Text = "… the rest was left out"
	m.Metadata = map[string]any{"left_out": true}
	o.rest = &item{m: m}
	o.fresh = append(o.fresh, o.rest)
	o.mark(o.rest)
}

// add shows a message.
func (o *outputs) add(m clew.Message, size int) *item {
	if o.silent {
		return nil
	}
	o.endStream()
	it := &item{m: m, inline: size}
	o.bytes += size
	o.items, o.fresh = append(o.items, it), append(o.fresh, it)
	o.mark(it)
	return it
}

// write lets a stream grow: in one message, until something else is put out or it is
// long.
func (o *outputs) write(name, text string) {
	if o.silent || text == "" {
		return
	}
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	fits := wholeRunes(text, maxShownBytes-o.bytes)
	left := len(fits) < len(text)
	for fits != "" {
		if o.stream != nil && (o.stream.m.Metadata["stream"] != name || o.stream.grown.Len() >= maxText) {
			o.endStream()
		}
		if o.stream == nil {
			if len(o.items) >= maxShown {
				left = true
				break
			}
			m := o.message(clew.SayCommandOutput, clew.OutputStream)
			m.Metadata, m.Partial = map[string]any{"stream": short(name)}, true
			o.stream = o.add(m, 0)
		}
		piece := wholeRunes(fits, max(maxText-o.stream.grown.Len(), utf8.UTFMax))
		o.stream.grown.WriteString(piece)
		o.stream.m.Text = o.stream.grown.String()
		o.mark(o.stream)
		o.bytes += len(piece)
		fits = fits[len(piece):]
	}
	if left {
		o.leaveOut()
	}
}

// endStream closes the message that grows.
func (o *outputs) endStream() {
	if o.stream != nil {
		o.stream.m.Partial = false
		o.mark(o.stream)
		o.stream = nil
	}
}

// kernelStatus shows whether the kernel works for this run.
func (o *outputs) kernelStatus(state string) {
	if o.silent || (state != "busy" && state != "idle") {
		return
	}
	if o.status == nil {
		m := o.message(clew.SayKernelStatus, clew.OutputStatus)
		o.status = &item{m: m}
		o.fresh = append(o.fresh, o.status)
	}
	o.status.m.Text = state
	o.status.m.Metadata = map[string]any{"execution_state": state}
	o.mark(o.status)
}

// clear marks what is shown as cleared. What nobody has seen yet is dropped.
func (o *outputs) clear() {
	o.endStream()
	kept := o.items[:0]
	for _, it := range o.items {
		switch {
		case it.m.Cell.Cleared:
		case it.m.MessageID == "" && !o.whole:
			it.gone = true
			o.bytes -= len(it.m.Text)
			continue
		default:
			cell := *it.m.Cell
			cell.Cleared = true
			it.m.Cell = &cell
			o.mark(it)
		}
		kept = append(kept, it)
	}
	o.items = kept
	fresh := o.fresh[:0]
	for _, it := range o.fresh {
		if !it.gone {
			fresh = append(fresh, it)
		}
	}
	o.fresh = fresh
}

// finish closes what is open and says how much was left out.
func (o *outputs) finish() {
	o.endStream()
	if o.rest != nil {
		o.rest.m.Text = fmt.Sprintf("… the rest was left out: %d more outputs", o.leftOut)
		o.rest.m.Metadata = map[string]any{"left_out": o.leftOut}
		o.mark(o.rest)
	}
}
