package archive

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxRaw bounds what a frame or a state may unpack to, so that a damaged
// length cannot ask for all memory.
const maxRaw = 256 << 20

// One coder of each kind serves the whole process: both hand out a worker per
// call and keep its tables for the next one.
var coders = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderCRC(false), // the frames are checked by our own sums
		zstd.WithWindowSize(256<<10),
		zstd.WithLowerEncoderMem(true))
	if err != nil { // only wrong options
		panic(err)
	}
	dec, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxRaw))
	if err != nil {
		panic(err)
	}
	return enc, dec
})

func compress(dst, raw []byte) []byte {
	enc, _ := coders()
	return enc.EncodeAll(raw, dst)
}

// decompress appends what data unpacks to, which must be n bytes.
func decompress(dst, data []byte, n int) ([]byte, error) {
	_, dec := coders()
	start := len(dst)
	dst, err := dec.DecodeAll(data, dst)
	if err != nil {
		return nil, err
	}
	if len(dst)-start != n {
		return nil, fmt.Errorf("unpacks to %d bytes instead of %d", len(dst)-start, n)
	}
	return dst, nil
}

// scratch lends buffers whose content does not outlive a call.
var scratch = sync.Pool{New: func() any { return new([]byte) }}
