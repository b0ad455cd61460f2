package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/clew-run/clew"
)

// A Sealing is what a new seal is made of.
type Sealing struct {
	Session clew.SessionID
	Epoch   string
	Head    clew.Head
	Mark    uint64
	State   []byte
	Records []clew.Record // exactly those after the former seal's head up to Head
	Base    Base          // what the first seal begins after; later ones keep it
}

const (
	maxLine  = 64 << 20
	maxEpoch = 1024
)

// Put seals the records that follow prev, which is nil for the first seal; then
// they follow the base, if there is one. It
// checks the chain from prev through the records to the head before anything
// is written. The seal is durable, and found by Latest, after Sync; on S3 at
// once. If the store has a seal of the same history at that head already, that
// one is returned.
func (a *Archive) Put(ctx context.Context, prev *Seal, s Sealing) (*Seal, error) {
	if err := s.check(prev); err != nil {
		return nil, fmt.Errorf("archive: put %s: %w", s.Session, err)
	}
	next := &Seal{
		Session: s.Session, Epoch: s.Epoch, Head: s.Head, Mark: s.Mark, State: s.State, Created: a.now(), Base: s.Base,
		open: index{first: s.Base.Head.Seq + 1, before: s.Base.Head.Hash},
	}
	if prev != nil {
		if prev.Head == s.Head {
			if prev.Epoch == s.Epoch && prev.Mark == s.Mark && bytes.Equal(prev.State, s.State) {
				return prev, nil
			}
			next.rev = prev.rev + 1
		}
		next.Base = prev.Base
		next.table, next.data = slices.Clip(prev.table), slices.Clip(prev.data)
		next.open = index{first: prev.open.first, before: prev.open.before, frames: slices.Clip(prev.open.frames)}
	}
	next.key = sealKey(next.Session, next.Head.Seq, next.rev)
	if err := a.extend(ctx, next, s.Records); err != nil {
		return nil, err
	}
	return a.write(ctx, next)
}

func (a *Archive) write(ctx context.Context, s *Seal) (*Seal, error) {
	existed, err := a.store.create(ctx, s.key, s.encode())
	if err != nil {
		return nil, fmt.Errorf("archive: write %s: %w", s.key, err)
	}
	if !existed {
		return s, nil
	}
	data, err := a.store.read(ctx, s.key)
	if err != nil {
		return nil, fmt.Errorf("archive: read %s: %w", s.key, err)
	}
	have, err := parseSeal(s.Session, s.key, data)
	if err != nil {
		return nil, err
	}
	return have, sameHistory(have, s.Epoch, s.Head)
}

// check verifies that the records lead from prev to the head.
func (s *Sealing) check(prev *Seal) error {
	switch {
	case !s.Session.Valid():
		return errors.New("not a session id")
	case len(s.Epoch) > maxEpoch:
		return errors.New("the epoch is too long")
	case len(s.State) > maxRaw:
		return errors.New("the state is too big")
	case prev != nil && prev.Session != s.Session:
		return errors.New("the former seal is of another session")
	case prev != nil && prev.Head == s.Head && prev.rev == math.MaxUint16:
		return errors.New("too many seals at one head")
	case prev != nil && s.Base != (Base{}) && s.Base != prev.Base:
		return errors.New("the former seal has another base")
	}
	if err := s.Base.check(s.Session); err != nil {
		return err
	}
	head := s.Base.Head
	if prev != nil {
		head = prev.Head
	}
	head, err := follow(head, s.Records)
	if err == nil && head != s.Head {
		err = errEnd(head, s.Head)
	}
	return err
}

func errEnd(got, want clew.Head) error {
	return fmt.Errorf("%w: the records end at seq %d and the head is %d", clew.ErrChain, got.Seq, want.Seq)
}

