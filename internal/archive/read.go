package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/clew-run/clew"
)

// Read yields the records from seq from up to and including to, in order and
// verified. It stops at the first error; what it yielded before is sound.
// Records up to the base are the other session's: they are read with its seal.
func (a *Archive) Read(ctx context.Context, s *Seal, from, to uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		if from > to {
			return
		}
		if from <= s.Base.Head.Seq || to > s.Head.Seq {
			yield(clew.Record{}, fmt.Errorf("archive: %s has records %d to %d, not %d to %d",
				s.Session, s.Base.Head.Seq+1, s.Head.Seq, from, to))
			return
		}
		var before clew.Hash // hash of the last record of the segment before
		for i := s.segmentWith(from); from <= to; i++ {
			p, err := a.load(ctx, s, i, from, to)
			if err == nil && from == p.x.first && before != (clew.Hash{}) && before != p.x.before {
				err = p.damaged("it does not follow the segment before")
			}
			if err != nil {
				yield(clew.Record{}, err)
				return
			}
			if !p.each(ctx, from, to, yield) {
				return
			}
			count, _, _ := p.x.totals()
			from, before = p.x.first+count, p.x.end()
		}
	}
}

// Verify reads everything that the seal stands for and checks the whole chain
// from the first record, or the one after the base, to the head.
func (a *Archive) Verify(ctx context.Context, s *Seal) error {
	head := s.Base.Head
	for i := range s.segments() + 1 {
		p, err := a.loadWhole(ctx, s, i)
		if err != nil {
			return err
		}
		p.each(ctx, 1, s.Head.Seq, func(r clew.Record, e error) bool {
			if e == nil && r.Follows(head) != nil {
				e = p.damaged(fmt.Sprintf("record %d does not follow the one before it", r.Seq))
			}
			if err = e; err != nil {
				return false
			}
			head = r.After()
			return true
		})
		if err != nil {
			return err
		}
	}
	if head != s.Head {
		return &DamagedError{Session: s.Session, Object: s.key, Reason: "the records do not end at the head"}
	}
	return nil
}

// A part is a segment, or the frames of it that a read needs.
type part struct {
	session clew.SessionID
	key     string
	x       index
	data    []byte // frames, from the one at offset start
	start   uint64
}

func (p *part) damaged(reason string) error {
	return &DamagedError{Session: p.session, Object: p.key, Reason: reason}
}

// load gets the frames of segment i that hold records from seq from to to.
func (a *Archive) load(ctx context.Context, s *Seal, i int, from, to uint64) (*part, error) {
	if i == s.segments() {
		return &part{session: s.Session, key: s.key, x: s.open, data: s.data}, nil
	}
	ref := s.segment(i)
	p := &part{session: s.Session, key: segmentKey(s.Session, ref.first, ref.digest)}
	n := int64(indexLen(int(ref.frames)))
	tail, err := a.store.readRange(ctx, p.key, int64(ref.size)-n, n)
	if err != nil {
		return nil, p.failed(err)
	}
	if p.x, err = ref.indexOf(tail); err != nil {
		return nil, p.damaged(err.Error())
	}
	if i == 0 && p.x.before != s.Base.Head.Hash {
		return nil, p.damaged("it does not follow the base")
	}
	var size uint64
	p.start, size = p.x.span(from, to)
	if p.data, err = a.store.readRange(ctx, p.key, int64(p.start), int64(size)); err != nil {
		return nil, p.failed(err)
	}
	if uint64(len(p.data)) != size {
		return nil, p.damaged("it is cut short")
	}
	return p, nil
}

// loadWhole gets all of segment i.
func (a *Archive) loadWhole(ctx context.Context, s *Seal, i int) (*part, error) {
	if i == s.segments() {
		return a.load(ctx, s, i, 0, 0)
	}
	ref := s.segment(i)
	p := &part{session: s.Session, key: segmentKey(s.Session, ref.first, ref.digest)}
	data, err := a.store.read(ctx, p.key)
	if err != nil {
		return nil, p.failed(err)
	}
	if len(data) != int(ref.size) {
		return nil, p.damaged("its length is wrong")
	}
	at := len(data) - indexLen(int(ref.frames))
	if p.x, err = ref.indexOf(data[at:]); err != nil {
		return nil, p.damaged(err.Error())
	}
	p.data = data[:at]
	return p, nil
}

// failed tells a segment that is gone from a store that does not answer.
func (p *part) failed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return p.damaged("it is missing")
	}
	return fmt.Errorf("archive: read %s: %w", p.key, err)
}

// span gives the bytes of the frames that hold records between from and to.
func (x *index) span(from, to uint64) (start, size uint64) {
	seq := x.first
	for i := range x.frames {
		f := &x.frames[i]
		switch end := seq + uint64(f.count); {
		case end <= from:
			start += uint64(f.size)
		case seq <= to:
			size += uint64(f.size)
		}
		seq += uint64(f.count)
	}
	return start, size
}

// each yields the records between from and to; false means stop.
func (p *part) each(ctx context.Context, from, to uint64, yield func(clew.Record, error) bool) bool {
	first, before, off := p.x.first, p.x.before, uint64(0)
	for i := range p.x.frames {
		f := &p.x.frames[i]
		if first > to {
			break
		}
		if end := first + uint64(f.count); end > from {
			list, err := p.frame(ctx, f, off, first, before, from, to)
			if err != nil {
				return yield(clew.Record{}, err) && false
			}
			for _, r := range list {
				if !yield(r, nil) {
					return false
				}
			}
		}
		first, before, off = first+uint64(f.count), f.after, off+uint64(f.size)
	}
	return true
}

func (p *part) frame(ctx context.Context, f *frame, off, first uint64, before clew.Hash, from, to uint64) ([]clew.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	at := off - p.start
	lines, err := f.unpack(make([]byte, 0, f.raw), p.data[at:at+uint64(f.size)])
	if err != nil {
		return nil, p.damaged(err.Error())
	}
	list, err := f.records(lines, first, before, from, to)
	if err != nil {
		return nil, p.damaged(err.Error())
	}
	return list, nil
}
