package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A backupPart is an object of a backup that holds messages.
type backupPart struct {
	Name      string `json:"name"`
	SHA256    string `json:"sha256"`
	Partition int    `json:"partition"`
	First     uint64 `json:"first"`
	Last      uint64 `json:"last"`
}

// partSize is how much is gathered for one object, before it is compressed.
const partSize = 8 << 20

// partWriter gathers messages.
type partWriter struct{ raw bytes.Buffer }

// add appends a message: its subject, headers and data, each with its length
// before it.
func (w *partWriter) add(subject string, header nats.Header, data []byte) {
	var hdr bytes.Buffer
	for key, values := range header {
		for _, v := range values {
			fmt.Fprintf(&hdr, "%s: %s\r\n", key, v)
		}
	}
	for _, field := range [][]byte{[]byte(subject), hdr.Bytes(), data} {
		var n [binary.MaxVarintLen64]byte
		w.raw.Write(n[:binary.PutUvarint(n[:], uint64(len(field)))])
		w.raw.Write(field)
	}
}

// seal gives the object, with the checksum that goes into the manifest.
func (w *partWriter) seal() (data []byte, sum string, err error) {
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		return nil, "", err
	}
	data = enc.EncodeAll(w.raw.Bytes(), nil)
	w.raw.Reset()
	return data, sumOf(data), enc.Close()
}

func sumOf(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

var errPartDamaged = errors.New("it is not what was written")

// readPart yields the messages of an object that has this checksum.
func readPart(data []byte, sum string) iter.Seq2[*nats.Msg, error] {
	return func(yield func(*nats.Msg, error) bool) {
		if sumOf(data) != sum {
			yield(nil, errPartDamaged)
			return
		}
		dec, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			yield(nil, err)
			return
		}
		defer dec.Close()
		raw, err := dec.DecodeAll(data, nil)
		if err != nil {
			yield(nil, err)
			return
		}
		for len(raw) > 0 {
			var field [3][]byte
			for i := range field {
				n, k := binary.Uvarint(raw)
				if k <= 0 || n > uint64(len(raw)-k) {
					yield(nil, errPartDamaged)
					return
				}
				field[i], raw = raw[k:k+int(n)], raw[k+int(n):]
			}
			m := nats.NewMsg(string(field[0]))
			for line := range bytes.SplitSeq(field[1], []byte("\r\n")) {
				if key, value, ok := bytes.Cut(line, []byte(": ")); ok {
					m.Header.Add(string(key), string(value))
				}
			}
			m.Data = field[2]
			if !yield(m, nil) {
				return
			}
		}
	}
}

// ownHeader gives the headers that a message was written with, without those that
// the engine adds when it is read, or nil for a row that is no more.
func ownHeader(m *jetstream.RawStreamMsg) (header nats.Header, live bool) {
	header = nats.Header{}
	for key, values := range m.Header {
		switch key {
		case jetstream.StreamHeader, jetstream.SubjectHeader, jetstream.SequenceHeader, jetstream.TimeStampHeaer,
			"Nats-Num-Pending", jetstream.LastSequenceHeader, jetstream.ExpectedLastSeqHeader, jetstream.ExpectedLastSubjSeqHeader,
			"Nats-Expected-Last-Subject-Sequence-Subject", jetstream.MsgIDHeader:
			continue
		case "KV-Operation", jetstream.MarkerReasonHeader:
			return nil, false
		}
		header[key] = values
	}
	return header, true
}
