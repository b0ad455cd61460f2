package tree

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"

	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/object"
)

const indexMagic = "clew index 1\n"

var errIndex = errors.New("the index is damaged")

// WriteIndex stores what was found, for this generation of the store.
func WriteIndex(path, gen string, root *Node) error {
	var b bytes.Buffer
	b.WriteString(indexMagic)
	e := &indexWriter{&b}
	e.text(gen)
	e.node(root)
	sum := sha256.Sum256(b.Bytes())
	b.Write(sum[:])
	return object.Replace(path, false, b.Bytes())
}

// ReadIndex gives what was known, or nil.
func ReadIndex(path, gen string) *Node {
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

func (w *indexWriter) stamp(s beneath.Stamp) {
	for _, n := range []int64{s.Size, s.Mtime, s.Ctime, int64(s.Ino), int64(s.Mode)} {
		w.num(n)
	}
}

func (w *indexWriter) node(n *Node) {
	w.stamp(n.Stamp)
	w.num(n.Read)
	w.b.Write(n.Trees.Files[:])
	w.b.Write(n.Trees.Meta[:])
	w.num(int64(n.Trees.Count))
	w.num(n.Trees.Bytes)
	w.num(int64(len(n.Entries)))
	for i := range n.Entries {
		k := &n.Entries[i]
		w.text(k.Name)
		w.b.Write([]byte{byte(k.Kind), byte(k.why)})
		w.stamp(k.Stamp)
		switch k.Kind {
		case File, Link:
			w.num(k.Read)
			w.b.Write(k.Oid[:])
		case Directory:
			w.node(k.Dir)
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

func (r *indexReader) text() string { return string(r.bytes(r.num())) }

func (r *indexReader) oid() object.ID { return object.ID(r.bytes(object.HashSize)) }

func (r *indexReader) stamp() beneath.Stamp {
	return beneath.Stamp{Size: r.num(), Mtime: r.num(), Ctime: r.num(), Ino: uint64(r.num()), Mode: uint32(r.num())}
}

func (r *indexReader) node() *Node {
	n := &Node{Stamp: r.stamp(), Read: r.num()}
	n.Trees = Summary{r.oid(), r.oid(), int(r.num()), r.num()}
	count := r.num()
	if count < 0 || count > int64(len(r.data)) {
		r.err = errIndex
	}
	for range count {
		if r.err != nil {
			return n
		}
		k := Entry{Name: r.text()}
		flags := r.bytes(2)
		k.Kind, k.why, k.Stamp = Kind(flags[0]), SkipReason(flags[1]), r.stamp()
		switch k.Kind {
		case File, Link:
			k.Read, k.Oid = r.num(), r.oid()
		case Directory:
			k.Dir = r.node()
			n.dirs = append(n.dirs, k.Dir)
		}
		n.Entries = append(n.Entries, k)
	}
	return n
}
