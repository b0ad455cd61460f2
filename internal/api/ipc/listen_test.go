package ipc

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// The file is its owner's alone, from the first moment on.
//
// Covers: C-78
func TestMode(t *testing.T) {
	b := newBench(t)
	info, err := os.Lstat(b.o.Path)
	if err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("%v %v", info, err)
	}
	entries, err := os.ReadDir(filepath.Dir(b.o.Path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
}

// What a dead server left is replaced; a live one, and what is no socket, stay.
func TestStaleSocket(t *testing.T) {
	path := filepath.Join(shortDir(t), "clew.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(Options{Path: path}); clew.CodeOf(err) != clew.SettingsInvalid || !strings.Contains(err.Error(), "runs already") {
		t.Errorf("beside a live one: %v", err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	if err := os.Mkdir(filepath.Join(filepath.Dir(path), ".clew.sock.new"), 0o700); err != nil { // it died while it started
		t.Fatal(err)
	}
	b := newBench(t, func(o *Options) { o.Path = path })
	b.connect()
	b.Shutdown(context.Background())
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the end: %v", err)
	}
	if err := os.WriteFile(path, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(Options{Path: path}); err == nil || !strings.Contains(err.Error(), "is no socket") {
		t.Errorf("in place of a file: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "notes" {
		t.Errorf("%q %v", text, err)
	}
}

// A server that was replaced leaves its successor's file alone.
func TestUnlinkOwn(t *testing.T) {
	b := newBench(t)
	if err := os.Remove(b.o.Path); err != nil {
		t.Fatal(err)
	}
	next := newBench(t, func(o *Options) { o.Path = b.o.Path })
	b.Shutdown(context.Background())
	next.connect()
}

// A path that a socket address cannot hold works by way of its directory where
// the system can do that, and is refused with a reason elsewhere.
func TestLongPath(t *testing.T) {
	dir := filepath.Join(shortDir(t), strings.Repeat("long", 30))
	path := filepath.Join(dir, "clew.sock")
	if runtime.GOOS != "linux" {
		var long *TooLongError
		if _, err := Listen(Options{Path: path}); !errors.As(err, &long) {
			t.Error(err)
		}
		return
	}
	b := newBench(t, func(o *Options) { o.Path = path })
	name, done, err := short(b.o.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	conn, err := net.Dial("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if _, err := Listen(Options{Path: path}); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("beside a live one: %v", err)
	}
}