// follow verifies that the records follow head, and gives where they end.
func follow(head clew.Head, records []clew.Record) (clew.Head, error) {
	for i := range records {
		r := &records[i]
		if err := r.Follows(head); err != nil {
			return head, err
		}
		if line := r.Line(); len(line) > maxLine || bytes.IndexByte(line, '\n') >= 0 {
			return head, fmt.Errorf("record %d is too long or more than one line", r.Seq)
		}
		head = r.After()
	}
	return head, nil
}

// extend adds records to the open segment and writes the segments that fill.
func (a *Archive) extend(ctx context.Context, s *Seal, records []clew.Record) error {
	buf := scratch.Get().(*[]byte)
	defer scratch.Put(buf)
	for len(records) > 0 {
		n, err := s.addFrame(buf, records)
		if err != nil {
			return &DamagedError{Session: s.Session, Object: s.key, Reason: err.Error()}
		}
		records = records[n:]
		count, raw, _ := s.open.totals()
		if count >= segmentRecords || raw >= segmentBytes {
			if err := a.closeSegment(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// addFrame compresses the first records into a frame of the open segment,
// together with small frames before it, and says how many it took.
func (s *Seal) addFrame(buf *[]byte, records []clew.Record) (n int, err error) {
	keep := s.open.reopen(len(records))
	closed, reopened := index{frames: s.open.frames[:keep]}, s.open.frames[keep:]
	before, _, size := closed.totals()
	data, rest := s.data[:size], s.data[size:]
	if len(reopened) > 0 { // their bytes may belong to the former seal
		data = slices.Clip(data)
		closed.frames = slices.Clip(closed.frames)
	}
	lines, count := (*buf)[:0], 0
	for i := range reopened {
		f := &reopened[i]
		if lines, err = f.unpack(lines, rest[:f.size]); err != nil {
			return 0, err
		}
		rest = rest[f.size:]
		count += int(f.count)
	}
	for n < len(records) && count < frameRecords && int(before)+count < segmentRecords {
		line := records[n].Line()
		if n > 0 && len(lines)+len(line) >= frameBytes {
			break
		}
		lines = append(append(lines, line...), '\n')
		count++
		n++
	}
	*buf = lines
	s.data = compress(data, lines)
	packed := s.data[size:]
	s.open.frames = append(s.open.frames[:0:0], closed.frames...)
	s.open.frames = append(s.open.frames, frame{
		size: uint32(len(packed)), raw: uint32(len(lines)), count: uint32(count),
		crc: crc32.Checksum(packed, castagnoli), after: records[n-1].Hash(),
	})
	return n, nil
}

// reopen says how many frames stay as they are when n records are added. The
// last ones are compressed again with the new records while they are not much
// bigger than what they are joined with. So a session that is sealed record by
// record has few frames, and each record is compressed a few times at most.
func (x *index) reopen(n int) (keep int) {
	keep = len(x.frames)
	total := uint32(min(n, frameRecords))
	for raw := uint32(0); keep > 0; keep-- {
		f := &x.frames[keep-1]
		join := min(total, frameRecords-min(f.count, frameRecords))
		fits := join == total || keep == len(x.frames) // only new records can be left for the next frame
		raw += f.raw
		if !fits || f.count > 2*join || raw >= frameBytes {
			break
		}
		total = f.count + join
	}
	return keep
}

// closeSegment writes the open segment as an object and starts the next one.
func (a *Archive) closeSegment(ctx context.Context, s *Seal) error {
	count, _, _ := s.open.totals()
	data := s.open.append(slices.Clip(s.data))
	ref := segmentRef{
		first: s.open.first, count: uint32(count), size: uint32(len(data)), frames: uint32(len(s.open.frames)),
		digest: sha256.Sum256(data[len(s.data):]),
	}
	key := segmentKey(s.Session, ref.first, ref.digest)
	if err := a.store.put(ctx, key, data); err != nil {
		return fmt.Errorf("archive: write %s: %w", key, err)
	}
	s.table = ref.append(s.table)
	s.open = index{first: ref.first + count, before: s.open.end()}
	s.data = nil
	return nil
}
