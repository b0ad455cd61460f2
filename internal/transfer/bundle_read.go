package transfer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/clew-run/clew"
)

// A blobPiece is a blob that waits for the rest of the bundle.
type blobPiece struct {
	address string
	spool   *spool
	place   ref
}

// An openedBundle bundle is read in its one order and verified on the way.
type openedBundle struct {
	*importJob
	tar   *tarReader
	m     manifest
	sums  map[string]string // of what was read
	store *spool            // of blobs
}

func (t *importJob) bundle(src io.Reader) error {
	z, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return failed(err, "the bundle")
	}
	defer z.Close()
	o := &openedBundle{importJob: t, tar: newTarReader(z, t.limits), sums: map[string]string{}}
	if err := o.read(); err != nil {
		return err
	}
	return drain(z)
}

// read goes through the files. Their order is fixed, so each step knows what it
// may find.
func (o *openedBundle) read() error {
	for step := 0; ; {
		name, size, err := o.tar.next()
		if err != nil {
			return err
		}
		next := stepOf(name)
		switch {
		case name == "":
			return bad("the bundle is cut off")
		case next < 0:
			return bad("a bundle has no file %.100q", name)
		case next < step, step < blobStep && next != step:
			return bad("%s is in the wrong place in the bundle", name)
		}
		switch next {
		case 0:
			err = o.manifest(size)
		case 1:
			err = o.records()
		case blobStep:
			err = o.blob(name, size)
		case 3:
			err = o.checkpoints()
		case lastStep:
			return o.finish(size)
		}
		if err != nil {
			return err
		}
		if step = next; next != blobStep { // there may be many blobs
			step++
		}
	}
}

const (
	blobStep = 2
	lastStep = 4
)

func stepOf(name string) int {
	if strings.HasPrefix(name, blobsFolder) {
		return blobStep
	}
	return slices.Index([]string{manifestName, recordsName, blobsFolder, checkpointsName, sumsName}, name)
}

func (o *openedBundle) note(name string, sum hash.Hash) {
	o.sums[name] = hex.EncodeToString(sum.Sum(nil))
}

func (o *openedBundle) manifest(size int64) error {
	b, err := o.tar.small(manifestName, size)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, _ = sum.Write(b) // never fails
	o.note(manifestName, sum)
	if err := json.Unmarshal(b, &o.m); err != nil {
		return badBecause(err, "%s is not readable", manifestName)
	}
	switch {
	case o.m.Format != manifestFormat:
		return bad("this is not a bundle of clew")
	case o.m.Version > bundleVersion:
		return clew.Errorf(clew.SessionTooNew, "a newer server made the bundle, in version %d; this server reads version %d", o.m.Version, bundleVersion)
	case o.m.Version != bundleVersion:
		return bad("the bundle has version %d; this server reads version %d", o.m.Version, bundleVersion)
	case !o.m.SessionID.Valid():
		return bad("%.100q is not a session id", o.m.SessionID)
	}
	return o.name(string(o.m.SessionID))
}

// records verifies the journal, line by line. Under a new id each record is
// written anew, with the same data.
func (o *openedBundle) records() error {
	sum := sha256.New()
	src := bufio.NewReaderSize(io.TeeReader(o.tar.tar, sum), 64<<10)
	var head clew.Head
	last := clew.SessionID("")
	for {
		line, err := readLine(src, o.limits.Element)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return failed(err, "the bundle")
		}
		r, id, err := verify(line, head)
		if err != nil {
			return err
		}
		head, last = r.After(), id
		if o.id != o.from {
			r = o.survey.head.Write(o.id, r.Term, r.TS, clew.Draft{By: r.By, Cause: r.Cause, Type: r.Type, Data: r.Data()})
		}
		if err := o.write(r); err != nil {
			return err
		}
		if o.ctx.Err() != nil {
			return o.ctx.Err()
		}
	}
	o.note(recordsName, sum)
	o.title = o.survey.title
	if want := (bundleHead{head.Seq, head.TS, head.Hash.String()}); want != o.m.Head || head.Seq == 0 || last != o.m.SessionID {
		return bad("the records of the bundle are not those that its manifest names")
	}
	return nil
}

const lastTS = 253402300799999 // the end of the year 9999

