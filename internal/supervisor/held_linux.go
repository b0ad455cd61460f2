package supervisor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/tool/shell"
)

// answerLimit is how long a supervisor may take to answer, on a busy machine.
const answerLimit = 10 * time.Second

// heldWithin is how long the locks of a server may outlive it: a program that it was just
// starting has them, too, until it is loaded.
const heldWithin = time.Second

// A Held is a program that this server holds. It is safe for concurrent use. One
// goroutine reads what the supervisor says; it sets ended and then closes done.
type Held struct {
	dir          string
	server, lock *os.File
	state        state
	conn         net.Conn // to the supervisor; nil if the program had ended when it was found
	pidfd        int      // of the supervisor

	orders    sync.Mutex // one order at a time
	answers   chan string
	releasing chan struct{} // closed by Release
	read      chan struct{} // closed when the goroutine is gone
	once      sync.Once
	done      chan struct{}
	ended     Ended
}

// hold takes the locks of a server. Its program may run or not.
func hold(dir string) (*Held, error) {
	h := &Held{dir: dir, pidfd: -1, answers: make(chan string, 1), releasing: make(chan struct{}), read: make(chan struct{}), done: make(chan struct{})}
	var err error
	for late := time.Now().Add(heldWithin); ; time.Sleep(5 * time.Millisecond) {
		if h.server, err = lockFile(dir, "server", unix.LOCK_EX|unix.LOCK_NB); err == nil {
			break
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, err
		}
		if time.Now().After(late) {
			return nil, ErrHeld
		}
	}
	// A supervisor has this lock for a moment only, so it is waited for.
	if h.lock, err = lockFile(dir, "lock", unix.LOCK_SH); err != nil {
		_ = h.server.Close()
		return nil, err
	}
	return h, nil
}

// join takes a connection to the supervisor over.
func (h *Held) join(conn net.Conn) error {
	lines := bufio.NewReader(conn)
	_ = conn.SetDeadline(time.Now().Add(answerLimit))
	line, err := lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &h.state)
	}
	if err == nil {
		_, err = conn.Write([]byte("hold\n"))
	}
	if err == nil {
		line, err = lines.ReadBytes('\n')
	}
	if err == nil && string(line) != "ok\n" {
		err = fmt.Errorf("the supervisor says %q", line)
	}
	if err == nil {
		h.pidfd, err = unix.PidfdOpen(h.state.Supervisor, 0)
	}
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	_ = conn.SetDeadline(time.Time{})
	h.conn = conn
	go h.listen(lines)
	return nil
}

// listen hands answers on until the supervisor is gone, which it is when the program is.
func (h *Held) listen(lines *bufio.Reader) {
	defer close(h.read)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		select {
		case h.answers <- line:
		default: // nobody waits for it any more
		}
	}
	select {
	case <-h.releasing:
	default:
		awaitEnd(h.pidfd)
		h.conclude()
	}
}

// conclude finds out how the program ended. The supervisor is gone.
func (h *Held) conclude() {
	ended, err := readEnded(h.dir)
	if err != nil {
		// Its program dies with it, by the kernel's hand; what the program left behind
		// does not.
		shell.EndMarked(Mark(h.dir))
		ended = Ended{Why: WhyLost, At: time.Now().UTC()}
		_ = writeJSON(filepath.Join(h.dir, "ended.json"), ended)
	}
	h.ended = ended
	close(h.done)
}

// Dir is the program's directory.
func (h *Held) Dir() string { return h.dir }

// Done is closed when the program has ended, with all that it started. It stays open
// if the program is released before.
func (h *Held) Done() <-chan struct{} { return h.done }

// Ended says how the program ended. It is false while the program runs.
func (h *Held) Ended() (Ended, bool) {
	select {
	case <-h.done:
		return h.ended, true
	default:
		return Ended{}, false
	}
}

// Signal sends a signal to the program: to its first process, inside of the sandbox.
func (h *Held) Signal(sig syscall.Signal) error { return h.order(fmt.Sprintf("signal %d\n", sig)) }

// Kill ends the program at once, with all that it started. Done says when it is gone.
func (h *Held) Kill() error { return h.order("kill\n") }

// order sends a line to the supervisor and waits for its answer.
func (h *Held) order(line string) error {
	h.orders.Lock()
	defer h.orders.Unlock()
	if _, ended := h.Ended(); ended || h.conn == nil {
		return ErrEnded
	}
	select {
	case <-h.answers: // of an order that nobody waits for any more
	default:
	}
	_ = h.conn.SetWriteDeadline(time.Now().Add(answerLimit))
	if _, err := h.conn.Write([]byte(line)); err != nil {
		return ErrEnded
	}
	t := time.NewTimer(answerLimit)
	defer t.Stop()
	select {
	case answer := <-h.answers:
		return understood(answer)
	case <-h.read:
	case <-t.C:
		return errors.New("the supervisor does not answer")
	}
	select {
	case answer := <-h.answers: // its last word
		return understood(answer)
	default:
		return ErrEnded
	}
}

func understood(answer string) error {
	if answer != "ok\n" {
		return fmt.Errorf("the supervisor says %q", answer)
	}
	return nil
}

// Release lets go of the program, which goes on: another server may find it. It is
// called once at least, also of a program that has ended.
func (h *Held) Release() {
	h.once.Do(func() {
		close(h.releasing)
		if h.conn != nil {
			_ = h.conn.Close()
			<-h.read
			_ = unix.Close(h.pidfd)
		}
		_, _ = h.lock.Close(), h.server.Close()
	})
}

// Forget removes the directory of a program that has ended, and releases it.
func (h *Held) Forget() error {
	if _, ended := h.Ended(); !ended {
		return ErrRunning
	}
	err := os.RemoveAll(h.dir)
	h.Release()
	return err
}

// awaitEnd waits until a process is gone, and reaps it if it is a child of ours.
func awaitEnd(pidfd int) {
	for range 2 {
		for deadline := time.Now().Add(answerLimit); ; {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, int(time.Until(deadline).Milliseconds())+1)
			if n > 0 {
				_ = unix.Waitid(unix.P_PIDFD, pidfd, nil, unix.WEXITED|unix.WNOHANG, nil)
				return
			}
			if err != nil && !errors.Is(err, unix.EINTR) || time.Now().After(deadline) {
				break
			}
		}
		// It let go of the connection and hangs.
		_ = unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0)
	}
}
