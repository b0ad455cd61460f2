// Package salvage mends the engine's files before the engine opens them.
//
// When the engine opens a block file with a bad message in it, it cuts the file
// there: one flipped bit costs every message behind it, of whichever session.
// Blocks looks first. It takes the bad bytes out of the block and keeps the
// rest, so that the damage stays with the session it hit; the block as it was
// goes to quarantine. A bad end is left to the engine: that is what a crash in
// the middle of a write looks like.
//
// The layout of a block is the engine's own and is pinned by a test. Where no
// message of a block can be read, nothing is touched.
package salvage

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/minio/highwayhash"
)

// Blocks mends the blocks below a data directory, and gives a line for each that
// was damaged.
func Blocks(dir string, log *slog.Logger) ([]string, error) {
	blocks, err := filepath.Glob(filepath.Join(dir, "engine", "jetstream", "*", "streams", "*", "msgs", "*.blk"))
	if err != nil {
		return nil, err
	}
	var found []string
	for _, path := range blocks {
		lost, err := salvageBlock(dir, path)
		if err != nil {
			return found, fmt.Errorf("salvage %s: %w", filepath.Base(path), err)
		}
		if lost > 0 {
			line := fmt.Sprintf("block %s of stream %s: %d bytes in the middle are unreadable and were taken out",
				filepath.Base(path), streamOf(path), lost)
			log.Error(line)
			found = append(found, line)
		}
	}
	return found, nil
}

func streamOf(block string) string { return filepath.Base(filepath.Dir(filepath.Dir(block))) }

const quarantineDir = "quarantine"

func salvageBlock(dir, path string) (lost int, err error) {
	index, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(path), ".blk"))
	if err != nil {
		return 0, nil // not a block of messages
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	b := NewBlock(streamOf(path), index, data)
	good, lost := b.Scan()
	if lost == 0 {
		return 0, nil
	}
	aside := filepath.Join(dir, quarantineDir)
	if err := os.MkdirAll(aside, 0o700); err != nil {
		return 0, err
	}
	name := fmt.Sprintf("%s-%d-%x.blk", streamOf(path), index, sha256.Sum256(data))
	if err := writeWhole(filepath.Join(aside, name), data); err != nil {
		return 0, err
	}
	if err := writeWhole(path, good); err != nil {
		return 0, err
	}
	// The engine's own summary no longer fits; without it the block is read.
	if err := os.Remove(filepath.Join(filepath.Dir(path), "index.db")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	return lost, nil
}

// A Block is a file of the engine: message after message, each with a checksum.
type Block struct {
	data []byte
	hash *highwayhash.Digest64
}

const (
	blockHeader   = 22       // length, sequence, time, length of the subject
	blockSum      = 8        // checksum behind each message
	blockMax      = 32 << 20 // what the engine takes for a message at most
	headersFlag   = 1 << 31  // in the length: the message has headers
	compressedTag = "cmp"    // a block in another form
)

// NewBlock is a block of a stream.
func NewBlock(stream string, index int, data []byte) *Block {
	key := sha256.Sum256(fmt.Appendf(nil, "%s-%d", stream, index))
	hash, err := highwayhash.NewDigest64(key[:])
	if err != nil { // the key has the right length
		panic(err)
	}
	return &Block{data: data, hash: hash}
}

// Scan gives the readable messages and how many bytes between them are not.
func (b *Block) Scan() (good []byte, lost int) {
	if bytes.HasPrefix(b.data, []byte(compressedTag)) {
		return nil, 0
	}
	pending := 0 // bad bytes that count only if a good message follows
	for at := 0; at < len(b.data); {
		n := b.messageAt(at)
		if n == 0 {
			next := b.resync(at + 1)
			pending += next - at
			at = next
			continue
		}
		lost += pending
		pending = 0
		good = append(good, b.data[at:at+n]...)
		at += n
	}
	return good, lost
}

// resync finds the next message with a subject at or after a place, the end if
// there is none.
func (b *Block) resync(at int) int {
	for ; at+blockHeader+blockSum <= len(b.data); at++ {
		slen := int(binary.LittleEndian.Uint16(b.data[at+20:]))
		if slen == 0 || at+blockHeader+slen > len(b.data) || !printable(b.data[at+blockHeader:at+blockHeader+slen]) {
			continue
		}
		if b.messageAt(at) > 0 {
			return at
		}
	}
	return len(b.data)
}

func printable(subject []byte) bool {
	for _, c := range subject {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}

// messageAt gives the length of the message at a place, 0 if there is none whose
// checksum fits.
func (b *Block) messageAt(at int) int {
	rest := b.data[at:]
	if len(rest) < blockHeader+blockSum {
		return 0
	}
	length := binary.LittleEndian.Uint32(rest)
	skip := 0
	if length&headersFlag != 0 {
		length &^= headersFlag
		skip = 4 // the length of the headers is not under the checksum
	}
	n, slen := int(length), int(binary.LittleEndian.Uint16(rest[20:]))
	body := n - blockHeader - blockSum
	if n > blockMax || n > len(rest) || body < slen+skip {
		return 0
	}
	data := rest[blockHeader : n-blockSum]
	b.hash.Reset()
	_, _ = b.hash.Write(rest[4:20])
	_, _ = b.hash.Write(data[:slen])
	_, _ = b.hash.Write(data[slen+skip:])
	var sum [blockSum]byte
	if !bytes.Equal(b.hash.Sum(sum[:0]), rest[n-blockSum:n]) {
		return 0
	}
	return n
}

// writeWhole replaces a file: whole and flushed, or not at all.
func writeWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".salvage-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