// verify checks that a line is the one record that may stand here, to the byte.
func verify(line []byte, head clew.Head) (clew.Record, clew.SessionID, error) {
	seq := head.Seq + 1
	r, err := clew.ParseRecord(line)
	if err != nil {
		return r, "", badBecause(err, "%s, line %d: not a record", recordsName, seq)
	}
	if err := r.Follows(head); err != nil {
		return r, "", badBecause(err, "%s, line %d: the record does not follow the one before", recordsName, seq)
	}
	info, known := clew.EventInfoOf(r.Type)
	id := sessionOf(r)
	switch {
	case !known:
		return r, id, unreadable(r, clew.ErrUnknownEvent)
	case !info.Kind.Journaled() || !id.Valid() || r.TS > lastTS || seq == 1 && r.Type != clew.EventSessionCreated:
		return r, id, bad("%s, line %d: no session has such a record", recordsName, seq)
	case !json.Valid(r.Data()):
		return r, id, bad("%s, line %d: not JSON", recordsName, seq)
	}
	same := head.Write(id, r.Term, r.TS, clew.Draft{By: r.By, Cause: r.Cause, Type: r.Type, Data: r.Data()})
	if !bytes.Equal(same.Line(), line) {
		return r, id, bad("%s, line %d: the record is not spelled as clew spells it", recordsName, seq)
	}
	return r, id, nil
}

// sessionOf is the session that a record was written in. A fork has its parent's
// records.
func sessionOf(r clew.Record) clew.SessionID {
	_, rest, _ := bytes.Cut(r.Envelope(), []byte(`"session_id":"`))
	id, _, _ := bytes.Cut(rest, []byte{'"'})
	return clew.SessionID(id)
}

// blob takes a file that a record refers to, if it is what its name says.
func (o *openedBundle) blob(name string, size int64) (err error) {
	address := strings.TrimPrefix(name, blobsFolder)
	if !o.survey.seen[address] {
		return bad("no record refers to %.100q", name)
	}
	if size > o.limits.Blob {
		return tooLarge("%s is larger than %d bytes", name, o.limits.Blob)
	}
	if o.store == nil {
		if o.store, err = o.spool(); err != nil {
			return err
		}
	}
	sum := sha256.New()
	place := ref{off: o.store.size}
	n, err := io.Copy(io.MultiWriter(o.store, sum), o.tar.tar)
	if err != nil {
		return failed(err, "the bundle")
	}
	place.n = int(n)
	if hex.EncodeToString(sum.Sum(nil)) != address {
		return bad("%s is damaged", name)
	}
	o.blobs = append(o.blobs, blobPiece{address, o.store, place})
	return nil
}

// checkpoints takes the pack. One that nobody wants is part of the sums still.
func (o *openedBundle) checkpoints() (err error) {
	sum := sha256.New()
	var to io.Writer = sum
	if o.Checkpoints != nil && !o.up.NoCheckpoints {
		if o.pack, err = o.spool(); err != nil {
			return err
		}
		to = io.MultiWriter(o.pack, sum)
	}
	if _, err := io.Copy(to, o.tar.tar); err != nil {
		return failed(err, "the bundle")
	}
	o.note(checkpointsName, sum)
	return nil
}

// finish compares the sums and wants the archive to end.
func (o *openedBundle) finish(size int64) error {
	b, err := o.tar.small(sumsName, size)
	if err != nil {
		return err
	}
	var want sums
	if err := json.Unmarshal(b, &want); err != nil {
		return badBecause(err, "%s is not readable", sumsName)
	}
	if !maps.Equal(want.SHA256, o.sums) || want.Blobs != len(o.blobs) {
		return bad("the bundle is damaged: its sums are not those of its files")
	}
	name, _, err := o.tar.next()
	if err == nil && name != "" {
		err = bad("%.100q follows the end of the bundle", name)
	}
	return err
}

// mostMissing bounds how many blobs a bundle may lack: they are named on record.
const mostMissing = 1000

// missingBlobs are those that the records of a bundle refer to and that did not
// come along. What others have here under the same address is not theirs.
func (t *importJob) missingBlobs() ([]string, error) {
	if t.format != Bundle {
		return nil, nil // the records are our own
	}
	came := map[string]bool{}
	for _, b := range t.blobs {
		came[b.address] = true
	}
	var missing []string
	for _, address := range t.survey.blobs {
		if !came[address] {
			missing = append(missing, address)
		}
	}
	if len(missing) > mostMissing {
		return nil, bad("%d of the blobs that its records refer to are not in the bundle, more than %d", len(missing), mostMissing)
	}
	return missing, nil
}

// keepBlobs stores what came along. It is known by its hash, so that a later
// failure leaves nothing that anyone would find.
func (t *importJob) keepBlobs() error {
	for _, b := range t.blobs {
		if t.Blobs == nil {
			return nil
		}
		data, err := b.spool.get(b.place)
		if err != nil {
			return err
		}
		_, err = t.Blobs.PutBlob(t.ctx, t.by(), data)
		if clew.CodeOf(err) == clew.BudgetExceeded {
			return err
		}
		if err != nil {
			return clew.WrapError(clew.StorageFailed, err, "a blob could not be stored")
		}
	}
	return nil
}
