package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"
)

// A socket is a WebSocket client that only reads bytes and counts messages. It
// does the same work whoever serves it, and as little as can be.
//
// A message is a text frame, or a line of one: Centrifuge packs several
// messages into a frame, one a line.
type socket struct {
	conn  net.Conn
	buf   []byte
	count atomic.Int64

	header []byte // of the frame that has begun
	left   int    // bytes of payload still to come
	text   bool   // the frame holds messages
	seen   func(part []byte)
}

// socketBuffer is large enough that a busy server's batches need one read.
const socketBuffer = 16 << 10

// dial opens the TCP connection. The upgrade is a step of its own, so that it
// can be timed.
func dial(addr, from string) (*socket, error) {
	d := net.Dialer{Timeout: 10 * time.Second}
	if from != "" {
		d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	conn, err := d.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &socket{conn: conn}, nil
}

// upgrade asks for the WebSocket and, if hello is not empty, sends it as the
// first message. What the server sends next is left to read.
func (s *socket) upgrade(path, hello string) error {
	request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", path, s.conn.RemoteAddr())
	if _, err := io.WriteString(s.conn, request); err != nil {
		return err
	}
	r := bufio.NewReaderSize(s.conn, 4<<10)
	for first := true; ; first = false {
		line, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		if first && !strings.Contains(line, " 101 ") {
			return fmt.Errorf("upgrade: %s", strings.TrimSpace(line))
		}
		if line == "\r\n" {
			break
		}
	}
	early := make([]byte, r.Buffered())
	if _, err := io.ReadFull(r, early); err != nil {
		return err
	}
	s.feed(early)
	if hello == "" {
		return nil
	}
	return s.send(hello)
}

// send writes a masked text frame.
func (s *socket) send(text string) error {
	frame := []byte{0x81, 0x80 | byte(min(len(text), 126))}
	if len(text) >= 126 {
		frame = binary.BigEndian.AppendUint16(frame, uint16(len(text))) //nolint:gosec // the bench's own short texts
	}
	var mask [4]byte
	_, _ = rand.Read(mask[:])
	frame = append(frame, mask[:]...)
	for i := range len(text) {
		frame = append(frame, text[i]^mask[i%4])
	}
	_, err := s.conn.Write(frame)
	return err
}

// read takes what there is. It returns an error when the connection ends.
func (s *socket) read() error {
	if s.buf == nil {
		s.buf = make([]byte, socketBuffer)
	}
	n, err := s.conn.Read(s.buf)
	s.feed(s.buf[:n])
	return err
}

// until reads until that many messages have come in all.
func (s *socket) until(count int64) error {
	for s.count.Load() < count {
		if err := s.read(); err != nil {
			return fmt.Errorf("after %d of %d messages: %w", s.count.Load(), count, err)
		}
	}
	return nil
}

// feed counts the messages that end in b.
func (s *socket) feed(b []byte) {
	var done int64
	for len(b) > 0 {
		if s.left == 0 && !s.begin(&b) {
			break
		}
		part := b[:min(s.left, len(b))]
		b = b[len(part):]
		s.left -= len(part)
		if !s.text {
			continue
		}
		if s.seen != nil {
			s.seen(part)
		}
		done += int64(bytes.Count(part, newline))
		if s.left == 0 {
			done++
			if len(part) > 0 && part[len(part)-1] == '\n' {
				done--
			}
		}
	}
	if done > 0 {
		s.count.Add(done)
	}
}

var newline = []byte{'\n'}

// begin takes a frame's header from b; false if it is not all there yet.
func (s *socket) begin(b *[]byte) bool {
	for len(*b) > 0 {
		s.header = append(s.header, (*b)[0])
		*b = (*b)[1:]
		h := s.header
		if len(h) < 2 {
			continue
		}
		size, need := int(h[1]&0x7f), 2
		switch size {
		case 126:
			need = 4
		case 127:
			need = 10
		}
		if len(h) < need {
			continue
		}
		switch need {
		case 4:
			size = int(binary.BigEndian.Uint16(h[2:]))
		case 10:
			size = int(binary.BigEndian.Uint64(h[2:])) //nolint:gosec // a frame's size
		}
		op := h[0] & 0x0f
		s.left, s.text = size, op == 1 || op == 2
		s.header = s.header[:0]
		return true
	}
	return false
}

func (s *socket) close() { _ = s.conn.Close() }
