package object

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrHostile says that a pack of strangers is not one that clew would make.
var ErrHostile = errors.New("this is not a pack of checkpoints")

// Limits bound a pack of strangers.
type Limits struct {
	Objects int
	Bytes   int64 // of all objects together, unpacked
}

// maxInMemory is the size up to which git makes differences and has objects in
// memory; core.bigFileThreshold says so to git.
const maxInMemory = 32 << 20

// The kinds of entries that hold a difference.
const (
	offsetDelta Kind = 6
	refDelta    Kind = 7
)

// CheckPack reads a pack from its start to its end and fails if git would need
// more than the limits to unpack it. Whether the objects are sound is for git to
// say.
func CheckPack(r io.Reader, l Limits) error {
	c := &packCheck{r: bufio.NewReaderSize(r, 1<<16), left: l.Bytes}
	var head [packHeader]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return hostile(err)
	}
	count := binary.BigEndian.Uint32(head[8:])
	if string(head[:4]) != "PACK" || binary.BigEndian.Uint32(head[4:]) != 2 {
		return ErrHostile
	}
	if int64(count) > int64(l.Objects) {
		return fmt.Errorf("%w: it has more than %d objects", ErrHostile, l.Objects)
	}
	for range count {
		if err := c.entry(); err != nil {
			return hostile(err)
		}
	}
	var sum [HashSize]byte
	if _, err := io.ReadFull(c.r, sum[:]); err != nil {
		return hostile(err)
	}
	if _, err := c.r.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: something follows it", ErrHostile)
	}
	return nil
}

func hostile(err error) error {
	if err == nil || errors.Is(err, ErrHostile) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrHostile, err)
}

type packCheck struct {
	r    *bufio.Reader
	z    io.ReadCloser // with zlib.Resetter
	left int64
}

func (c *packCheck) entry() error {
	b, err := c.r.ReadByte()
	if err != nil {
		return err
	}
	kind, size := Kind(b>>4&7), int64(b&15)
	if b&0x80 != 0 {
		more, err := varint(c.r)
		if err != nil || more > 1<<50 {
			return errors.Join(ErrHostile, err)
		}
		size |= int64(more) << 4
	}
	switch kind {
	case Blob:
	case Commit, Tree:
		if size > maxInMemory {
			return fmt.Errorf("%w: a %s of %d bytes", ErrHostile, kind, size)
		}
	case offsetDelta:
		if _, err := varint(c.r); err != nil { // how long it is, not what it says: git looks there
			return err
		}
	case refDelta:
		if _, err := c.r.Discard(HashSize); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%w: it has an %s", ErrHostile, kind)
	}
	return c.content(kind, size)
}

// content reads what is compressed, which must be as long as was said.
func (c *packCheck) content(kind Kind, size int64) (err error) {
	if err := c.take(size); err != nil {
		return err
	}
	if c.z == nil {
		c.z, err = zlib.NewReader(c.r)
	} else {
		err = c.z.(zlib.Resetter).Reset(c.r, nil)
	}
	if err != nil {
		return err
	}
	if kind == offsetDelta || kind == refDelta {
		return c.delta(size)
	}
	return c.rest(size)
}

func (c *packCheck) take(n int64) error {
	if c.left -= n; c.left < 0 {
		return fmt.Errorf("%w: it unpacks to too much", ErrHostile)
	}
	return nil
}

func (c *packCheck) rest(size int64) error {
	n, err := io.Copy(io.Discard, io.LimitReader(c.z, size+1))
	if err == nil && n != size {
		err = fmt.Errorf("%w: an object has another length than it says", ErrHostile)
	}
	return err
}

// delta reads a difference: first how long the object is that it applies to, and
// the one that it makes.
func (c *packCheck) delta(size int64) error {
	if size > maxInMemory {
		return fmt.Errorf("%w: a difference of %d bytes", ErrHostile, size)
	}
	b := bytes.NewBuffer(make([]byte, 0, min(size, 1<<16)))
	if _, err := io.Copy(b, io.LimitReader(c.z, size+1)); err != nil {
		return err
	}
	if int64(b.Len()) != size {
		return fmt.Errorf("%w: a difference has another length than it says", ErrHostile)
	}
	for range 2 {
		n, err := varint(b)
		if err != nil || n > maxInMemory {
			return fmt.Errorf("%w: a difference to an object of %d bytes", ErrHostile, n)
		}
		if err := c.take(int64(n)); err != nil {
			return err
		}
	}
	return nil
}

// varint reads a number with seven bits in each byte, the lowest first.
func varint(r io.ByteReader) (uint64, error) {
	n := uint64(0)
	for shift := 0; shift < 63; shift += 7 {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		n |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			return n, nil
		}
	}
	return 0, ErrHostile
}

// An Info is what is known of an object without reading it.
type Info struct {
	Kind Kind
	Size int64
}

// All lists every object of a bare repository.
func All(ctx context.Context, dir string) (map[ID]Info, error) {
	var out bytes.Buffer
	if err := Git(ctx, dir, nil, &out, "cat-file", "--batch-check", "--batch-all-objects", "--unordered"); err != nil {
		return nil, err
	}
	all := map[ID]Info{}
	for line := range strings.Lines(out.String()) {
		var name, kind string
		var i Info
		_, err := fmt.Sscanf(line, "%s %s %d\n", &name, &kind, &i.Size)
		h, err2 := ParseID(name)
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		for _, k := range []Kind{Commit, Tree, Blob} {
			if k.String() == kind {
				i.Kind = k
			}
		}
		all[h] = i
	}
	return all, nil
}
