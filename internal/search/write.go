package search

import (
	"context"
	"database/sql"
	"errors"

	"github.com/clew-run/clew"
)

// A row is a text that can be found.
type row struct {
	seq  uint64
	slot slot
	at   int64 // Unix ms
	who  string
	text string
}

// A batch is what some records of a session change in the index.
type batch struct {
	session clew.SessionID
	made    int  // the index that it is for
	fresh   bool // what was indexed of the session before does not count
	removed []span
	rows    []row // one with an empty text is removed
	head    clew.Head
}

// A span is a range of records.
type span struct{ from, to uint64 }

var (
	// errErased means that the session's words must not come back.
	errErased = errors.New("the session is erased")
	// errMadeAnew means that the index is not the one that the batch goes on from.
	errMadeAnew = errors.New("the index was made anew")
)

// put writes a batch, all or nothing.
func (x *Index) put(ctx context.Context, b batch) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.files.RLock()
	defer x.files.RUnlock()
	if b.made != x.made {
		return errMadeAnew
	}
	return x.change(ctx, func(tx *sql.Tx) error {
		no, err := numberOf(ctx, tx, b.session)
		if err != nil {
			return err
		}
		if b.fresh {
			b.removed = append(b.removed, span{0, seqMax})
		}
		for _, s := range b.removed {
			if err := removeRows(ctx, tx, rowOf(no, min(s.from, seqMax), 0), rowOf(no, min(s.to, seqMax)+1, 0)-1); err != nil {
				return err
			}
		}
		for _, r := range b.rows {
			if r.seq > seqMax {
				continue
			}
			if err := putRow(ctx, tx, rowOf(no, r.seq, r.slot), r); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, "UPDATE sessions SET seq = ?, hash = ? WHERE no = ?", b.head.Seq, b.head.Hash.String(), no)
		return err
	})
}

func (x *Index) change(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// numberOf gives a session's number, a new one if it has none.
func numberOf(ctx context.Context, tx *sql.Tx, id clew.SessionID) (no int64, err error) {
	var erased bool
	err = tx.QueryRowContext(ctx, "SELECT no, erased FROM sessions WHERE id = ?", string(id)).Scan(&no, &erased)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.QueryRowContext(ctx, "INSERT INTO sessions (id) VALUES (?) RETURNING no", string(id)).Scan(&no)
	}
	if erased {
		return 0, errErased
	}
	return no, err
}

func putRow(ctx context.Context, tx *sql.Tx, id int64, r row) error {
	var old string
	err := tx.QueryRowContext(ctx, "SELECT text FROM texts WHERE id = ?", id).Scan(&old)
	known := err == nil
	switch {
	case known && old == r.text:
		return nil
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return err
	case known:
		if err := removeRow(ctx, tx, id, old); err != nil {
			return err
		}
	}
	if r.text == "" {
		return nil
	}
	if _, err = tx.ExecContext(ctx, "INSERT INTO texts (id, at, who, text) VALUES (?, ?, ?, ?)", id, r.at, r.who, r.text); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO words (rowid, text) VALUES (?, ?)", id, indexed(r.text))
	return err
}

// removeRow removes a text and its words. FTS5 has to be told the words again: it
// keeps no texts, and only so can it take them out of its pages at once.
func removeRow(ctx context.Context, tx *sql.Tx, id int64, text string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", id, indexed(text))
	if err == nil {
		_, err = tx.ExecContext(ctx, "DELETE FROM texts WHERE id = ?", id)
	}
	return err
}

// removeRows removes the rows from first to last, some at a time.
func removeRows(ctx context.Context, tx *sql.Tx, first, last int64) error {
	const some = 200
	for {
		type old struct {
			id   int64
			text string
		}
		var list []old
		rows, err := tx.QueryContext(ctx, "SELECT id, text FROM texts WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?", first, last, some)
		if err != nil {
			return err
		}
		for rows.Next() {
			var o old
			if err := rows.Scan(&o.id, &o.text); err != nil {
				return errors.Join(err, rows.Close())
			}
			list = append(list, o)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		for _, o := range list {
			if err := removeRow(ctx, tx, o.id, o.text); err != nil {
				return err
			}
		}
		if len(list) < some {
			return nil
		}
	}
}

// Forget erases a session's words: when it returns they are in no file of the index,
// and they do not come back.
func (x *Index) Forget(ctx context.Context, id clew.SessionID) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	err := x.forget(ctx, id)
	if damaged(err) { // whatever is in it goes
		if err = x.reset(); err == nil {
			x.queue.again()
			err = x.forget(ctx, id)
		}
	}
	return err
}

func (x *Index) forget(ctx context.Context, id clew.SessionID) error {
	x.files.Lock() // a reader would keep the log of the file from being emptied
	defer x.files.Unlock()
	var step int
	err := x.write.QueryRowContext(ctx, "SELECT erased FROM sessions WHERE id = ?", string(id)).Scan(&step)
	if err != nil && !errors.Is(err, sql.ErrNoRows) || step == 2 {
		return err
	}
	err = x.change(ctx, func(tx *sql.Tx) error {
		no, err := numberOf(ctx, tx, id)
		if errors.Is(err, errErased) {
			return nil
		}
		if err == nil {
			err = removeRows(ctx, tx, rowOf(no, 0, 0), rowOf(no+1, 0, 0)-1)
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, "UPDATE sessions SET erased = 1, hash = '' WHERE no = ?", no)
		}
		return err
	})
	if err == nil {
		err = x.emptyLog(ctx)
	}
	if err == nil {
		_, err = x.write.ExecContext(ctx, "UPDATE sessions SET erased = 2 WHERE id = ?", string(id))
	}
	return err
}

// emptyLog moves SQLite's log into the file and empties it: it holds former pages.
func (x *Index) emptyLog(ctx context.Context) error {
	var busy, log, moved int
	err := x.write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved)
	if err == nil && busy != 0 {
		err = errors.New("the log of the search index could not be emptied")
	}
	return err
}
