package transcript

import (
	"fmt"
	"strconv"
	"strings"
)

// hear compares what the server sends to a client with a server section.
func (p *player) hear(c *conn, i int) error {
	st := &p.script.steps[i]
	heard, err := p.follow(c, st.body)
	if !p.update {
		return err
	}
	fits := err == nil
	if !p.spokenToNext(i) {
		extra := p.drain(c)
		fits = fits && len(extra) == 0
		heard = append(heard, extra...)
	}
	if !fits {
		p.rewrite(i, p.rewriteFrames(st.body, heard))
	}
	return nil
}

// follow reads frames as long as the patterns ask for some. It returns all it
// read, and an error at the first pattern that does not fit.
func (p *player) follow(c *conn, patterns []string) (heard []any, err error) {
	skip := false
	for n, l := range patterns {
		if l == more {
			skip = true
			continue
		}
		pattern, err := parseJSON([]byte(l))
		if err != nil {
			return heard, err
		}
		for {
			frame, err := p.frame(c, kindOf(pattern))
			if err != nil {
				return heard, fmt.Errorf("%w; waiting for line %d: %s", err, n+1, l)
			}
			heard = append(heard, frame)
			err = p.vars.match(pattern, frame)
			if err == nil {
				break
			}
			if !skip {
				return heard, fmt.Errorf("line %d: %w\nheard: %s\nwant:  %s", n+1, err, writeJSON(frame), l)
			}
		}
		skip = false
	}
	return heard, nil
}

// passing reports whether a frame comes by the clock or by others' doing, so that
// a script cannot say when: it is skipped unless it is wanted.
func passing(kind string) bool { return kind == "ping" || kind == "presence" }

// snapshot reports whether a frame is growing text that was recorded on the way,
// once a second: it comes on a slow machine and not on a fast one.
func snapshot(frame any) bool {
	if kindOf(frame) != "message_updated" {
		return false
	}
	for _, key := range []string{"data", "message", "partial"} {
		o, ok := frame.(*object)
		if !ok {
			return false
		}
		frame = o.fields[key]
	}
	return frame == true
}

// frame gives the next frame that is not passing, unless it is the wanted kind.
func (p *player) frame(c *conn, wanted string) (any, error) {
	for {
		b, err := c.next(patience)
		if err != nil {
			return nil, err
		}
		v, err := parseJSON(b)
		if err != nil {
			return nil, fmt.Errorf("the server sent %q: %w", b, err)
		}
		if kind := kindOf(v); (kind == wanted || !passing(kind)) && !snapshot(v) {
			return v, nil
		}
	}
}

// drain takes the frames that come until it is quiet.
func (p *player) drain(c *conn) (extra []any) {
	for {
		b, err := c.next(quiet)
		if err != nil {
			return extra
		}
		if v, err := parseJSON(b); err == nil && !passing(kindOf(v)) && !snapshot(v) {
			extra = append(extra, v)
		}
	}
}

// spokenToNext reports whether the next step about the same client listens to
// it again, so that further frames belong to that step.
func (p *player) spokenToNext(i int) bool {
	for _, st := range p.script.steps[i+1:] {
		if st.who == p.script.steps[i].who {
			return st.verb == "server" || st.verb == "close"
		}
	}
	return false
}

// response compares the last answer with a response section.
func (p *player) response(i int) error {
	st := &p.script.steps[i]
	if p.answer == nil {
		return fmt.Errorf("no request came before")
	}
	err := p.checkAnswer(st)
	if err == nil || !p.update {
		return err
	}
	text := strconv.Itoa(p.answer.status) + "\n"
	if v, err := parseJSON(p.answer.body); err == nil {
		text += writeJSON(p.generalise("", oldBody(st), v)) + "\n"
	}
	p.rewrite(i, text)
	return nil
}

func oldBody(st *step) any {
	v, err := parseJSON([]byte(strings.Join(st.body, "\n")))
	if err != nil {
		return nil
	}
	return v
}

func (p *player) checkAnswer(st *step) error {
	if p.answer.status != st.status {
		return fmt.Errorf("status %d, want %d: %s", p.answer.status, st.status, p.answer.body)
	}
	if len(st.body) == 0 {
		return nil
	}
	pattern, err := parseJSON([]byte(strings.Join(st.body, "\n")))
	if err != nil {
		return err
	}
	v, err := parseJSON(p.answer.body)
	if err != nil {
		return fmt.Errorf("the body is not JSON: %q", p.answer.body)
	}
	if err := p.vars.match(pattern, v); err != nil {
		return fmt.Errorf("%w\nheard: %s", err, p.answer.body)
	}
	return nil
}
