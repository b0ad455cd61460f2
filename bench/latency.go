package main

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// began is where the bench's own clock starts. It never jumps, unlike the time
// of day, and is good within one process.
var began = time.Now()

func tick() time.Duration { return time.Since(began) }

// ticked is a token that carries the time it was sent.
func ticked() string { return fmt.Sprintf("%s%019d ", stampMark, int64(tick())) }

// An latencyProbe finds stamps in what it hears and tells how late they are. Each counts
// once, when it is first heard: a snapshot repeats old ones.
type latencyProbe struct {
	tail   []byte // the end of what was heard, in which something may have begun
	newest time.Duration
	late   samples
	heard  int  // bytes
	idle   bool // the turn is over
	asks   bool // the agent waits for a person, which nothing here should lead to
}

// Marks of what an ear listens for; none is longer than the tail that is kept.
var (
	idleMark = []byte(`"type":"task_idle"`)
	askMark  = []byte(`"type":"hitl_`)
	earTail  = len(stampMark) + stampDigits
)

const stampDigits = 19

func (e *latencyProbe) hear(part []byte) {
	now := tick()
	e.heard += len(part)
	e.tail = append(e.tail, part...)
	for b := e.tail; ; {
		_, after, ok := bytes.Cut(b, []byte(stampMark))
		if !ok || len(after) < stampDigits {
			break
		}
		b = after
		at, err := strconv.ParseInt(string(after[:stampDigits]), 10, 64)
		if sent := time.Duration(at); err == nil && sent > e.newest {
			e.newest = sent
			e.late = append(e.late, now-sent)
		}
	}
	e.idle = e.idle || bytes.Contains(e.tail, idleMark)
	e.asks = e.asks || bytes.Contains(e.tail, askMark)
	e.tail = append(e.tail[:0], e.tail[max(0, len(e.tail)-earTail):]...)
}

// turn says something in a session and listens until the agent is done with it.
func (e *latencyProbe) turn(s *socket, prompt string, limit time.Duration) (time.Duration, error) {
	if err := s.conn.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return 0, err
	}
	s.seen = e.hear
	start := time.Now()
	if err := s.send(`{"type":"user_message","message_id":"m-1","data":{"text":"` + prompt + `"}}`); err != nil {
		return 0, err
	}
	for !e.idle && !e.asks {
		if err := s.read(); err != nil {
			return 0, fmt.Errorf("%s: %w", prompt, err)
		}
	}
	if e.asks {
		return 0, errors.New("the agent asks a person")
	}
	return time.Since(start), nil
}
