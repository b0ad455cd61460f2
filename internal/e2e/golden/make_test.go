package golden

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// TestMake makes a golden directory, if CLEW_GOLDEN_MAKE names it: testdata/NAME.tar.gz.
// The program is this tree's, or the one in CLEW_GOLDEN_PROGRAM, which must be built
// with the tag crashpoints. See make golden.
func TestMake(t *testing.T) {
	name := os.Getenv("CLEW_GOLDEN_MAKE")
	if name == "" {
		t.Skip("CLEW_GOLDEN_MAKE names no directory to make")
	}
	bin := os.Getenv("CLEW_GOLDEN_PROGRAM")
	if bin == "" {
		bin = proc.Program(t, "crashpoints")
	}
	s := newStage(t, bin, name)
	s.fill()
	s.pack(filepath.Join("testdata", name+".tar.gz"))
}

// fill has a server leave behind what the sessions are named for.
func (s *stage) fill() {
	s.t.Helper()
	s.start()
	s.create(sealed)
	s.say(sealed, "Start a list", "")
	s.say(sealed, "Add pears", "")
	s.send(sealed, clew.CommandArchiveSession, clew.ArchiveSessionData{Archived: true})
	s.must(s.srv.Stop()) // which seals what is in memory

	s.start()
	s.send(sealed, clew.CommandForkSession, clew.ForkSessionData{Title: "a fork"})
	s.say(s.fork(), "Start a list", "")
	s.create(waiting)
	s.say(waiting, "Start a list", "")
	s.say(waiting, "Count it", "")
	s.create(review)
	s.say(review, "Write a note, please", clew.ModeRun)
	s.create(rewound)
	s.say(rewound, "Start a list", "")
	s.say(rewound, "Add pears", "")
	second := s.say(rewound, "Add plums", "")
	s.create(queued)
	s.say(queued, "Start a list", "")
	s.say(queued, "Count it", "")
	for _, text := range []string{"Add pears", "Add plums"} {
		s.send(queued, clew.CommandUserMessage, clew.UserMessageData{Text: text, Delivery: clew.ArrivalQueue})
	}
	s.keep()
	s.srv.Kill()

	s.settings(map[string]any{"plan_review_timeout_sec": deadlineSec})
	s.start("CLEW_CRASH_AT=checkpoint.exchanged:1")
	s.create(deadline)
	s.say(deadline, "Write a note, please", clew.ModeRun)
	_, _ = s.api().Command(s.t.Context(), rewound, "", clew.CommandRewind, clew.RewindData{
		Target: clew.Target{MessageID: second}, RestoreCheckpoint: true,
	}) // the server dies of it
	<-s.srv.Exited()
}

// fork finds the fork of the sealed session.
func (s *stage) fork() clew.SessionID {
	s.t.Helper()
	page, err := s.api().ListSessions(s.t.Context(), "a fork", "", 5)
	s.must(err)
	if len(page.Sessions) != 1 {
		s.t.Fatalf("%d forks", len(page.Sessions))
	}
	return page.Sessions[0].ID
}

// deadlineSec is how long the plan of one session waits for its review: until after
// the server has died, and not until the directory is opened, unless it is made at
// that moment.
const deadlineSec = 60

// pack writes the stage's directory, without what each server makes anew.
func (s *stage) pack(to string) {
	s.t.Helper()
	f, err := os.Create(to)
	s.must(err)
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	s.must(err)
	w := tar.NewWriter(z)
	err = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(s.dir, path)
		if err != nil || name == "." || unwanted(name) {
			return err
		}
		return packOne(w, path, name, d)
	})
	s.must(errors.Join(err, w.Close(), z.Close(), f.Close()))
}

// unwanted are tokens, keys and what belongs to a process.
func unwanted(name string) bool {
	switch rest, _ := strings.CutPrefix(name, "data/"); rest {
	case "token", "lock", "keys", "secrets", "sock":
		return true
	}
	return strings.Contains(name, ".sock") || strings.HasSuffix(name, ".pid")
}

func packOne(w *tar.Writer, path, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return err
	}
	h, err := tar.FileInfoHeader(info, "")
	if err != nil {
		return err
	}
	h.Name, h.Uid, h.Gid, h.Uname, h.Gname = name, 0, 0, "", ""
	if err := w.WriteHeader(h); err != nil || info.IsDir() {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}

// unpack puts a golden directory into the stage's.
func (s *stage) unpack(from string) {
	s.t.Helper()
	f, err := os.Open(from)
	s.must(err)
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	s.must(err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		s.must(err)
		path := filepath.Join(s.dir, filepath.Clean("/"+h.Name))
		if h.Typeflag == tar.TypeDir {
			s.must(os.MkdirAll(path, 0o700))
			continue
		}
		s.must(os.MkdirAll(filepath.Dir(path), 0o700))
		to, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, h.FileInfo().Mode().Perm())
		s.must(err)
		_, err = io.Copy(to, r)
		s.must(errors.Join(err, to.Close(), os.Chtimes(path, h.ModTime, h.ModTime)))
	}
}
