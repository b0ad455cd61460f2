package call

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

// MaxTools bounds the tool calls of one answer.
const MaxTools = 1_000

// Bounds of one answer. They are far above what a model writes and keep a
// hostile or broken server from filling the memory.
const (
	maxAnswer = 8 << 20
	maxParts  = 10_000
	maxDepth  = 100
)

// A Builder puts an answer together and passes each piece on. It is for one
// goroutine.
type Builder struct {
	on      func(llm.Delta) error
	pieces  []*Piece
	size    int
	tools   int
	ids     map[string]bool // of all tool calls, the history's too
	stopped error
}

// NewBuilder begins the answer to a request.
func NewBuilder(req llm.Request, on func(llm.Delta) error) *Builder {
	b := &Builder{on: on, ids: map[string]bool{}}
	for _, m := range req.Messages {
		for _, p := range m.ToolCalls() {
			b.ids[p.ToolCallID] = true
		}
	}
	return b
}

// Stopped gives the error with which the receiver of the pieces ended the call.
func (b *Builder) Stopped() error { return b.stopped }

// Last gives the newest piece if it is of that type.
func (b *Builder) Last(t clew.PartType) *Piece {
	if n := len(b.pieces); n > 0 && b.pieces[n-1].part.Type == t {
		return b.pieces[n-1]
	}
	return nil
}

// Open begins a piece of text or thinking.
func (b *Builder) Open(t clew.PartType) (*Piece, error) {
	if len(b.pieces) >= maxParts {
		return nil, Broken("the answer has more than %d parts", maxParts)
	}
	p := &Piece{b: b, part: clew.Part{Type: t}}
	b.pieces = append(b.pieces, p)
	return p, nil
}

// OpenTool begins a tool call. An id that is missing, or was used before in the
// conversation, is replaced: ids tie results to calls, so they must differ.
func (b *Builder) OpenTool(id, name string) (*Piece, error) {
	if b.tools++; b.tools > MaxTools {
		return nil, Broken("the answer has more than %d tool calls", MaxTools)
	}
	name = strings.ToValidUTF8(name, "\uFFFD")
	if name == "" {
		return nil, Broken("the answer calls a tool without a name")
	}
	id = strings.ToValidUTF8(id, "\uFFFD")
	if id == "" || b.ids[id] {
		id = "call_" + rand.Text()
	}
	b.ids[id] = true
	p, err := b.Open(clew.PartToolUse)
	if err != nil {
		return nil, err
	}
	p.part.ToolCallID, p.part.Tool = id, name
	if err := b.grow(len(id) + len(name)); err != nil {
		return nil, err
	}
	return p, b.pass(llm.Delta{Kind: llm.DeltaToolStart, ToolCallID: id, Tool: name})
}

func (b *Builder) grow(n int) error {
	if b.size += n; b.size > maxAnswer {
		return Broken("the answer is larger than %d MiB", maxAnswer>>20)
	}
	return nil
}

func (b *Builder) pass(d llm.Delta) error {
	if b.on == nil {
		return nil
	}
	if err := b.on(d); err != nil {
		b.stopped = err
		return err
	}
	return nil
}

// Size is the number of bytes of the answer so far.
func (b *Builder) Size() int { return b.size }

// Done ends the answer. It checks the input of each tool call. An answer that
// hit its limit may end inside a call: that call is left out, and the stop
// reason tells.
func (b *Builder) Done(stop llm.StopReason) (llm.Answer, error) {
	a := llm.Answer{Stop: stop}
	calls := 0
	for i, p := range b.pieces {
		part, err := p.finish()
		if err != nil {
			if stop == llm.StopMaxTokens && i == len(b.pieces)-1 {
				break
			}
			return llm.Answer{}, err
		}
		if part.Type == clew.PartToolUse {
			calls++
		} else if part.Text == "" && part.Signature == "" && part.Encrypted == "" {
			continue
		}
		a.Parts = append(a.Parts, part)
	}
	// Some servers say stop where they mean tool calls, and the other way round.
	if stop == llm.StopEnd && calls > 0 {
		a.Stop = llm.StopToolUse
	}
	if stop == llm.StopToolUse && calls == 0 {
		a.Stop = llm.StopEnd
	}
	return a, nil
}

// A Piece is a part of an answer while it grows.
type Piece struct {
	b    *Builder
	part clew.Part
	text strings.Builder // text, thought, or a call's input
	sign strings.Builder
}

// Append adds to the piece and passes the addition on.
func (p *Piece) Append(s string) error {
	if s == "" {
		return nil
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if err := p.b.grow(len(s)); err != nil {
		return err
	}
	p.text.WriteString(s)
	switch p.part.Type {
	case clew.PartThinking:
		return p.b.pass(llm.Delta{Kind: llm.DeltaThinking, Text: s})
	case clew.PartToolUse:
		return p.b.pass(llm.Delta{Kind: llm.DeltaToolInput, Text: s, ToolCallID: p.part.ToolCallID, Tool: p.part.Tool})
	}
	return p.b.pass(llm.Delta{Kind: llm.DeltaText, Text: s})
}

// Sign adds to the proof of a thought, or of the thought that led to the piece.
func (p *Piece) Sign(s string) error {
	p.sign.WriteString(s)
	return p.b.grow(len(s))
}

// Seal keeps a thought that came encrypted.
func (p *Piece) Seal(s string) error {
	p.part.Encrypted = s
	return p.b.grow(len(s))
}

func (p *Piece) finish() (clew.Part, error) {
	part := p.part
	part.Signature = p.sign.String()
	if part.Type != clew.PartToolUse {
		part.Text = p.text.String()
		return part, nil
	}
	input := strings.TrimSpace(p.text.String())
	if input == "" {
		input = "{}" // how tools without parameters are called
	}
	// It is decoded here, once, so that nothing gets on record that a reader of
	// JSON refuses, such as a number beyond all bounds.
	var fields map[string]any
	if input[0] != '{' || !shallow(input) || json.Unmarshal([]byte(input), &fields) != nil {
		return clew.Part{}, Broken("the input of the tool call %q is no JSON object", cut(oneLine(part.Tool), 80))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(input)); err != nil {
		return clew.Part{}, Broken("the input of the tool call %q is no JSON object", cut(oneLine(part.Tool), 80))
	}
	part.Input = compact.Bytes()
	return part, nil
}

// shallow reports whether JSON text nests no deeper than maxDepth. It runs
// before the parser, so that nothing recurses into a tower of brackets.
func shallow(s string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return false
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return true
}

// Type is the type of the part.
func (p *Piece) Type() clew.PartType { return p.part.Type }

// Whole reports whether a tool call's input is complete as it is.
// Beyond 64 KiB it says no: it is asked again and again as the input grows.
func (p *Piece) Whole() bool {
	s := strings.TrimSpace(p.text.String())
	return len(s) <= 64<<10 && strings.HasSuffix(s, "}") && shallow(s) && json.Valid([]byte(s))
}
