package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"

	"github.com/clew-run/clew/internal/checkpoint/object"
)

// The index says what was found in the workspace and how it is named in the
// store. It only saves time: one that is missing, damaged or of another
// generation is made again from the files. An old one does no harm, as each
// entry stands for itself.

const indexMagic = "clew index 1\n"

var errIndex = errors.New("the index is damaged")

// writeIndex stores what was found, for this generation of the store.
func writeIndex(path, gen string, root *node) error {
	var b bytes.Buffer
	b.WriteString(indexMagic)
	e := &indexWriter{&b}
	e.text(gen)
	e.node(root)
	sum := sha256.Sum256(b.Bytes())
	b.Write(sum[:])
	return object.Replace(path, false, b.Bytes())
}

// readIndex gives what was known, or nil.
func readIndex(path, gen string) *node {
	data, err := os.ReadFile(path)
	if err != nil || len(data) < len(indexMagic)+object.HashSize || string(data[:len(indexMagic)]) != indexMagic {
		return nil
	}
	body, sum := data[:len(data)-object.HashSize], data[len(data)-object.HashSize:]
	if sha256.Sum256(body) != [object.HashSize]byte(sum) {
		return nil
	}
	r := &indexReader{data: body[len(indexMagic):]}
	of := r.text()
	n := r.node()
	if r.err != nil || of != gen || len(r.data) > 0 {
		return nil
	}
	return n
}

type indexWriter struct{ b *bytes.Buffer }

func (w *indexWriter) num(n int64) { w.b.Write(binary.AppendVarint(w.b.AvailableBuffer(), n)) }

func (w *indexWriter) text(s string) {
	w.num(int64(len(s)))
	w.b.WriteString(s)
}

func (w *indexWriter) stamp(s stamp) {
	for _, n := range []int64{s.size, s.mtime, s.ctime, int64(s.ino), int64(s.mode)} {
		w.num(n)
	}
}

func (w *indexWriter) node(n *node) {
	w.stamp(n.stamp)
	w.num(n.read)
	w.b.Write(n.trees.files[:])
	w.b.Write(n.trees.meta[:])
	w.num(int64(n.trees.count))
	w.num(n.trees.bytes)
	w.num(int64(len(n.kids)))
	for i := range n.kids {
		k := &n.kids[i]
		w.text(k.name)
		w.b.Write([]byte{byte(k.kind), byte(k.why)})
		w.stamp(k.stamp)
		switch k.kind {
		case file, link:
			w.num(k.read)
			w.b.Write(k.oid[:])
		case directory:
			w.node(k.dir)
		}
	}
}

type indexReader struct {
	data []byte
	err  error
}

func (r *indexReader) num() int64 {
	n, size := binary.Varint(r.data)
	if size <= 0 {
		r.err, r.data = errIndex, nil
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *indexReader) bytes(n int64) []byte {
	if n < 0 || n > int64(len(r.data)) {
		r.err, r.data = errIndex, nil
		return make([]byte, object.HashSize)
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *indexReader) text() string   { return string(r.bytes(r.num())) }
func (r *indexReader) oid() object.ID { return object.ID(r.bytes(object.HashSize)) }

func (r *indexReader) stamp() stamp {
	return stamp{r.num(), r.num(), r.num(), uint64(r.num()), uint32(r.num())}
}

func (r *indexReader) node() *node {
	n := &node{stamp: r.stamp(), read: r.num()}
	n.trees = trees{r.oid(), r.oid(), int(r.num()), r.num()}
	count := r.num()
	if count < 0 || count > int64(len(r.data)) {
		r.err = errIndex
	}
	for range count {
		if r.err != nil {
			return n
		}
		k := kid{name: r.text()}
		flags := r.bytes(2)
		k.kind, k.why, k.stamp = kind(flags[0]), why(flags[1]), r.stamp()
		switch k.kind {
		case file, link:
			k.read, k.oid = r.num(), r.oid()
		case directory:
			k.dir = r.node()
			n.dirs = append(n.dirs, k.dir)
		}
		n.kids = append(n.kids, k)
	}
	return n
}
