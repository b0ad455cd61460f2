package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/clew-run/clew"
)

// appends measures the durable append: the bare engine and clew take turns in
// one process, each on a directory of its own beside the other's.
func (b *bench) appends() error {
	b.logf("append")
	n, err := startNode(filepath.Join(b.dir, "append"), streamer{}, 0)
	if err != nil {
		return err
	}
	defer n.stop()
	engine, err := startBare(filepath.Join(b.dir, "bare-append"), true)
	if err != nil {
		return err
	}
	defer engine.stop()
	total := b.size.appendRounds * b.size.appends
	if err := n.createSessions("a", 0, 1+2*total); err != nil {
		return err
	}
	id := sessionName("a", 0)
	payload, err := recordSize(n, id)
	if err != nil {
		return err
	}
	one, two := []byte(strings.Repeat("x", payload)), []byte(strings.Repeat("x", 2*payload))
	sockets, err := b.connectEach(n, 1+total, total)
	if err != nil {
		return err
	}
	var s struct{ bare, fenced, bareTwo, clew, message, ws samples }
	for round := range b.rounds(b.size.appendRounds, 0.15) {
		steps := []struct {
			into *samples
			fn   func(i int) (time.Duration, error)
		}{
			{&s.bare, func(int) (time.Duration, error) { return engine.publish(one) }},
			{&s.clew, func(int) (time.Duration, error) { return n.timed(id, rename(appendSize)) }},
			{&s.fenced, func(int) (time.Duration, error) { return engine.publishFenced(one) }},
			{&s.message, func(i int) (time.Duration, error) { return n.timed(sessionName("a", 1+i), userMessage(i)) }},
			{&s.bareTwo, func(int) (time.Duration, error) { return engine.publish(two) }},
			{&s.ws, func(i int) (time.Duration, error) { return timedMessage(sockets[i]) }},
		}
		for _, step := range steps {
			for i := range b.size.appends {
				d, err := step.fn(round*b.size.appends + i)
				if err != nil {
					return err
				}
				*step.into = append(*step.into, d)
			}
		}
	}
	for _, sock := range sockets {
		sock.close()
	}
	b.figures.Append = ratio(float64(s.bare.p50()), float64(s.clew.p50()))
	b.detail("append", map[string]any{
		"payload_bytes": payload, "bare_p50_us": us(s.bare.p50()), "bare_fenced_p50_us": us(s.fenced.p50()),
		"clew_p50_us": us(s.clew.p50()), "clew_p99_us": us(s.clew.p99()), "bare_p99_us": us(s.bare.p99()),
		"append_vs_fenced":       ratio(float64(s.fenced.p50()), float64(s.clew.p50())),
		"append_user_message":    ratio(float64(s.bareTwo.p50()), float64(s.message.p50())),
		"user_message_p50_us":    us(s.message.p50()),
		"append_ws":              ratio(float64(s.bareTwo.p50()), float64(s.ws.p50())),
		"ws_round_trip_p50_us":   us(s.ws.p50()),
		"bare_two_record_p50_us": us(s.bareTwo.p50()),
	})
	return nil
}

// appendSize is the envelope's size of the record that is appended.
const appendSize = 256

// timed times a command from the host's door to its acknowledgement.
func (n *node) timed(id clew.SessionID, cmd clew.Command) (time.Duration, error) {
	start := time.Now()
	_, err := n.host.Do(context.Background(), id, cmd)
	return time.Since(start), err
}

// userMessage makes several records: the message, its acceptance, its task. The
// agent leaves it lying, so each goes to a session of its own.
func userMessage(i int) clew.Command {
	return clew.Command{
		Type: clew.CommandUserMessage, ClientMessageID: clew.ClientMessageID(fmt.Sprintf("m-%d", i)), By: owner,
		Data: &clew.UserMessageData{Text: "x" + strings.Repeat("y", 100)},
	}
}

// recordSize gives the stored size of the records that are measured, so that
// the bare engine stores as much.
func recordSize(n *node, id clew.SessionID) (int, error) {
	if _, err := n.timed(id, rename(appendSize)); err != nil {
		return 0, err
	}
	size := 0
	for r, err := range n.Journal().Read(context.Background(), id, 2, 2) {
		if err != nil {
			return 0, err
		}
		size = len(r.Line())
	}
	return size, nil
}

// connectEach opens a socket to each of count sessions from first on.
func (b *bench) connectEach(n *node, first, count int) ([]*socket, error) {
	sockets := make([]*socket, count)
	err := many(count, 8, func(i int) error {
		s, err := dial(n.addr(), "")
		if err != nil {
			return err
		}
		sockets[i] = s
		if err := s.upgrade("/ws/"+string(sessionName("a", first+i)), ""); err != nil {
			return err
		}
		return s.until(greeting)
	})
	return sockets, err
}

// greeting is how many messages clew sends at first: session_state and
// sync_complete.
const greeting = 2

// timedMessage times a user_message over the wire, up to its message_accepted.
func timedMessage(s *socket) (time.Duration, error) {
	start := time.Now()
	text := `{"type":"user_message","message_id":"m-1","data":{"text":"x` + strings.Repeat("y", 100) + `"}}`
	if err := s.send(text); err != nil {
		return 0, err
	}
	err := s.until(greeting + 3) // the message, its task, its acceptance
	return time.Since(start), err
}
