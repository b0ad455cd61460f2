package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/transfer"
)

// counted knows how much was read.
type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += n
	return n, err
}

// rewinds makes a bundle of a session that knows much and is taken back to the
// same place again and again, each time with a record of a few bytes.
func rewinds(t *testing.T, bytes, times int) []byte {
	t.Helper()
	s := newServer(t.TempDir())
	w := newScribe("sess_1")
	w.ask("task_1", strings.Repeat("much ", bytes/5))
	to := clew.MessageIDOf(w.head.Seq)
	for range times {
		w.add(&clew.HistoryRewoundData{Return: clew.Return{To: to}})
	}
	s.has(t, w)
	return s.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
}

// A small file cannot ask for hours of work: what its records go back to is read
// whole each time, and there is an end to that.
func TestRewindsOfAnImportAreBounded(t *testing.T) {
	body := rewinds(t, 2<<20, 2500) // of more than 2 MB, as the text is known twice
	if len(body) > 1<<20 {
		t.Fatalf("the upload has %d bytes", len(body))
	}
	dir := t.TempDir()
	s := newServer(dir)
	_, err := s.importer().Import(t.Context(), bytes.NewReader(body), transfer.Upload{By: ada})
	if clew.CodeOf(err) != clew.MessageTooLarge || !strings.Contains(err.Error(), "taken back so often") || len(s.heads) > 0 {
		t.Errorf("%v; %d sessions", err, len(s.heads))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	s.take(t, rewinds(t, 20<<10, 2500), transfer.Upload{}) // what people do is far below it
}

// A file is on disk before anybody reads it; what cannot be taken is refused when
// its first bytes are here, or before.
func TestReceive(t *testing.T) {
	first, _ := sample(t)
	bundle := first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
	dir := t.TempDir()
	s := newServer(dir)
	im := s.importer()
	file, err := im.Receive(t.Context(), bytes.NewReader(bundle), transfer.Upload{By: ada})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := im.Import(t.Context(), file, transfer.Upload{By: ada}); err != nil || got.SessionID != "sess_1" {
		t.Errorf("%+v, %v", got, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	im.Limits.Bytes = 1 << 20
	im.Place = func(_ clew.Principal, dir string) (string, error) {
		if dir != "" {
			return "", clew.Errorf(clew.Forbidden, "not there")
		}
		return "", nil
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	long := append(bytes.Clone(bundle), make([]byte, 2<<20)...)
	for name, c := range map[string]struct {
		ctx  context.Context
		body []byte
		up   transfer.Upload
		is   func(error) bool
		read int // at most
	}{
		"no place":    {t.Context(), bundle, transfer.Upload{Workspace: "/etc"}, func(err error) bool { return clew.CodeOf(err) == clew.Forbidden }, 0},
		"noise":       {t.Context(), bytes.Repeat([]byte("noise"), 1<<20), transfer.Upload{}, func(err error) bool { return clew.CodeOf(err) == clew.InvalidMessage }, 64 << 10},
		"no format":   {t.Context(), long, transfer.Upload{Format: "zip"}, func(err error) bool { return clew.CodeOf(err) == clew.InvalidMessage }, 64 << 10},
		"too long":    {t.Context(), long, transfer.Upload{}, func(err error) bool { return clew.CodeOf(err) == clew.MessageTooLarge }, 1<<20 + 1},
		"nobody left": {gone, long, transfer.Upload{}, func(err error) bool { return errors.Is(err, context.Canceled) }, 64 << 10},
	} {
		c.up.By = ada
		body := &counted{Reader: bytes.NewReader(c.body)}
		if file, err := im.Receive(c.ctx, body, c.up); !c.is(err) || file != nil || body.n > c.read {
			t.Errorf("%s: %v, %d bytes read", name, err, body.n)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// All imports share the disk that they may take for themselves, and give back
// what they took, whatever comes of them.
func TestImportsShareTheDisk(t *testing.T) {
	first, _ := sample(t)
	first.packs.text = "files of " + strings.Repeat("much ", 300)
	bundle := first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
	damaged := bytes.Clone(bundle)
	damaged[len(damaged)/2] ^= 1
	s := newServer(t.TempDir())
	im := s.importer()
	im.Limits.Disk = 100 << 10
	receive := func(body []byte) (io.ReadCloser, error) {
		return im.Receive(t.Context(), bytes.NewReader(body), transfer.Upload{By: ada})
	}
	large := append(bytes.Clone(bundle), make([]byte, 90<<10)...)
	waiting, err := receive(large)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := receive(large); clew.CodeOf(err) != clew.RateLimited {
		t.Errorf("a second file: %v", err)
	}
	if _, err := im.Import(t.Context(), bytes.NewReader(bundle), transfer.Upload{By: ada}); clew.CodeOf(err) != clew.RateLimited || len(s.heads) > 0 {
		t.Errorf("an import: %v", err)
	}
	_ = waiting.Close()
	for range 20 { // none of them keeps anything
		if _, err := im.Import(t.Context(), bytes.NewReader(damaged), transfer.Upload{By: ada}); clew.CodeOf(err) != clew.InvalidMessage {
			t.Fatal(err)
		}
		if _, err := im.Import(t.Context(), bytes.NewReader(bundle), transfer.Upload{By: ada, NewID: true}); err != nil {
			t.Fatal(err)
		}
	}
	if waiting, err = receive(large); err != nil {
		t.Fatal(err)
	}
	_ = waiting.Close()
}

// Checkpoints that are refused do not keep the rest from being imported; the sums
// hold for them still.
func TestImportWithoutCheckpoints(t *testing.T) {
	first, w := sample(t)
	first.packs.text = "hooks of "
	bundle := first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle})
	s := newServer(t.TempDir())
	_, err := s.importer().Import(t.Context(), bytes.NewReader(bundle), transfer.Upload{By: ada})
	if clew.CodeOf(err) != clew.InvalidMessage || !strings.Contains(err.Error(), "without its checkpoints") {
		t.Errorf("nobody says what to do: %v", err)
	}
	got := s.take(t, bundle, transfer.Upload{NoCheckpoints: true})
	if got.Records != uint64(len(w.records)) || s.packs.got != nil || s.packs.open != 0 {
		t.Errorf("%+v, checkpoints %q", got, s.packs.got)
	}
	files, order := entries(t, bundle)
	var list []string
	for _, name := range order {
		list = append(list, name, strings.Replace(files[name], "hooks", "books", 1))
	}
	s = newServer(t.TempDir())
	if _, err := s.importer().Import(t.Context(), bytes.NewReader(zipped(t, packed(t, list...))), transfer.Upload{By: ada, NoCheckpoints: true}); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("damaged checkpoints that nobody wants: %v", err)
	}
}
