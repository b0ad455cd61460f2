package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
)

// A backup is a directory or a bucket:
//
//	manifest.json   what belongs to it, written last
//	archive/        the archive's objects, under their own names
//	records/        what the streams hold, in parts: each run adds those of what is new
//	tables/         the tables, whole
//
// It is made while the server runs, in an order that needs no standstill. The
// tables come first: the lists of sessions must not know of records that are not
// there. Then come the archive, the streams up to where they end by then, and
// once more the archive, for what was sealed and cut off the streams meanwhile.
// A session that began meanwhile may be in it by half; no list has it, and a
// restore leaves it out.
type backupManifest struct {
	Format     int      `json:"format"`
	Number     int      `json:"number"` // of the run that wrote it
	MadeMS     int64    `json:"made_ms"`
	Store      string   `json:"store"` // whose it is
	Prefix     string   `json:"prefix"`
	Partitions int      `json:"partitions"`
	Last       []uint64 `json:"last"` // sequence in each stream up to which it goes
	// Sessions is the object that names the sessions which have records in the
	// streams. What the parts have of others was cut off, or erased.
	Sessions backupPart    `json:"sessions"`
	Parts    []backupPart  `json:"parts"`
	Tables   []backupTable `json:"tables"`
}

type backupTable struct {
	backupPart
	Config jetstream.StreamConfig `json:"config"`
}

const (
	backupFormat = 1
	manifestName = "manifest.json"
)

// A BackupReport says what a run copied.
type BackupReport struct {
	Number   int   `json:"number"` // 1 for the first into a place
	Sessions int   `json:"sessions"`
	Objects  int   `json:"objects"` // copied in this run
	Bytes    int64 `json:"bytes"`
	MadeMS   int64 `json:"made_ms"`
}

// ErrOtherBackup says that a place has the backup of another store.
var ErrOtherBackup = errors.New("there is a backup of another server; choose an empty place")

// Backup writes the store to a place, or what is new since the last time.
func (j *Journal) Backup(ctx context.Context, to *archive.Objects) (BackupReport, error) {
	b := &backupRun{j: j, to: to, sessions: map[clew.SessionID]bool{}}
	if err := b.begin(ctx); err != nil {
		return BackupReport{}, err
	}
	for _, step := range []func(context.Context) error{b.tables, b.archive, b.streams, b.archive, b.finish} {
		if err := step(ctx); err != nil {
			return BackupReport{}, err
		}
	}
	b.report.Number, b.report.MadeMS, b.report.Sessions = b.next.Number, b.next.MadeMS, len(b.sessions)
	return b.report, nil
}

type backupRun struct {
	j        *Journal
	to       *archive.Objects
	have     map[string]bool // names at the place
	sessions map[clew.SessionID]bool
	want     map[string]bool // of them and of what is copied, those that belong to the backup
	old      backupManifest
	next     backupManifest
	report   BackupReport
}

func readManifest(ctx context.Context, from *archive.Objects) (m backupManifest, err error) {
	data, err := from.Read(ctx, manifestName)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s: %w", manifestName, err)
	}
	if m.Format != backupFormat {
		return m, fmt.Errorf("the backup is of format %d, which this program does not know", m.Format)
	}
	return m, nil
}

