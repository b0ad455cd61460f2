package transfer

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/clew-run/clew"
)

// A document is a JSON file of strangers on disk.
type document struct {
	name  string // for people
	spool *spool
	place ref
	limit int // bytes of one element
}

func (d document) open() (*json.Decoder, *byteLimit, error) {
	if err := d.spool.flush(); err != nil {
		return nil, nil, err
	}
	a := &byteLimit{r: io.NewSectionReader(d.spool.f, d.place.off, int64(d.place.n)), left: d.limit}
	return json.NewDecoder(a), a, nil
}

// elements goes through a list, an element at a time.
func (d document) elements(fn func(raw json.RawMessage) error) error {
	dec, a, err := d.open()
	if err != nil {
		return err
	}
	if err := d.list(dec, a, fn); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return d.wrong(dec, bad("something follows the list"))
	}
	return nil
}

func (d document) list(dec *json.Decoder, a *byteLimit, fn func(raw json.RawMessage) error) error {
	if tok, err := dec.Token(); err != nil || tok != json.Delim('[') {
		return d.wrong(dec, either(err, "not a list"))
	}
	for dec.More() {
		a.left = d.limit
		at := dec.InputOffset()
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err == nil {
			err = fn(raw)
		}
		if err != nil {
			return d.wrongAt(at, err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return d.wrong(dec, err)
	}
	return nil
}

// fields goes through an object; a value that fn does not read itself is read
// for it.
func (d document) fields(fn func(dec *json.Decoder, a *byteLimit, name string) error) error {
	dec, a, err := d.open()
	if err != nil {
		return err
	}
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return d.wrong(dec, either(err, "not an object"))
	}
	for dec.More() {
		a.left = d.limit
		tok, err := dec.Token()
		name, ok := tok.(string)
		if err != nil || !ok {
			return d.wrong(dec, either(err, "not an object"))
		}
		if err := fn(dec, a, name); err != nil {
			return d.wrong(dec, err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return d.wrong(dec, err)
	}
	return nil
}

// value reads all of a small file.
func (d document) value(v any) error {
	dec, _, err := d.open()
	if err != nil {
		return err
	}
	if err := dec.Decode(v); err != nil {
		return d.wrong(dec, err)
	}
	return nil
}

func either(err error, otherwise string) error {
	if err != nil {
		return err
	}
	return errors.New(otherwise)
}

func (d document) wrong(dec *json.Decoder, err error) error { return d.wrongAt(dec.InputOffset(), err) }

// placedFile marks an error that says where it is.
type placedFile struct{ error }

func (p placedFile) Unwrap() error { return p.error }

// wrongAt says in which line it is. Faults of our own pass through.
func (d document) wrongAt(offset int64, err error) error {
	var p placedFile
	var e *clew.Error
	if errors.As(err, &p) {
		return err
	}
	text := err.Error()
	if errors.As(err, &e) {
		if e.Code != clew.InvalidMessage {
			return err
		}
		text = e.Message
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		text = "the file ends too early"
	}
	return placedFile{badBecause(err, "%s, line %d: %s", d.name, d.line(offset), text)}
}

// line counts the lines up to the first thing behind offset.
func (d document) line(offset int64) int {
	line := 1
	b := make([]byte, 4096)
	r := io.NewSectionReader(d.spool.f, d.place.off, int64(d.place.n))
	for at := int64(0); ; {
		n, err := r.Read(b)
		for _, c := range b[:n] {
			space := c == ' ' || c == '\t' || c == '\r' || c == ',' || c == '\n'
			if at >= offset && !space {
				return line
			}
			if c == '\n' {
				line++
			}
			at++
		}
		if err != nil {
			return line
		}
	}
}

// An byteLimit bounds what is read until it is filled up again.
type byteLimit struct {
	r    io.Reader
	left int
}

// slack is what a decoder reads ahead.
const slack = 1 << 20

// Read implements io.Reader.
func (a *byteLimit) Read(b []byte) (int, error) {
	if a.left <= -slack {
		return 0, tooLarge("a message in the file is too large")
	}
	n, err := a.r.Read(b)
	a.left -= n
	return n, err
}
