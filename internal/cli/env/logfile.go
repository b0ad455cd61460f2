package env

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
)

// The log of a server in the background is kept in files of at most so many bytes, of
// which so many old ones stay.
const (
	logBytes = 10 << 20
	logsKept = 3
)

// LogFile is where a server in the background writes its log.
func LogFile(dir string) string { return filepath.Join(dir, "log", "server.log") }

// A Log is a file that begins anew when it has grown too large. It is safe for
// concurrent use.
type Log struct {
	name string
	most int64

	mu   sync.Mutex
	file *os.File
	size int64
}

// OpenLogFile opens a log to add to it. Nobody else may read it.
func OpenLogFile(name string) (*Log, error) {
	l := &Log{name: name, most: logBytes}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	return l, l.open()
}

func (l *Log) open() error {
	f, err := os.OpenFile(l.name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return err
	}
	l.file, l.size = f, info.Size()
	return nil
}

// TakeCrashes has the last words of a crash of this process written here, too: what it
// was started with may be an old file by then.
func (l *Log) TakeCrashes() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return debug.SetCrashOutput(l.file, debug.CrashOptions{})
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > 0 && l.size+int64(len(p)) > l.most {
		if err := l.rotate(); err != nil {
			return 0, err
		}
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

// rotate puts the file away as .1, the one before as .2, and so on.
func (l *Log) rotate() error {
	for i := logsKept - 1; i > 0; i-- {
		_ = os.Rename(fmt.Sprintf("%s.%d", l.name, i), fmt.Sprintf("%s.%d", l.name, i+1)) // there may be none yet
	}
	if err := os.Rename(l.name, l.name+".1"); err != nil {
		return err
	}
	old := l.file
	if err := l.open(); err != nil {
		return err
	}
	_ = debug.SetCrashOutput(l.file, debug.CrashOptions{})
	return old.Close()
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}
