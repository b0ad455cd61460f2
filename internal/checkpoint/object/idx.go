package object

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
)

// A packedObject says where in a pack an object is.
type packedObject struct {
	oid    ID
	crc    uint32
	offset uint64
}

// HashSize is the length of a name in bytes.
const HashSize = sha256.Size

const (
	idxMagic  = "\xfftOc"
	fanout    = 256
	largeFlag = 1 << 31
)

// encodeIdx gives the index of a pack, version 2.
func encodeIdx(objects []packedObject, pack [HashSize]byte) []byte {
	slices.SortFunc(objects, func(a, b packedObject) int { return bytes.Compare(a.oid[:], b.oid[:]) })
	out := make([]byte, 0, 8+4*fanout+len(objects)*(HashSize+8)+2*HashSize)
	out = append(out, idxMagic...)
	out = binary.BigEndian.AppendUint32(out, 2)
	at := 0
	for b := range fanout {
		for at < len(objects) && int(objects[at].oid[0]) <= b {
			at++
		}
		out = binary.BigEndian.AppendUint32(out, uint32(at))
	}
	for _, o := range objects {
		out = append(out, o.oid[:]...)
	}
	for _, o := range objects {
		out = binary.BigEndian.AppendUint32(out, o.crc)
	}
	var large []byte
	for _, o := range objects {
		at := uint32(o.offset)
		if o.offset >= largeFlag {
			at = largeFlag | uint32(len(large)/8)
			large = binary.BigEndian.AppendUint64(large, o.offset)
		}
		out = binary.BigEndian.AppendUint32(out, at)
	}
	out = append(out, large...)
	out = append(out, pack[:]...)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}

// A Pack is the index of one pack, held in memory.
type Pack struct {
	File  string // the pack's file
	Size  int64  // its length
	Count int
	data  []byte
}

var errIdx = errors.New("an index of the checkpoint store is damaged")

func readIdx(name string) (*Pack, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	x, err := parseIdx(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, name)
	}
	x.File = strings.TrimSuffix(name, "idx") + "pack"
	info, err := os.Stat(x.File)
	if err != nil {
		return nil, err
	}
	x.Size = info.Size()
	return x, nil
}

func parseIdx(data []byte) (*Pack, error) {
	fixed := 8 + 4*fanout
	if len(data) < fixed+2*HashSize || string(data[:4]) != idxMagic || binary.BigEndian.Uint32(data[4:]) != 2 {
		return nil, errIdx
	}
	x := &Pack{data: data, Count: int(binary.BigEndian.Uint32(data[fixed-4:]))}
	if len(data) < fixed+x.Count*(HashSize+8)+2*HashSize {
		return nil, errIdx
	}
	return x, nil
}

func (x *Pack) name(i int) []byte {
	at := 8 + 4*fanout + i*HashSize
	return x.data[at : at+HashSize]
}

// IDs lists the objects of the pack.
func (x *Pack) IDs() []ID {
	all := make([]ID, x.Count)
	for i := range all {
		all[i] = ID(x.name(i))
	}
	return all
}

// find gives an object's offset in the pack.
func (x *Pack) find(h ID) (int64, bool) {
	lo := 0
	if h[0] > 0 {
		lo = x.fan(int(h[0]) - 1)
	}
	hi := x.fan(int(h[0]))
	if lo > hi || hi > x.Count {
		return 0, false
	}
	i := lo + sort.Search(hi-lo, func(i int) bool { return bytes.Compare(x.name(lo+i), h[:]) >= 0 })
	if i >= hi || !bytes.Equal(x.name(i), h[:]) {
		return 0, false
	}
	offsets := 8 + 4*fanout + x.Count*(HashSize+4)
	at := binary.BigEndian.Uint32(x.data[offsets+4*i:])
	if at&largeFlag == 0 {
		return int64(at), true
	}
	big := offsets + 4*x.Count + 8*int(at&^uint32(largeFlag))
	if big+8 > len(x.data)-2*HashSize {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(x.data[big:])), true
}

func (x *Pack) fan(b int) int { return int(binary.BigEndian.Uint32(x.data[8+4*b:])) }
