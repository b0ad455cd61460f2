package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/supervisor"
)

// ID is the id that it was started with.
func (k *Kernel) ID() string { return k.about.ID }

// Name is the name of its Spec.
func (k *Kernel) Name() string { return k.about.Name }

// Sandbox is what holds it: bwrap or none.
func (k *Kernel) Sandbox() string { return k.about.Sandbox }

// ConnectionFile is the path of the server's copy of its connection file. The other one is
// the kernel's to change: who follows it joins whatever kernel a cell names there.
func (k *Kernel) ConnectionFile() string { return connectionFile(k.held.Dir()) }

// NoteAnswer notes that the answer to a question is about to be given to the kernel, so
// that no later server gives it again.
func (k *Kernel) NoteAnswer(question string) error {
	return os.WriteFile(answeredFile(k.held.Dir()), []byte(question), 0o600)
}

// Answered says whether NoteAnswer was called last for a question.
func (k *Kernel) Answered(question string) bool {
	b, err := os.ReadFile(answeredFile(k.held.Dir()))
	return err == nil && string(b) == question
}

// Recording is the file of what it published, as kernel.OpenRecording reads it. A kernel of
// an earlier version has none.
func (k *Kernel) Recording() string { return recordingFile(k.held.Dir()) }

// Signals reports whether it is interrupted by Interrupt, and not by a message.
func (k *Kernel) Signals() bool { return k.about.Interrupt == InterruptSignal }

// Interrupt sends SIGINT to the kernel's own process.
func (k *Kernel) Interrupt() error { return k.held.Signal(syscall.SIGINT) }

// Kill ends it at once with all that it started. Done says when it is gone.
func (k *Kernel) Kill() error { return k.held.Kill() }

// Done is closed when the kernel and all that it started are gone.
func (k *Kernel) Done() <-chan struct{} { return k.held.Done() }

// Ended says how it ended. It is false while the kernel runs.
func (k *Kernel) Ended() (supervisor.Ended, bool) { return k.held.Ended() }

// Release lets go of it, as a server does that stops; the kernel goes on.
func (k *Kernel) Release() { k.held.Release() }

// Forget removes what is left of a kernel that has ended.
func (k *Kernel) Forget() error { return k.held.Forget() }

// How says in a few words how a kernel ended.
func How(e supervisor.Ended) string {
	var how string
	switch {
	case e.Why == supervisor.WhyLost:
		return "nobody saw how"
	case e.Reached == clew.LimitMemory:
		how = "it reached its memory limit (kernel_memory_mb)"
	case e.Reached == clew.LimitProcesses:
		how = "it reached its limit of processes (command_processes)"
	case e.Why == supervisor.WhyOrphan:
		return "no server was there for too long (supervisor_orphan_sec)"
	case e.Why == supervisor.WhyKilled:
		return "it was ended"
	case e.Signal != "":
		how = "signal " + e.Signal
	default:
		how = fmt.Sprintf("exit code %d", e.Code)
	}
	if last := lastLine(e.Stderr); last != "" {
		how += ": " + last
	}
	return how
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if r := []rune(last); len(r) > 200 {
		last = string(r[:200]) + " …"
	}
	return last
}

// The parts of a kernel's directory.
func socketDir(dir string) string      { return filepath.Join(dir, "k") }
func connectionFile(dir string) string { return filepath.Join(dir, "connection.json") }
func aboutFile(dir string) string      { return filepath.Join(dir, "kernel.json") }
func recordingFile(dir string) string  { return filepath.Join(dir, "published") }
func answeredFile(dir string) string   { return filepath.Join(dir, "answered") }

// socketStart begins the paths of the kernel's sockets.
func socketStart(dir string) string { return filepath.Join(socketDir(dir), "s") }

// shownConnectionFile is the one that the kernel reads.
func shownConnectionFile(dir string) string { return filepath.Join(socketDir(dir), "connection.json") }