func (b *backupRun) begin(ctx context.Context) (err error) {
	b.old, err = readManifest(ctx, b.to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	info, err := b.j.streams[0].Info(ctx)
	if err != nil {
		return engineError(err)
	}
	store := info.Created.UTC().Format(time.RFC3339Nano) + " " + b.j.epoch
	if b.old.Number > 0 && b.old.Store != store {
		return ErrOtherBackup
	}
	if b.have, err = b.to.Names(ctx); err != nil {
		return err
	}
	b.want = map[string]bool{}
	b.next = backupManifest{
		Format: backupFormat, Number: b.old.Number + 1, MadeMS: b.j.cfg.Clock.Now().UnixMilli(), Store: store,
		Prefix: b.j.cfg.Prefix, Partitions: b.j.partitions,
	}
	if b.old.Partitions != b.j.partitions { // records were spread anew: all are new
		b.old.Parts, b.old.Last = nil, nil
	}
	return nil
}

func (b *backupRun) put(ctx context.Context, name string, data []byte) error {
	b.want[name] = true
	b.report.Objects++
	b.report.Bytes += int64(len(data))
	return b.to.Put(ctx, name, data)
}

// archive copies objects that the backup has not.
func (b *backupRun) archive(ctx context.Context) error {
	from := b.j.archive.Objects()
	names, err := from.Names(ctx)
	if err != nil {
		return err
	}
	for name := range names {
		if id := archive.SessionOf(name); id != "" {
			b.sessions[id] = true
		}
		to := "archive/" + name
		if b.have[to] || b.want[to] {
			b.want[to] = true
			continue
		}
		data, err := from.Read(ctx, name)
		if errors.Is(err, fs.ErrNotExist) { // replaced by a newer one
			continue
		}
		if err != nil {
			return err
		}
		if err := b.put(ctx, to, data); err != nil {
			return err
		}
	}
	return nil
}

// tables copies what the tables and the stream of wake-ups hold.
func (b *backupRun) tables(ctx context.Context) error {
	names := b.j.js.StreamNames(ctx)
	var all []string
	for name := range names.Name() {
		all = append(all, name)
	}
	if err := names.Err(); err != nil {
		return engineError(err)
	}
	slices.Sort(all)
	for _, name := range all {
		if b.j.copiedWhole(name) {
			if err := b.table(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// copiedWhole reports whether a stream is a table of this store that a restored
// one needs.
func (j *Journal) copiedWhole(stream string) bool {
	upper := strings.ToUpper(j.cfg.Prefix)
	if stream == j.wakeStream() {
		return true
	}
	table, ok := strings.CutPrefix(stream, "KV_"+upper+"_")
	return ok && !slices.Contains([]string{"NODES", "TICKETS", "PROBE"}, table)
}

func (b *backupRun) table(ctx context.Context, stream string) error {
	s, err := b.j.js.Stream(ctx, stream)
	if err != nil {
		return engineError(err)
	}
	t := backupTable{Config: s.CachedInfo().Config}
	var w partWriter
	for m, err := range b.j.stored(ctx, stream, ">", 1, s.CachedInfo().State.LastSeq) {
		if err != nil {
			return err
		}
		if header, live := ownHeader(m); live {
			w.add(m.Subject, header, m.Data)
		}
	}
	name := fmt.Sprintf("tables/%d-%s.zst", b.next.Number, stream)
	t.backupPart, err = b.part(ctx, name, &w)
	b.next.Tables = append(b.next.Tables, t)
	return err
}

func (b *backupRun) part(ctx context.Context, name string, w *partWriter) (backupPart, error) {
	data, sum, err := w.seal()
	if err != nil {
		return backupPart{}, err
	}
	return backupPart{Name: name, SHA256: sum}, b.put(ctx, name, data)
}

// streams copies what was written since the last run. Parts of which the streams
// have nothing more are dropped: the archive has it.
func (b *backupRun) streams(ctx context.Context) error {
	var sessions partWriter
	for p := range b.j.partitions {
		info, err := b.j.streams[p].Info(ctx)
		if err != nil {
			return engineError(err)
		}
		from := info.State.FirstSeq
		if b.old.Last != nil {
			from = max(from, b.old.Last[p]+1)
		}
		for _, part := range b.old.Parts {
			if part.Partition == p && part.Last >= info.State.FirstSeq {
				b.next.Parts = append(b.next.Parts, part)
				b.want[part.Name] = true
			}
		}
		if err := b.stream(ctx, p, from, info.State.LastSeq); err != nil {
			return err
		}
		b.next.Last = append(b.next.Last, info.State.LastSeq)
		ids, err := b.j.subjectsOf(ctx, p, b.j.subject("j", strconv.Itoa(p), "s", ">"))
		if err != nil {
			return err
		}
		for _, id := range ids {
			sessions.add(string(id), nil, nil)
			b.sessions[id] = true
		}
	}
	var err error
	b.next.Sessions, err = b.part(ctx, fmt.Sprintf("records/%d-sessions.zst", b.next.Number), &sessions)
	return err
}

func (b *backupRun) stream(ctx context.Context, p int, from, last uint64) error {
	var w partWriter
	first := from
	flush := func(upTo uint64) error {
		if w.raw.Len() == 0 {
			return nil
		}
		part, err := b.part(ctx, fmt.Sprintf("records/%d-%d-%d.zst", b.next.Number, p, first), &w)
		part.Partition, part.First, part.Last = p, first, upTo
		b.next.Parts = append(b.next.Parts, part)
		first = upTo + 1
		return err
	}
	if from > last {
		return nil
	}
	for m, err := range b.j.messages(ctx, p, b.j.subject("j", strconv.Itoa(p), "s", ">"), from, last) {
		if err != nil {
			return err
		}
		w.add(m.Subject, nil, m.Data)
		if w.raw.Len() >= partSize {
			if err := flush(m.Sequence); err != nil {
				return err
			}
		}
	}
	return flush(last)
}

// finish makes everything durable, then writes the manifest, and then removes
// what belongs to the backup no more.
func (b *backupRun) finish(ctx context.Context) error {
	if err := b.to.Sync(ctx); err != nil {
		return err
	}
	data, err := json.MarshalIndent(b.next, "", " ")
	if err != nil {
		return err
	}
	if err := b.to.Keep(ctx, manifestName, data); err != nil {
		return err
	}
	for name := range b.have {
		dir, _, _ := strings.Cut(name, "/")
		if !b.want[name] && (dir == "archive" || dir == "records" || dir == "tables") {
			if err := b.to.Remove(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}
