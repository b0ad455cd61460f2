package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/clew-run/clew"
)

const (
	frameRecords   = 256
	frameBytes     = 512 << 10 // of raw lines
	segmentRecords = 2048
	segmentBytes   = 4 << 20 // of raw lines
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A frame is a run of records compressed together.
type frame struct {
	size  uint32    // compressed
	raw   uint32    // length of the lines with their line ends
	count uint32    // records
	crc   uint32    // CRC-32C of the compressed bytes
	after clew.Hash // hash of the last record
}

// An index describes a run of frames that follow each other.
type index struct {
	first  uint64    // seq of the first record
	before clew.Hash // hash of the record before it
	frames []frame
}

// The index follows the frames of a segment as a zstd skippable frame, which
// ordinary tools pass over.
const (
	skippable  = 0x184D2A5C
	indexMagic = "CLEWSEG1"
	indexFixed = 4 + 4 + 8 + 32 + 4 + len(indexMagic)
	frameLen   = 4 + 4 + 4 + 4 + 32
)

func indexLen(frames int) int { return indexFixed + frames*frameLen }

func (x *index) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, skippable)
	b = le.AppendUint32(b, uint32(indexLen(len(x.frames))-8))
	b = le.AppendUint64(b, x.first)
	b = append(b, x.before[:]...)
	for i := range x.frames {
		f := &x.frames[i]
		b = le.AppendUint32(b, f.size)
		b = le.AppendUint32(b, f.raw)
		b = le.AppendUint32(b, f.count)
		b = le.AppendUint32(b, f.crc)
		b = append(b, f.after[:]...)
	}
	b = le.AppendUint32(b, uint32(len(x.frames)))
	return append(b, indexMagic...)
}

// parseIndex reads an index whose digest was checked. It still refuses what
// does not add up: counts and sizes are used as offsets later.
func parseIndex(b []byte) (index, error) {
	var x index
	n := (len(b) - indexFixed) / frameLen
	if len(b) < indexFixed || indexLen(n) != len(b) {
		return x, errors.New("the index has an odd length")
	}
	le := binary.LittleEndian
	tail := b[len(b)-4-len(indexMagic):]
	if le.Uint32(b) != skippable || int(le.Uint32(b[4:])) != len(b)-8 ||
		int(le.Uint32(tail)) != n || string(tail[4:]) != indexMagic {
		return x, errors.New("the index is malformed")
	}
	x.first = le.Uint64(b[8:])
	copy(x.before[:], b[16:])
	x.frames = make([]frame, n)
	for i := range x.frames {
		e := b[48+i*frameLen:]
		f := frame{size: le.Uint32(e), raw: le.Uint32(e[4:]), count: le.Uint32(e[8:]), crc: le.Uint32(e[12:])}
		copy(f.after[:], e[16:])
		if f.count == 0 || f.raw > maxRaw || f.raw < f.count {
			return x, fmt.Errorf("frame %d of the index is malformed", i)
		}
		x.frames[i] = f
	}
	return x, nil
}

// totals gives the number of records, raw bytes and compressed bytes.
func (x *index) totals() (records, raw, size uint64) {
	for i := range x.frames {
		records += uint64(x.frames[i].count)
		raw += uint64(x.frames[i].raw)
		size += uint64(x.frames[i].size)
	}
	return records, raw, size
}

// end gives the hash of the last record.
func (x *index) end() clew.Hash {
	if len(x.frames) == 0 {
		return x.before
	}
	return x.frames[len(x.frames)-1].after
}

// unpack gives the lines of a frame, each with its line end.
func (f *frame) unpack(dst, data []byte) ([]byte, error) {
	if crc32.Checksum(data, castagnoli) != f.crc {
		return nil, errors.New("a frame's checksum does not match")
	}
	return decompress(dst, data, int(f.raw))
}

// records reads the records from lo to hi out of a frame's lines. first is the
// seq of the frame's first record and before the hash that it follows. Each
// record is checked by what the next one says of it, the last of the frame by
// the index.
func (f *frame) records(raw []byte, first uint64, before clew.Hash, lo, hi uint64) ([]clew.Record, error) {
	last := first + uint64(f.count) - 1
	lo, hi = max(lo, first), min(hi, last)
	list := make([]clew.Record, 0, hi-lo+1)
	want := before
	for seq := first; seq <= min(hi+1, last); seq++ {
		end := bytes.IndexByte(raw, '\n')
		if end < 0 {
			return nil, fmt.Errorf("record %d is not there", seq)
		}
		line := raw[:end:end]
		raw = raw[end+1:]
		if seq < lo {
			continue
		}
		r, err := clew.ParseRecord(line)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", seq, err)
		}
		if r.Seq != seq || (seq > lo || seq == first) && r.Prev != want {
			return nil, fmt.Errorf("record %d breaks the chain", seq)
		}
		if seq <= hi {
			list = append(list, r)
			want = r.Hash()
		}
	}
	if hi == last && (want != f.after || len(raw) != 0) {
		return nil, fmt.Errorf("record %d breaks the chain", last)
	}
	return list, nil
}

// A segmentRef is a full segment as a seal's table names it.
type segmentRef struct {
	first  uint64
	count  uint32
	size   uint32 // of the object
	frames uint32
	digest [32]byte // SHA-256 of the index
}

const segmentRefLen = 8 + 4 + 4 + 4 + 32

func (r segmentRef) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, r.first)
	b = le.AppendUint32(b, r.count)
	b = le.AppendUint32(b, r.size)
	b = le.AppendUint32(b, r.frames)
	return append(b, r.digest[:]...)
}

func parseSegmentRef(b []byte) segmentRef {
	le := binary.LittleEndian
	r := segmentRef{first: le.Uint64(b), count: le.Uint32(b[8:]), size: le.Uint32(b[12:]), frames: le.Uint32(b[16:])}
	copy(r.digest[:], b[20:])
	return r
}

// indexOf reads the index out of the last bytes of a segment.
func (r segmentRef) indexOf(b []byte) (index, error) {
	if len(b) != indexLen(int(r.frames)) || sha256.Sum256(b) != r.digest {
		return index{}, errors.New("the index does not match its digest")
	}
	x, err := parseIndex(b)
	if err != nil {
		return x, err
	}
	records, _, size := x.totals()
	if x.first != r.first || records != uint64(r.count) || size+uint64(len(b)) != uint64(r.size) {
		return x, errors.New("the index does not add up")
	}
	return x, nil
}
