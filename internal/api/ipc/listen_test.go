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
	"sync"
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
	if err != nil || len(entries) != 2 || entries[0].Name() != ".clew.sock.lock" {
		t.Errorf("%v %v", entries, err)
	}
	if info, err := entries[0].Info(); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info, err)
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

// While a server lives, no other one takes its path, even if its file is gone.
// What somebody else put there it leaves alone at its end.
func TestUnlinkOwn(t *testing.T) {
	b := newBench(t)
	if err := os.Remove(b.o.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(Options{Path: b.o.Path}); runtime.GOOS != "windows" && clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("beside a live one: %v", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: b.o.Path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	b.Shutdown(context.Background())
	if _, err := os.Lstat(b.o.Path); err != nil {
		t.Error(err)
	}
}

// Of many that want one path at the same time one gets it, and it serves; the
// others say so. What a dead one left is in their way at first.
func TestOnePath(t *testing.T) {
	path := filepath.Join(shortDir(t), "clew.sock")
	for range 20 {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		_ = l.Close()
		var group sync.WaitGroup
		var mu sync.Mutex
		var served []*Socket
		for range 8 {
			group.Go(func() {
				s, err := Listen(Options{Path: path, URL: "http://127.0.0.1:1"})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					served = append(served, s)
				} else if clew.CodeOf(err) != clew.SettingsInvalid {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if len(served) != 1 {
			t.Fatalf("%d have the path", len(served))
		}
		b := &bench{Socket: served[0], t: t}
		_ = b.connect().conn.Close()
		b.Shutdown(context.Background())
	}
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
