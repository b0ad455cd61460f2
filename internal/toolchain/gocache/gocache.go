// Package gocache is a build cache for Go that reads a person's cache and writes
// to another one: so a sandboxed build is warm, and cannot change what builds
// outside use. Go starts it as GOCACHEPROG, from version 1.24 on.
package gocache

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/clew-run/clew/internal/toolchain"
)

// Inside the sandbox clew itself is the program, started under the one name that
// it has nowhere else. It must be quick: each go command starts it.
func init() {
	if len(os.Args) == 4 && os.Args[0] == toolchain.Program && os.Args[1] == toolchain.CacheCommand {
		if err := Serve(os.Stdin, os.Stdout, os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "clew:", err)
			os.Exit(1) //nolint:forbidigo // this process is no server, and main must not run
		}
		os.Exit(0) //nolint:forbidigo // as above
	}
}

type request struct {
	ID       int64
	Command  string
	ActionID []byte
	OutputID []byte
	ObjectID []byte // what Go 1.23 called OutputID
	BodySize int64
}

type response struct {
	ID            int64
	Err           string     `json:",omitempty"`
	KnownCommands []string   `json:",omitempty"`
	Miss          bool       `json:",omitempty"`
	OutputID      []byte     `json:",omitempty"`
	Size          int64      `json:",omitempty"`
	Time          *time.Time `json:",omitempty"`
	DiskPath      string     `json:",omitempty"`
}

// Serve answers until Go says that it is done. Nothing is written to shared.
func Serve(in io.Reader, out io.Writer, shared, private string) error {
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	send := func(r response) error { return errors.Join(enc.Encode(r), w.Flush()) }
	if err := send(response{KnownCommands: []string{"get", "put", "close"}}); err != nil {
		return err
	}
	dec := json.NewDecoder(bufio.NewReaderSize(in, 1<<20))
	for {
		var q request
		if err := dec.Decode(&q); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		var body []byte
		if q.Command == "put" && q.BodySize > 0 {
			if err := dec.Decode(&body); err != nil {
				return err
			}
		}
		if err := send(answer(q, body, shared, private)); err != nil || q.Command == "close" {
			return err
		}
	}
}

func answer(q request, body []byte, shared, private string) response {
	r := response{ID: q.ID}
	switch q.Command {
	case "get":
		r.Miss = !r.get(private, q.ActionID) && !r.get(shared, q.ActionID)
	case "put":
		if err := r.put(private, q, body); err != nil {
			r.Err = err.Error()
		}
	case "close":
	default:
		r.Err = "unknown command"
	}
	return r
}

// name is where Go keeps an entry (a) and an output (d), since 1.10.
func name(dir, id, kind string) string { return filepath.Join(dir, id[:2], id+"-"+kind) }

// get reads an entry as Go writes it: "v1 ACTION OUTPUT SIZE TIME".
func (r *response) get(dir string, action []byte) bool {
	if len(action) == 0 {
		return false
	}
	text, err := os.ReadFile(name(dir, hex.EncodeToString(action), "a"))
	f := strings.Fields(string(text))
	if err != nil || len(f) != 5 || f[0] != "v1" {
		return false
	}
	output, err1 := hex.DecodeString(f[2])
	size, err2 := strconv.ParseInt(f[3], 10, 64)
	nano, err3 := strconv.ParseInt(f[4], 10, 64)
	if errors.Join(err1, err2, err3) != nil || len(output) == 0 {
		return false
	}
	path := name(dir, f[2], "d")
	if info, err := os.Stat(path); err != nil || info.Size() != size {
		return false // a write that was cut short
	}
	t := time.Unix(0, nano)
	r.OutputID, r.Size, r.Time, r.DiskPath = output, size, &t, path
	return true
}

func (r *response) put(dir string, q request, body []byte) error {
	output := q.OutputID
	if len(output) == 0 {
		output = q.ObjectID
	}
	if len(output) == 0 || len(q.ActionID) == 0 || int64(len(body)) != q.BodySize {
		return errors.New("the request is not whole")
	}
	o, a := hex.EncodeToString(output), hex.EncodeToString(q.ActionID)
	path := name(dir, o, "d")
	if err := write(path, body); err != nil {
		return err
	}
	r.DiskPath = path
	return write(name(dir, a, "a"), fmt.Appendf(nil, "v1 %s %s %20d %20d\n", a, o, len(body), time.Now().UnixNano()))
}

// write puts a file in place whole: several builds use the cache at once.
func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
