package zmtp

import (
	"bufio"
	"encoding/binary"
	"io"
)

// The flags of a frame.
const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
	flagUnknown = 0xF8
)

// firstRoom is what is set aside for a frame before any of it has come.
const firstRoom = 32 << 10

// Encode writes the frames of a message as they are sent.
func Encode(frames [][]byte) []byte {
	size := 0
	for _, f := range frames {
		size += 9 + len(f)
	}
	b := make([]byte, 0, size)
	for i, f := range frames {
		var flags byte
		if i < len(frames)-1 {
			flags = flagMore
		}
		b = encodeFrame(b, flags, f)
	}
	return b
}

func encodeFrame(b []byte, flags byte, body []byte) []byte {
	if len(body) < 256 {
		b = append(b, flags, byte(len(body)))
	} else {
		b = append(b, flags|flagLong)
		b = binary.BigEndian.AppendUint64(b, uint64(len(body)))
	}
	return append(b, body...)
}

// A reader takes frames from a stream. All that it knows of a message which is
// not yet complete is in its fields, so that a time-out loses nothing.
type reader struct {
	in     *bufio.Reader
	frames [][]byte // of the message under way
	bytes  int64    // of the message under way, heads counted
	over   int      // frames of it after it went over the limits; 0 below them

	inFrame bool
	flags   byte
	body    []byte
	left    uint64 // of the frame under way
}

// A Reader reads messages from a stream that may still grow, such as a file to which
// Encode's are appended.
type Reader struct{ reader *reader }

// NewReader gives a Reader of what r has from here on.
func NewReader(r io.Reader) *Reader { return &Reader{newReader(r)} }

// Message gives the frames of the next message. After io.EOF or io.ErrUnexpectedEOF it
// goes on where it was once there is more.
func (r *Reader) Message() ([][]byte, error) { return r.reader.message() }

func newReader(r io.Reader) *reader {
	return &reader{in: bufio.NewReaderSize(r, firstRoom)}
}

// handshake reads what stands before the messages.
func (r *reader) handshake() (Peer, error) {
	var g [greetingSize]byte
	if _, err := io.ReadFull(r.in, g[:11]); err != nil {
		return Peer{}, err
	}
	if err := checkVersion(g[:]); err != nil {
		return Peer{}, err
	}
	if _, err := io.ReadFull(r.in, g[11:]); err != nil {
		return Peer{}, err
	}
	if err := checkMechanism(g[:]); err != nil {
		return Peer{}, err
	}
	if err := r.head(); err != nil {
		return Peer{}, err
	}
	if r.flags&flagCommand == 0 {
		return Peer{}, broken("a message came before the handshake had ended")
	}
	if err := r.frame(); err != nil {
		return Peer{}, err
	}
	defer r.reset()
	return parseReady(r.body)
}

// message reads up to the end of the next message.
func (r *reader) message() ([][]byte, error) {
	for {
		if err := r.frame(); err != nil {
			return nil, err
		}
		r.inFrame = false
		if r.flags&flagCommand != 0 { // such as a ping: nothing that a kernel's sockets need
			r.body = nil
			continue
		}
		if r.over > 0 {
			r.over++
		} else {
			r.frames = append(r.frames, r.body)
		}
		r.body = nil
		if r.flags&flagMore == 0 {
			return r.finish()
		}
	}
}

func (r *reader) finish() ([][]byte, error) {
	defer r.reset()
	if r.over > 0 {
		return nil, &TooLargeError{Bytes: r.bytes, Frames: r.over - 1}
	}
	return r.frames, nil
}

func (r *reader) reset() { *r = reader{in: r.in} }

// frame reads the frame under way, or the next one, to its end.
func (r *reader) frame() error {
	if !r.inFrame {
		if err := r.head(); err != nil {
			return err
		}
	}
	for r.left > 0 {
		if err := r.more(); err != nil {
			return err
		}
	}
	return nil
}

// head reads flags and size of a frame and decides whether it is kept.
func (r *reader) head() error {
	b, err := r.in.Peek(2)
	if err != nil {
		return cutOff(err, len(b) > 0 || r.bytes > 0)
	}
	flags, size, length := b[0], uint64(b[1]), 2
	if flags&flagLong != 0 {
		length = 9
		if b, err = r.in.Peek(length); err != nil {
			return cutOff(err, true)
		}
		size = binary.BigEndian.Uint64(b[1:])
	}
	if err := r.admit(flags, size); err != nil {
		return err
	}
	_, err = r.in.Discard(length)
	r.inFrame, r.flags, r.left = true, flags, size
	return err
}

// admit checks a frame before anything is set aside for it.
func (r *reader) admit(flags byte, size uint64) error {
	switch {
	case flags&flagUnknown != 0:
		return broken("a frame has the flags %#x", flags)
	case flags&flagCommand != 0:
		if flags&flagMore != 0 || size > maxCommand {
			return broken("a command of %d bytes", size)
		}
		return nil
	case size > maxSkip || r.bytes+int64(size) > maxSkip: //nolint:gosec // at most maxSkip when it is converted
		return broken("a message of more than %d bytes", int64(maxSkip))
	}
	r.bytes += int64(size) + 2 //nolint:gosec // at most maxSkip
	if r.over == 0 && (r.bytes > MaxMessage || len(r.frames) == MaxFrames) {
		r.over = len(r.frames) + 1
		r.frames = nil
	}
	return nil
}

// more reads what is there of the frame's body, growing with what has come.
func (r *reader) more() error {
	if r.over > 0 && r.flags&flagCommand == 0 {
		n, err := r.in.Discard(int(min(r.left, firstRoom)))
		r.left -= uint64(n) //nolint:gosec // a count
		return cutOff(err, true)
	}
	if len(r.body) == cap(r.body) {
		r.body = grow(r.body, r.left)
	}
	room := r.body[len(r.body):cap(r.body)]
	n, err := r.in.Read(room[:min(uint64(len(room)), r.left)])
	r.body = r.body[:len(r.body)+n]
	r.left -= uint64(n) //nolint:gosec // a count
	return cutOff(err, true)
}

// grow gives a frame twice the room, and no more than what is left of it.
func grow(body []byte, left uint64) []byte {
	next := make([]byte, len(body), uint64(len(body))+min(left, max(firstRoom, uint64(len(body)))))
	copy(next, body)
	return next
}

// cutOff says that a stream ended within a message, if it did.
func cutOff(err error, within bool) error {
	if err == io.EOF && within { //nolint:errorlint // readers give it bare
		return io.ErrUnexpectedEOF
	}
	return err
}
