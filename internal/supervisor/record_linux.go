package supervisor

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/notebook/zmtp"
)

const (
	// publishedWithin is how long a program may take to open its socket, and lookAgain how
	// often that is looked for.
	publishedWithin = 2 * time.Minute
	lookAgain       = 20 * time.Millisecond
	// lastWordsWithin is how long it may take to write down what is left in the socket of a
	// program that has ended.
	lastWordsWithin = 5 * time.Second
)

// record writes down what a program publishes until that ends, its last words included.
// It is the only one who does so while no server runs, and it always does: what a server
// heard last may not be on record when it is killed. After ctx it connects no more.
func (r Recording) record(ctx context.Context) {
	f, err := os.OpenFile(r.File, os.O_WRONLY|os.O_CREATE|os.O_APPEND|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	conn, err := r.subscribe(ctx)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	for {
		frames, err := conn.Receive(context.Background())
		var large *zmtp.TooLargeError
		switch {
		case errors.As(err, &large):
			_ = f.Truncate(0) // a part would be taken for the whole
		case err != nil:
			return
		default:
			r.write(f, zmtp.Encode(frames))
		}
	}
}

func (r Recording) subscribe(ctx context.Context) (*zmtp.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, publishedWithin)
	defer cancel()
	for {
		conn, err := zmtp.Dial(ctx, "unix", r.Socket, zmtp.Sub, "")
		if err == nil {
			return conn, conn.Send(ctx, []byte{1}) // to everything
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(lookAgain):
		}
	}
}

// write appends a message. Where there is no room for it nothing is kept: what is there
// would look like all there was.
func (r Recording) write(f *os.File, message []byte) {
	at, err := f.Seek(0, io.SeekEnd) // the server empties it
	if err == nil && at+int64(len(message)) > r.Max {
		err = errors.New("it is full")
	}
	if err == nil {
		_, err = f.Write(message)
	}
	if err != nil {
		_ = f.Truncate(0)
	}
}
