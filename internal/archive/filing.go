package archive

import (
	"context"
	"errors"
	"fmt"

	"github.com/clew-run/clew"
)

// A Filing takes in the history of a session from elsewhere, a few records at a
// time. Until its Seal nothing of it counts: there are segments and folds that
// no seal refers to. It is used by one goroutine.
type Filing struct {
	a     *Archive
	s     *Seal // grows; its head is the last record so far
	folds []string
}

// File begins a Filing.
func (a *Archive) File(id clew.SessionID, epoch string) (*Filing, error) {
	first := Sealing{Session: id, Epoch: epoch}
	if err := first.check(nil); err != nil {
		return nil, fmt.Errorf("archive: file %s: %w", id, err)
	}
	return &Filing{a: a, s: &Seal{Session: id, Epoch: epoch, key: sealKey(id, 0, 0), open: index{first: 1}}}, nil
}

// Add takes the records that come next. It checks the chain.
func (f *Filing) Add(ctx context.Context, records []clew.Record) error {
	head, err := follow(f.s.Head, records)
	if err != nil {
		return fmt.Errorf("archive: file %s: %w", f.s.Session, err)
	}
	if err := f.a.extend(ctx, f.s, records); err != nil {
		return err
	}
	f.s.Head = head
	return nil
}

// Reaches fails if the records added so far do not end at head.
func (f *Filing) Reaches(head clew.Head) error {
	if f.s.Head != head {
		return fmt.Errorf("archive: file %s: %w", f.s.Session, errEnd(f.s.Head, head))
	}
	return nil
}

// Keep keeps the fold up to a record that was added.
func (f *Filing) Keep(ctx context.Context, seq uint64, state []byte) error {
	if seq == 0 || seq > f.s.Head.Seq {
		return fmt.Errorf("archive: file %s: a fold at %d of %d records", f.s.Session, seq, f.s.Head.Seq)
	}
	for r, err := range f.a.Read(ctx, f.s, seq, seq) {
		if err != nil {
			return err
		}
		f.folds = append(f.folds, foldKey(f.s.Session, seq))
		return f.a.PutState(ctx, f.s.Session, r.After(), state)
	}
	return errors.New("archive: a record that was added is not there")
}

// Seal writes the seal. As with Put, it counts after Sync.
func (f *Filing) Seal(ctx context.Context, head clew.Head, state []byte) (*Seal, error) {
	if err := f.Reaches(head); err != nil {
		return nil, err
	}
	if len(state) > maxRaw {
		return nil, fmt.Errorf("archive: file %s: the state is too big", f.s.Session)
	}
	f.s.State, f.s.Created = state, f.a.now()
	f.s.key = sealKey(f.s.Session, head.Seq, 0)
	return f.a.write(ctx, f.s)
}

// Abandon removes what was written. It must not be called once a seal of the
// session is there.
func (f *Filing) Abandon(ctx context.Context) error {
	var errs []error
	for i := range f.s.segments() {
		ref := f.s.segment(i)
		errs = append(errs, f.a.store.remove(ctx, segmentKey(f.s.Session, ref.first, ref.digest)))
	}
	for _, key := range f.folds {
		errs = append(errs, f.a.store.remove(ctx, key))
	}
	return errors.Join(errs...)
}
