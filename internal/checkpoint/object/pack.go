package object

import (
	"bytes"
	"compress/zlib"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
)

const (
	packHeader = 12
	chunkSize  = 32 << 20 // a pack of a first checkpoint has about this size
)

// LargeFile is the size from which on a file is streamed into a pack of its own.
const LargeFile = 8 << 20

// ErrQuota says that a checkpoint would take more room than its user may have.
var ErrQuota = errors.New("the checkpoints have reached their limit of disk space")

// ErrChanged says that a file changed while it was read.
var ErrChanged = errors.New("the file changed while it was read")

// A Packer takes the new objects of one checkpoint. Objects collect in memory;
// a full chunk goes to disk as a pack while the next one collects. Nothing is
// visible to git before Publish. It is safe for concurrent use.
type Packer struct {
	store *Store
	room  int64 // bytes that may still be added; negative: no limit

	mu     sync.Mutex
	fresh  map[ID]struct{}
	buf    *bytes.Buffer
	list   []packedObject
	staged []*stagedPack
	added  int64
	err    error
	wait   sync.WaitGroup
	slots  chan struct{} // bounds the chunks under way
}

// A stagedPack is a pack and its index under temporary names.
type stagedPack struct {
	tmp   string // without the ending
	final string
}

// NewPacker gives a packer that may add room bytes; any number if room is
// negative.
func NewPacker(store *Store, room int64) *Packer {
	return &Packer{store: store, room: room, fresh: map[ID]struct{}{}, buf: new(bytes.Buffer), slots: make(chan struct{}, 2)}
}

// Known reports whether an object is stored or about to be. If it is not, the
// caller has taken it on and must add it.
func (p *Packer) Known(h ID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.fresh[h]; ok {
		return true
	}
	if p.store.Has(h) {
		return true
	}
	p.fresh[h] = struct{}{}
	return false
}

// A Deflater compresses; each worker has its own. Trees are mostly hashes: they
// are stored as they are, and git makes differences of them when it repacks.
type Deflater struct {
	fast, plain *zlib.Writer
	out         bytes.Buffer
}

// NewDeflater gives a deflater, which takes little room until it is used.
func NewDeflater() *Deflater { return &Deflater{} }

func (d *Deflater) deflate(k Kind, data []byte) []byte {
	d.out.Reset()
	w, level := &d.fast, zlib.BestSpeed
	if k == Tree {
		w, level = &d.plain, zlib.NoCompression
	}
	if *w == nil { // a large thing, and often nothing is compressed
		*w, _ = zlib.NewWriterLevel(&d.out, level) // the level is a valid one
	} else {
		(*w).Reset(&d.out)
	}
	_, _ = (*w).Write(data) // a buffer takes everything
	_ = (*w).Close()
	return d.out.Bytes()
}

// Add stores an object that Known said is new.
func (p *Packer) Add(k Kind, h ID, data []byte, d *Deflater) error {
	packed := d.deflate(k, data)
	head := entryHeader(k, int64(len(data)))
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.take(int64(len(head) + len(packed))); err != nil {
		return err
	}
	crc := crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, packed)
	p.list = append(p.list, packedObject{h, crc, uint64(packHeader + p.buf.Len())})
	p.buf.Write(head)
	p.buf.Write(packed)
	if p.buf.Len() >= chunkSize {
		p.flush()
	}
	return p.err
}

// Put stores an object unless it is there already.
func (p *Packer) Put(k Kind, data []byte, d *Deflater) (ID, error) {
	h := Hash(k, data)
	if p.Known(h) {
		return h, nil
	}
	return h, p.Add(k, h, data, d)
}

func (p *Packer) take(n int64) error {
	n += HashSize + 8 // its line in the index
	p.added += n
	if p.room >= 0 && p.added > p.room {
		return ErrQuota
	}
	return nil
}

// entryHeader is what stands before an object in a pack: kind and length.
func entryHeader(k Kind, size int64) []byte {
	b := byte(k)<<4 | byte(size&15)
	size >>= 4
	var out []byte
	for size > 0 {
		out = append(out, b|0x80)
		b = byte(size & 0x7f)
		size >>= 7
	}
	return append(out, b)
}

func packStart(count int) []byte {
	b := binary.BigEndian.AppendUint32([]byte("PACK"), 2)
	return binary.BigEndian.AppendUint32(b, uint32(count))
}

// flush hands the chunk to a goroutine that writes it. The lock is held.
func (p *Packer) flush() {
	if len(p.list) == 0 {
		return
	}
	buf, list := p.buf, p.list
	p.buf, p.list = new(bytes.Buffer), nil
	p.slots <- struct{}{}
	p.wait.Go(func() {
		s, err := p.writeChunk(buf.Bytes(), list)
		<-p.slots // before the lock: its holder may wait for the slot
		p.mu.Lock()
		defer p.mu.Unlock()
		if s != nil {
			p.staged = append(p.staged, s)
		}
		if err != nil && p.err == nil {
			p.err = err
		}
	})
}

