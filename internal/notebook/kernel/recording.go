package kernel

import (
	"errors"
	"io"
	"os"

	"github.com/clew-run/clew/internal/notebook/zmtp"
)

// A Recording is a file of what a kernel published, from some message on; see
// supervisor.Recording. It may still grow while it is read.
type Recording struct {
	signer signer
	file   *os.File
	frames *zmtp.Reader
	read   int64
}

// errEmptied says that a recording has no longer what was to be read of it.
var errEmptied = errors.New("what the kernel published was too much to be kept")

// OpenRecording opens the recording of a kernel. It must be closed.
func OpenRecording(path string, of Connection) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &Recording{signer: signer(of.Key), file: f}
	r.frames = zmtp.NewReader(counted{f, &r.read})
	return r, nil
}

// Next gives the next message, io.EOF if it is not there yet. After any other error there
// is no more.
func (r *Recording) Next() (Message, error) {
	info, err := r.file.Stat()
	if err == nil && info.Size() < r.read {
		err = errEmptied
	}
	if err != nil {
		return Message{}, err
	}
	frames, err := r.frames.Message()
	if errors.Is(err, io.ErrUnexpectedEOF) { // the rest is being written
		err = io.EOF
	}
	if err != nil {
		return Message{}, err
	}
	return r.signer.decode(IOPub, frames)
}

// Close lets go of the file.
func (r *Recording) Close() error { return r.file.Close() }

// counted counts what is read.
type counted struct {
	in   io.Reader
	read *int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	*c.read += int64(n)
	return n, err
}
