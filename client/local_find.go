package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// LocalSocket is the name of a server's local socket in its data directory.
const LocalSocket = "clew.sock"

// findWithin bounds how long a server may take to say who it is.
const findWithin = 5 * time.Second

// FindLocal asks the server at a local socket who it is and where it is reached
// by HTTP. It fails with CONNECTION_FAILED if no server is there.
func FindLocal(ctx context.Context, path string) (clew.AckData, error) {
	ctx, cancel := context.WithTimeout(ctx, findWithin)
	defer cancel()
	conn, err := dialLocal(ctx, path)
	if err != nil {
		return clew.AckData{}, err
	}
	defer func() { _ = conn.Close() }()
	_, ack, err := awaitAck(ctx, conn)
	return ack, err
}

func dialLocal(ctx context.Context, path string) (net.Conn, error) {
	name, done, err := shortName(path)
	if err != nil {
		return nil, clew.WrapError(clew.ConnectionFailed, err, "no local socket at %s", path)
	}
	defer done()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", name)
	if err != nil {
		return nil, clew.WrapError(clew.ConnectionFailed, err, "no server at the local socket %s", path)
	}
	if err := checkServer(conn.(*net.UnixConn)); err != nil {
		_ = conn.Close()
		return nil, clew.WrapError(clew.ConnectionFailed, err, "the local socket %s is somebody else's", path)
	}
	return conn, nil
}

// mayServe says whether a user may be the server: oneself, and who may do
// everything. A socket in a shared directory may be anybody's.
func mayServe(uid, own int) error {
	if own != 0 && uid != own && uid != 0 {
		return fmt.Errorf("it belongs to user %d", uid)
	}
	return nil
}

// awaitAck reads the server's first frame. Until it is there, nothing is sent.
func awaitAck(ctx context.Context, conn net.Conn) (*bufio.Reader, clew.AckData, error) {
	defer context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })()
	r := bufio.NewReaderSize(conn, 16<<10)
	for {
		line, err := readLine(r, defaultReadLimit)
		if err != nil {
			return nil, clew.AckData{}, clew.WrapError(clew.ConnectionFailed, err, "the local socket said nothing")
		}
		f, err := wire.DecodeLocalFrame(line)
		switch {
		case err != nil: // not for us
		case f.Ack != nil:
			return r, *f.Ack, nil
		case f.Event.Type == string(clew.EventError):
			if ev, err := clew.DecodeEvent(clew.EventError, f.Event.Data); err == nil {
				return nil, clew.AckData{}, ev.Data.(*clew.ErrorData).Err()
			}
		}
	}
}

// readLine reads a line of at most so many bytes, without its end.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > most {
			return nil, clew.Errorf(clew.MessageTooLarge, "a frame of the server is longer than %d bytes", most)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