func (p *Packer) tmpName() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return filepath.Join(p.store.PackDir(), "tmp_clew_"+hex.EncodeToString(b[:]))
}

func (p *Packer) writeChunk(body []byte, list []packedObject) (*stagedPack, error) {
	tmp := p.tmpName()
	head := packStart(len(list))
	h := sha256.New()
	h.Write(head)
	h.Write(body)
	sum := [HashSize]byte(h.Sum(nil))
	s := &stagedPack{tmp, filepath.Join(p.store.PackDir(), "pack-"+hex.EncodeToString(sum[:]))}
	err := InParallel(
		func() error { return WriteSynced(tmp+".idx", encodeIdx(list, sum)) },
		func() error { return WriteSynced(tmp+".pack", head, body, sum[:]) },
	)
	return s, err
}

// A Large is a file that is being streamed into a pack of its own.
type Large struct {
	ID     ID
	staged *stagedPack
}

// Stream reads size bytes into a pack of its own. The caller keeps or drops it.
func (p *Packer) Stream(r io.Reader, size int64) (*Large, error) {
	tmp := p.tmpName()
	f, err := os.OpenFile(tmp+".pack", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	large, err := p.streamTo(f, tmp, r, size)
	if err != nil {
		_ = os.Remove(tmp + ".pack")
		_ = os.Remove(tmp + ".idx")
		return nil, err
	}
	return large, nil
}

func (p *Packer) streamTo(f *os.File, tmp string, r io.Reader, size int64) (*Large, error) {
	sum, crc, content := sha256.New(), crc32.NewIEEE(), sha256.New()
	if _, err := io.MultiWriter(f, sum).Write(packStart(1)); err != nil {
		return nil, err
	}
	entry := io.MultiWriter(f, sum, crc)
	if _, err := entry.Write(entryHeader(Blob, size)); err != nil {
		return nil, err
	}
	z, _ := zlib.NewWriterLevel(&bounded{entry, p}, zlib.BestSpeed) // the level is a valid one
	content.Write(header(Blob, size))
	n, err := io.CopyBuffer(io.MultiWriter(content, z), r, make([]byte, 1<<20))
	if err == nil && n != size {
		err = ErrChanged
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, err
	}
	pack := [HashSize]byte(sum.Sum(nil))
	if _, err := f.Write(pack[:]); err != nil {
		return nil, err
	}
	h := ID(content.Sum(nil))
	list := []packedObject{{h, crc.Sum32(), packHeader}}
	err = InParallel(f.Sync, func() error { return WriteSynced(tmp+".idx", encodeIdx(list, pack)) })
	final := filepath.Join(p.store.PackDir(), "pack-"+hex.EncodeToString(pack[:]))
	return &Large{h, &stagedPack{tmp, final}}, err
}

// bounded stops a stream that would break the quota.
type bounded struct {
	w io.Writer
	p *Packer
}

func (b *bounded) Write(data []byte) (int, error) {
	b.p.mu.Lock()
	err := b.p.take(int64(len(data)))
	b.p.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return b.w.Write(data)
}

// Keep makes a streamed object part of the checkpoint.
func (p *Packer) Keep(l *Large) {
	if p.Known(l.ID) {
		l.Drop()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.staged = append(p.staged, l.staged)
}

// Drop removes an object that is not kept.
func (l *Large) Drop() { l.staged.drop() }

func (s *stagedPack) drop() {
	for _, end := range []string{".pack", ".idx"} {
		_ = os.Remove(s.tmp + end)
	}
}

// Seal waits until every object is on disk under its temporary name.
func (p *Packer) Seal() error {
	p.mu.Lock()
	p.flush()
	p.mu.Unlock()
	p.wait.Wait()
	return p.err
}

// Unused reports whether there was nothing to store.
func (p *Packer) Unused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.fresh) == 0
}

// Publish gives the packs their names. Seal came before.
func (p *Packer) Publish() error {
	for _, s := range p.staged {
		if err := os.Rename(s.tmp+".pack", s.final+".pack"); err != nil {
			return fmt.Errorf("a pack of the checkpoint store: %w", err)
		}
		if err := os.Rename(s.tmp+".idx", s.final+".idx"); err != nil {
			return fmt.Errorf("a pack of the checkpoint store: %w", err)
		}
		if err := p.store.load(s.final + ".idx"); err != nil {
			return err
		}
	}
	p.staged = nil
	return nil
}

// Abandon removes what was not published.
func (p *Packer) Abandon() {
	p.wait.Wait()
	for _, s := range p.staged {
		s.drop()
	}
}
