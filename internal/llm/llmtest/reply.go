package llmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/clew-run/clew/internal/llm"
)

// A beat is an item with its templates filled in and its content cut in pieces.
type beat struct {
	Item
	id     string // of a tool call
	pieces []string
}

// A reply is what is played for one request.
type reply struct {
	beats []beat
	usage Usage
	stop  llm.StopReason
}

// newReply fills in all of a step before a byte of it is sent, so that a mistake
// in a template is an error and no broken stream.
func newReply(step *Step, s scene) (*reply, error) {
	r := &reply{stop: llm.StopEnd}
	calls, said, told := s.req.calls(), 0, false
	for _, it := range step.Reply {
		b := beat{Item: it}
		var err error
		switch it.Kind {
		case ItemText, ItemThinking:
			err = b.fillText(s)
		case ItemTool:
			calls++
			err = b.fillTool(s, calls)
			r.stop = llm.StopToolUse
		case ItemUsage:
			r.usage, told = it.Usage, true
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of the script: %w", it.Line, err)
		}
		for _, p := range b.pieces {
			said += len(p)
		}
		r.beats = append(r.beats, b)
	}
	if !told {
		r.usage = estimate(len(s.req.Body), said)
	}
	for _, b := range r.beats {
		if b.Kind == ItemStop {
			r.stop = b.Stop
		}
	}
	return r, nil
}

// estimate makes up a usage: about four bytes are one token.
func estimate(in, out int) Usage {
	return Usage{Input: int64(in/4 + 1), Output: int64(out/4 + 1)}
}

func (b *beat) fillText(s scene) error {
	text, err := s.render(b.Text)
	b.pieces = textPieces(text, b.Pieces)
	return err
}

// fillTool makes up an id that depends on the history alone, so that a repeated
// call gets the same answer.
func (b *beat) fillTool(s scene, n int) error {
	var err error
	if b.id, err = s.render(b.Tool.ID); err != nil {
		return err
	}
	if b.id == "" {
		b.id = fmt.Sprintf("call_%s_%d", s.req.Conversation, n)
	}
	input, err := s.input(b.Tool)
	b.pieces = inputPieces(input, b.Pieces)
	return err
}

func (s scene) input(t Tool) (string, error) {
	if t.Raw != nil {
		return *t.Raw, nil
	}
	value, err := s.renderValue(t.Input)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(value)
	return string(data), err
}

// sign proves that a thought came from here. A request that hands back another
// thought, or a changed one, is refused.
func sign(thought string) string {
	sum := sha256.Sum256([]byte("llmtest\x00" + thought))
	return "sig_" + hex.EncodeToString(sum[:12])
}
