package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/clew-run/clew"
)

// version is raised whenever the same journal would give other rows: words, slots,
// tables. An index of another version is made anew.
const version = 1

const schema = `
CREATE TABLE meta (version INTEGER NOT NULL);
CREATE TABLE sessions (
	no     INTEGER PRIMARY KEY,
	id     TEXT NOT NULL UNIQUE,
	seq    INTEGER NOT NULL DEFAULT 0, -- the record up to which it is indexed
	hash   TEXT NOT NULL DEFAULT '',   -- of that record
	erased INTEGER NOT NULL DEFAULT 0 -- 1: its rows are gone, 2: from the files as well
);
CREATE TABLE texts (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, text TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='ascii', prefix='2 3 4');
INSERT INTO words(words, rank) VALUES ('secure-delete', 1);
`

// File is the index's name in its directory.
const File = "index.db"

// An Index holds the words of all sessions. It is safe for concurrent use.
type Index struct {
	dir string
	log *slog.Logger

	// files is held for reading while the files are used, and for writing while they
	// are replaced or what was erased is taken out of them.
	files sync.RWMutex
	write *sql.DB // one connection
	read  *sql.DB

	// writing is held by whoever changes rows.
	writing sync.Mutex
	// made counts how often the files were made anew. Guarded by files.
	made    int
	numbers numbers

	queue queue
}

// Open opens the index in a directory of its own, a new one if there is none that can
// be used.
func Open(dir string, log *slog.Logger) (*Index, error) {
	x := &Index{dir: dir, log: log, queue: newQueue()}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	err := x.open()
	if err != nil {
		log.Warn("the search index cannot be used and is made anew", "err", err)
		err = x.reset()
	}
	return x, err
}

func (x *Index) path() string { return filepath.Join(x.dir, File) }

const (
	readers = 4
	// Memory for pages of the file, in KiB: of the writer, and of each reader.
	writeCache, readCache = 16 << 10, 4 << 10
)

// open opens the files, and makes them if there are none.
func (x *Index) open() (err error) {
	pragmas := "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=secure_delete(1)&_pragma=temp_store(2)"
	file := url.URL{Scheme: "file", OmitHost: true, Path: x.path()} // which may have a # or a ? in it
	open := func(more string) (*sql.DB, error) { return sql.Open("sqlite", file.String()+pragmas+more) }
	if x.write, err = open(fmt.Sprintf("&_txlock=immediate&_pragma=cache_size(-%d)", writeCache)); err != nil {
		return err
	}
	x.write.SetMaxOpenConns(1)
	if x.read, err = open(fmt.Sprintf("&_pragma=query_only(1)&_pragma=cache_size(-%d)", readCache)); err != nil {
		return err
	}
	x.read.SetMaxOpenConns(readers)
	ctx := context.Background()
	var tables, v int
	if err = x.write.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return err
	}
	if tables == 0 {
		if _, err = x.write.ExecContext(ctx, "BEGIN;"+schema+"INSERT INTO meta VALUES ("+strconv.Itoa(version)+"); COMMIT"); err != nil {
			return err
		}
	}
	if err = x.write.QueryRowContext(ctx, "SELECT version FROM meta").Scan(&v); err != nil {
		return err
	}
	if v != version {
		return fmt.Errorf("it is of version %d, this program has %d", v, version)
	}
	if err = x.emptyLog(ctx); err != nil { // of what was erased when the program died
		return err
	}
	for _, table := range []string{"sessions", "texts", "words"} { // all there, and readable at their roots
		if err = x.write.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM "+table+" LIMIT 1)").Scan(&tables); err != nil {
			return err
		}
	}
	return nil
}

// reset begins with an empty index.
func (x *Index) reset() error {
	x.files.Lock()
	defer x.files.Unlock()
	x.closeFiles()
	for _, tail := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(x.path() + tail); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	x.made++
	x.numbers.forget()
	return x.open()
}

func (x *Index) closeFiles() {
	for _, db := range []*sql.DB{x.read, x.write} {
		if db != nil {
			_ = db.Close()
		}
	}
}

// Close closes the files. Nobody may use the index any more.
func (x *Index) Close() {
	x.files.Lock()
	defer x.files.Unlock()
	x.closeFiles()
}

// damaged reports whether an error says that the files are not an index any more.
func damaged(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	}
	return false
}

// repair makes the index anew if an error says that it is damaged, and has it filled.
func (x *Index) repair(err error) bool {
	if !damaged(err) {
		return false
	}
	x.writing.Lock()
	defer x.writing.Unlock()
	x.log.Warn("the search index is damaged and is made anew", "err", err)
	if err := x.reset(); err != nil {
		x.log.Error("the search index cannot be made anew", "err", err)
	}
	x.queue.again()
	return true
}

// Rows are numbered by session, record and slot.
const (
	sessionShift = 32
	slotBits     = 3
)

// A slot is what of a record a row has.
type slot int64

const (
	slotTitle slot = iota
	slotMessage
	slotCommand
	slotOutput
	slotFile
)

func rowOf(no int64, seq uint64, s slot) int64 {
	return no<<sessionShift | int64(seq)<<slotBits | int64(s)
}

// placeOf takes the number of a row apart.
func placeOf(row int64) (no int64, seq uint64, s slot) {
	return row >> sessionShift, uint64(row&(1<<sessionShift-1)) >> slotBits, slot(row & (1<<slotBits - 1))
}

// seqMax is how many records of a session fit. What comes later is not found.
const seqMax = 1<<(sessionShift-slotBits) - 1

// Indexed gives the record up to which a session is in the index.
func (x *Index) Indexed(ctx context.Context, id clew.SessionID) (uint64, error) {
	x.files.RLock()
	defer x.files.RUnlock()
	var seq uint64
	err := x.read.QueryRowContext(ctx, "SELECT seq FROM sessions WHERE id = ?", string(id)).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return seq, err
}
