package journal

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
)

// allOf reads a part to its end.
func allOf(data []byte, sum string) (list []*nats.Msg, err error) {
	for m, err := range readPart(data, sum) {
		if err != nil {
			return list, err
		}
		list = append(list, m)
	}
	return list, nil
}

func sameMessages(a, b []*nats.Msg) bool {
	return slices.EqualFunc(a, b, func(x, y *nats.Msg) bool {
		return x.Subject == y.Subject && bytes.Equal(x.Data, y.Data) && maps.EqualFunc(x.Header, y.Header, slices.Equal[[]string])
	})
}

// A part of a backup is read as it was written or refused, and what any bytes with
// a checksum of their own are read as is a part like any other.
func FuzzBackupPart(f *testing.F) {
	var w partWriter
	w.add("clew.j.0.s.1.sess_1", nats.Header{"Nats-TTL": {"5s"}, "A": {"1", "2"}}, []byte("a record"))
	w.add("clew.j.0.f.1", nil, nil)
	f.Add(bytes.Clone(w.raw.Bytes()), 0, byte(1))
	f.Add([]byte{1, 'a', 0, 0x80}, 3, byte(0x80))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 0, byte(0))
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte, at int, flip byte) {
		data := enc.EncodeAll(raw, nil)
		sum := sumOf(data)
		list, err := allOf(data, sum)
		var again partWriter
		for _, m := range list {
			again.add(m.Subject, m.Header, m.Data)
		}
		if err == nil && len(raw) > 0 && len(list) == 0 {
			t.Fatal("bytes were passed over")
		}
		written, newSum, sealErr := again.seal()
		if sealErr != nil {
			t.Fatal(sealErr)
		}
		if second, err := allOf(written, newSum); err != nil || !sameMessages(list, second) {
			t.Fatalf("%d messages were written and %d read: %v", len(list), len(second), err)
		}
		if flip != 0 && len(data) > 0 && at >= 0 {
			data[at%len(data)] ^= flip
			if list, err := allOf(data, sum); err == nil || len(list) > 0 {
				t.Fatalf("%d messages of a part that is not what was written", len(list))
			}
		}
	})
}
