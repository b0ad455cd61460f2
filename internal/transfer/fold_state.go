package transfer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

const (
	keepEvery = 1000     // records between two kept folds
	maxState  = 64 << 20 // of a session that we would not make ourselves
)

// write adds a record that is verified, or that we made.
func (t *importJob) write(r clew.Record) error {
	if r.Seq > t.limits.Records {
		return tooLarge("more than %d records", t.limits.Records)
	}
	if _, err := t.lines.Write(r.Line()); err != nil {
		return err
	}
	if _, err := t.lines.Write([]byte{'\n'}); err != nil {
		return err
	}
	return t.survey.add(r)
}

// records yields what was written.
func (t *importJob) records() iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		src, err := t.lines.reader()
		if err != nil {
			yield(clew.Record{}, err)
			return
		}
		for line, err := range lines(src, t.limits.Element) {
			var r clew.Record
			if err == nil {
				r, err = clew.ParseRecord(line)
			}
			if err == nil && t.ctx.Err() != nil {
				err = t.ctx.Err()
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// lines yields the lines of a file, each in memory of its own.
func lines(src io.Reader, limit int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r := bufio.NewReaderSize(src, 64<<10)
		for {
			line, err := readLine(r, limit)
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// readLine gives the next line without its end. A last line without an end
// counts too.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > limit+1 {
			return nil, tooLarge("a line is longer than %d bytes", limit)
		}
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// folds are those kept on the way, on disk.
type folds struct {
	spool *spool
	list  []fold
	at    map[uint64]ref
	jumps map[uint64]int64 // how often the records go back to where a fold is
	left  int64            // what may yet be read for that
}

type fold struct {
	seq   uint64
	place ref
}

// foundation folds all records. Those that took the session back need the fold
// of where they went; the survey knows them beforehand.
func (t *importJob) foundation() (f session.InitialHistory, err error) {
	kept := &folds{at: map[uint64]ref{}, jumps: map[uint64]int64{}, left: max(t.limits.Jumps, 8*t.body.n)}
	if kept.spool, err = t.spool(); err != nil {
		return f, err
	}
	state, err := t.fold(kept)
	if err != nil {
		return f, err
	}
	return session.InitialHistory{Head: t.survey.head, State: state, Records: t.records(), Kept: kept.all()}, nil
}

func (t *importJob) fold(kept *folds) (state []byte, err error) {
	defer func() {
		if v := recover(); v != nil { // a fold is made for records that a session wrote
			err = badBecause(fmt.Errorf("panic: %v", v), "the records do not fit together")
		}
	}()
	for _, j := range t.survey.jumps {
		kept.jumps[j.to]++
	}
	folder := core.Folder{State: &core.State{ID: t.id}, Past: kept.get}
	for r, err := range t.records() {
		if err != nil {
			return nil, err
		}
		if err := folder.Add(r); err != nil {
			return nil, unreadable(r, err)
		}
		if r.Seq%keepEvery != 0 && kept.jumps[r.Seq] == 0 {
			continue
		}
		if err := kept.put(folder.State, t.limits); err != nil {
			return nil, err
		}
	}
	if state, err = folder.State.Encode(); err == nil && len(state) > maxState {
		err = tooLarge("the session's state is larger than %d bytes", maxState)
	}
	return state, err
}

func (k *folds) put(s *core.State, limits Limits) error {
	b, err := s.Encode()
	if err != nil {
		return err
	}
	if len(b) > maxState || k.spool.size > limits.Unpacked {
		return tooLarge("the session's state is too large")
	}
	if k.left -= k.jumps[s.Seq] * int64(len(b)); k.left < 0 {
		return tooLarge("the session was taken back so often, and has so much to take back, that it would be too much work to read")
	}
	place, err := k.spool.put(b)
	k.at[s.Seq] = place
	k.list = append(k.list, fold{s.Seq, place})
	return err
}

func (k *folds) get(seq uint64) ([]byte, error) {
	place, ok := k.at[seq]
	if !ok {
		return nil, fmt.Errorf("there is no record %d to go back to", seq)
	}
	return k.spool.get(place)
}

// all yields the folds in order. One that cannot be read is left out: they only
// save work.
func (k *folds) all() iter.Seq2[uint64, []byte] {
	return func(yield func(uint64, []byte) bool) {
		for _, f := range k.list {
			b, err := k.spool.get(f.place)
			if err == nil && !yield(f.seq, b) {
				return
			}
		}
	}
}
