package transfer

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/klauspost/compress/zstd"

	"github.com/clew-run/clew"
)

// The files of a bundle, in this order. Blobs come between the records and the
// checkpoints, each under the hash of its bytes. The sums come last: a bundle
// that was cut off has none.
const (
	manifestName    = "manifest.json"
	recordsName     = "records.jsonl"
	blobsFolder     = "blobs/"
	checkpointsName = "checkpoints.pack"
	sumsName        = "sums.json"
)

const bundleVersion = 1

// window is how far back the packer looks, and so what unpacking takes in
// memory.
const window = 1 << 20

// A manifest says what a bundle is.
type manifest struct {
	Format    string         `json:"format"` // clew-bundle
	Version   int            `json:"version"`
	SessionID clew.SessionID `json:"session_id"`
	Title     string         `json:"title,omitempty"`
	CreatedMS int64          `json:"created_ms"`
	Head      bundleHead     `json:"head"`
}

const manifestFormat = "clew-bundle"

type bundleHead struct {
	Seq  uint64 `json:"seq"`
	TS   int64  `json:"ts"`
	Hash string `json:"hash"`
}

// sums ends a bundle. Blobs are not in it: their names are their sums.
type sums struct {
	SHA256 map[string]string `json:"sha256"`
	Blobs  int               `json:"blobs"`
	// Missing are blobs that records refer to and that could not be read, and
	// Dropped checkpoints.
	Missing []string `json:"missing,omitempty"`
	Dropped []string `json:"dropped,omitempty"`
}

func (e *Export) writeBundle(ctx context.Context, w io.Writer) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(window),
		zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return err
	}
	b := &bundler{
		Export: e, sums: sums{SHA256: map[string]string{}},
		tar: &tarWriter{Writer: tar.NewWriter(z), dir: e.x.Dir, when: time.UnixMilli(e.s.head.TS).UTC()},
	}
	for _, step := range []func(context.Context) error{b.manifest, b.lines, b.blobs, b.checkpoints, b.finish} {
		if err := step(ctx); err != nil {
			_ = z.Close()
			return err
		}
	}
	return z.Close()
}

// A bundler is a bundle in the making.
type bundler struct {
	*Export
	tar  *tarWriter
	sums sums
}

func (b *bundler) manifest(context.Context) error {
	return b.small(manifestName, manifest{
		Format: manifestFormat, Version: bundleVersion, SessionID: b.what.Session, Title: b.s.title, CreatedMS: b.s.createdMS,
		Head: bundleHead{b.s.head.Seq, b.s.head.TS, b.s.head.Hash.String()},
	})
}

func (b *bundler) small(name string, v any) error {
	data, err := indented(v, "")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	sum := sha256.Sum256(data)
	b.sums.SHA256[name] = hex.EncodeToString(sum[:])
	return b.tar.file(name, data)
}

// lines writes the records as they are stored.
func (b *bundler) lines(ctx context.Context) error {
	if err := b.tar.header(recordsName, b.s.bytes); err != nil {
		return err
	}
	sum := sha256.New()
	w := io.MultiWriter(b.tar, sum)
	var line []byte
	for r, err := range b.x.Records.Read(ctx, b.what.Session, 1, b.what.Head) {
		if err != nil {
			return err
		}
		line = append(append(line[:0], r.Line()...), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	b.note(recordsName, sum)
	return nil
}

func (b *bundler) note(name string, sum hash.Hash) {
	b.sums.SHA256[name] = hex.EncodeToString(sum.Sum(nil))
}

func (b *bundler) blobs(ctx context.Context) error {
	for _, address := range b.s.blobs {
		var data []byte
		err := fmt.Errorf("no blobs here")
		if b.x.Blobs != nil {
			data, err = b.x.Blobs.Blob(ctx, address)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // the rest of the session is worth having without it
			b.sums.Missing = append(b.sums.Missing, address)
			continue
		}
		b.sums.Blobs++
		if err := b.tar.file(blobsFolder+address, data); err != nil {
			return err
		}
	}
	return nil
}

func (b *bundler) checkpoints(ctx context.Context) error {
	if b.x.Checkpoints == nil || len(b.s.checkpoints) == 0 {
		return nil
	}
	sum := sha256.New()
	some, err := b.tar.grownOver(0, checkpointsName, func(w io.Writer) (err error) {
		place := rewind.Workspace{Session: b.what.Session, Dir: b.s.workspace}
		b.sums.Dropped, err = b.x.Checkpoints.Pack(ctx, place, b.s.checkpoints, io.MultiWriter(w, sum))
		return err
	})
	if some {
		b.note(checkpointsName, sum)
	}
	return err
}

func (b *bundler) finish(context.Context) error {
	if err := b.tar.json(sumsName, b.sums); err != nil {
		return err
	}
	return b.tar.Close()
}
