package env

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// The files of a server in the background, in its data directory.
const (
	startLock = "start.lock" // held by whoever starts one
	storeLock = "lock"       // held by a server for as long as it uses the store
)

// How long a start may take, and how often is looked.
const (
	startWithin = 30 * time.Second
	startLook   = 20 * time.Millisecond
)

// Background is the flag that a server in the background is started with.
const Background = "background"

// mayStart says whether a command may start a server by itself, and if not, what a
// person who wonders should read.
func (a *App) mayStart(r Remote) (why string, ok bool) {
	switch {
	case a.Program == "" || r.Running || !r.Start && !a.hadServer(r):
		return "", false
	case isOff(a.Getenv(EnvPrefix + "AUTOSTART")):
		return "CLEW_AUTOSTART is off", false
	case a.Getenv(EnvPrefix+"SOCKET") == "off":
		return "CLEW_SOCKET is off", false
	case r.Data == "" && a.Getenv(EnvPrefix+"DATA") == "" && foreignRoot(a.Getenv("SUDO_USER"), a.Getenv("HOME")):
		return "as root a server is started only in a data directory that is named: --data or CLEW_DATA", false
	case a.InCI() && !r.Own:
		return "CI is set, where only clew run starts a server, for itself", false
	}
	return "", true
}

// hadServer reports whether a server was started in the background before: who comes
// back after it left for want of work finds their sessions. One of a service is
// somebody else's to start.
func (a *App) hadServer(r Remote) bool {
	dir, err := a.dataDir(r)
	if err != nil {
		return false
	}
	_, err = os.Stat(LogFile(dir))
	return err == nil
}

// MayStart reports whether a command may start a server by itself.
func (a *App) MayStart(r Remote) bool {
	_, ok := a.mayStart(r)
	return ok
}

// MayHaveModel reports whether a server that is started now can have a model: a key in
// the environment, settings, a store of an earlier one, or a model server on this
// machine. If not, there is no point in starting one.
func (a *App) MayHaveModel(ctx context.Context, r Remote) bool {
	for _, kv := range a.Environ {
		name, value, _ := strings.Cut(kv, "=")
		own := strings.HasPrefix(name, EnvPrefix+"SET_MODEL") || slices.Contains([]string{EnvPrefix + "SETTINGS", EnvPrefix + "CONFIG"}, name)
		if value != "" && (own || slices.Contains(ModelVariables(), name)) {
			return true
		}
	}
	if dir, err := a.dataDir(r); err == nil {
		if _, err := os.Stat(filepath.Join(dir, storeLock)); err == nil {
			return true
		}
	}
	return CloudModels(a.Environ) || LocalModels(ctx, a.Environ)
}

// isOff reads a variable that switches something off.
func isOff(value string) bool {
	return slices.Contains([]string{"0", "off", "false", "no"}, strings.ToLower(value))
}

// InCI reports whether this is an automatic build: nothing is to be left behind there.
func (a *App) InCI() bool { return a.Getenv("CI") != "" && !isOff(a.Getenv("CI")) }

// autostart starts a server for a command that needs one, unless another one was
// faster.
func (a *App) autostart(ctx context.Context, r Remote) (address, socket string, err error) {
	dir, err := a.dataDir(r)
	if err != nil {
		return "", "", err
	}
	s, err := a.StartServer(ctx, dir, nil)
	if err != nil {
		return "", "", err
	}
	if s.Started {
		a.tell(s.tell(a.InCI(), r))
	}
	if s.Started && a.InCI() {
		a.owned = &s
	}
	return s.Ack.URL, s.Socket, nil
}

// tell says something about the server to a person.
func (a *App) tell(text string) {
	switch {
	case a.JSON:
	case a.Told != nil:
		a.Told(text)
	default:
		_, _ = fmt.Fprintln(a.Err, text)
	}
}

// tellVersion says, once, that the running server is another program than this one: what
// one of them has, the other may lack.
func (a *App) tellVersion(server string, r Remote) {
	own := BuildInfo().Version
	if server == own || r.Quiet || a.versionTold {
		return
	}
	a.versionTold = true
	runs := "clew " + Plain(server)
	if server == "" {
		runs = "an older clew"
	}
	a.tell(fmt.Sprintf("The running server is %s, and this is clew %s. Restart it: %s", runs, own, Remote{Data: r.Data}.Line("serve", "restart")))
}

// A StartedServer is one in the background.
type StartedServer struct {
	Ack      clew.AckData
	Dir      string // its data directory
	Socket   string
	Started  bool          // by this command
	IdleExit time.Duration // after which it ends by itself, 0 if it stays
}

func (s StartedServer) tell(own bool, r Remote) string {
	text := fmt.Sprintf("Started clew in the background (pid %d, %s). ", s.Ack.PID, s.Ack.URL)
	stop := Remote{Data: r.Data}.Line("serve", "stop")
	switch {
	case own:
		return text + "CI is set: it stops with this command."
	case s.IdleExit == 0:
		return text + "Stop it: " + stop
	}
	return text + fmt.Sprintf("It stops by itself after %s without work; stop it now: %s", Minutes(s.IdleExit), stop)
}

// Tell says what was started, and how it ends.
func (s StartedServer) Tell(r Remote) string { return s.tell(false, r) }

// Minutes writes a time as people say it.
func Minutes(d time.Duration) string {
	if d%time.Minute == 0 && d > time.Minute {
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return d.String()
}

// StartServer starts a server in the background, with further flags, and waits until
// it answers. Any number of programs may do so at once: one starts it, the others use
// it. A socket file that nobody answers is no server; the new one replaces it.
func (a *App) StartServer(ctx context.Context, dir string, flags []string) (s StartedServer, err error) {
	if a.Program == "" {
		return s, errors.New("this program has no name by which it could start a server in the background: run clew serve")
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return s, err
	}
	cfg, err := a.LoadConfig("", map[string]any{"data": dir})
	if err != nil {
		return s, err
	}
	s = StartedServer{Dir: dir, Socket: FirstOf(cfg.Socket, filepath.Join(dir, client.LocalSocket)), IdleExit: cfg.IdleExit}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return s, err
	}
	unlock, err := lockFile(ctx, filepath.Join(dir, startLock), startWithin)
	if err != nil {
		return s, fmt.Errorf("another program starts a server in %s and does not end: %w", dir, err)
	}
	defer unlock() // the kernel lets go of it if we are killed
	if s.Ack, err = client.FindLocal(ctx, s.Socket); err == nil {
		return s, nil
	}
	// One that is about to leave is waited for.
	if free, err := lockFile(ctx, filepath.Join(dir, storeLock), startWithin); err == nil {
		free()
	} else {
		return s, clew.Errorf(clew.ConnectionFailed, "a server uses %s and cannot be reached: it has no local socket, or does not end. Name it with --server, or stop it", dir).Advised()
	}
	s.Started = true
	s.Ack, err = a.spawn(ctx, s, flags)
	return s, err
}

// spawn starts the program and waits for its first word.
func (a *App) spawn(ctx context.Context, s StartedServer, flags []string) (clew.AckData, error) {
	log, err := OpenLogFile(LogFile(s.Dir))
	if err != nil {
		return clew.AckData{}, err
	}
	defer func() { _ = log.Close() }()
	begin := log.size // what was there before is another server's
	cmd := exec.Command(a.Program, append([]string{"serve", "--" + Background, "--data", s.Dir}, flags...)...)
	cmd.Dir = "/" // no directory of the person is kept busy
	cmd.Env = a.backgroundEnviron()
	cmd.Stdout, cmd.Stderr = log.file, log.file
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		return clew.AckData{}, err
	}
	died := make(chan error, 1)
	go func() { died <- cmd.Wait() }() // ends with the server, or with us
	for limit := time.After(startWithin); ; {
		if ack, err := client.FindLocal(ctx, s.Socket); err == nil && ack.PID == cmd.Process.Pid {
			return ack, nil
		}
		select {
		case err := <-died:
			return clew.AckData{}, notStarted(fmt.Sprintf("it ended at once (%v)", err), log.name, begin)
		case <-limit:
			return clew.AckData{}, notStarted(fmt.Sprintf("it did not answer within %s (pid %d)", startWithin, cmd.Process.Pid), log.name, begin)
		case <-ctx.Done():
			return clew.AckData{}, ctx.Err()
		case <-time.After(startLook):
		}
	}
}

// linesTold is how much of the log a person reads if a server does not start.
const linesTold = 5

func notStarted(why, log string, begin int64) error {
	text := "the server could not be started in the background: " + why
	for _, line := range LastLines(log, begin, linesTold) {
		text += "\n  " + Plain(line)
	}
	return clew.Errorf(clew.ConnectionFailed, "%s\n  The log is %s", text, log).Advised()
}

// LastLines gives the last lines of a file, of what is behind an offset.
func LastLines(name string, from int64, most int) []string {
	const enough = 1 << 20
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	end, err := f.Seek(0, 2)
	if err != nil {
		return nil
	}
	from = max(from, end-enough)
	b := make([]byte, max(end-from, 0))
	n, err := f.ReadAt(b, from)
	if err != nil && n == 0 {
		return nil
	}
	lines := strings.Split(string(bytes.TrimRight(b[:n], "\n")), "\n")
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines[max(0, len(lines)-most):]
}

// backgroundNames are the variables that a server in the background has from the
// terminal, beside clew's own and those with keys of model providers: the terminal may
// hold secrets that are none of its business.
var backgroundNames = []string{
	"HOME", "PATH", "LANG", "TZ", "USER", "LOGNAME", "SHELL", "TMPDIR", "DBUS_SESSION_BUS_ADDRESS",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
}

// notForServer are clew's variables that are for commands alone.
var notForServer = []string{EnvPrefix + "SERVER", EnvPrefix + "TOKEN", EnvPrefix + "DATA", EnvPrefix + "AUTOSTART"}

// backgroundEnviron is the environment of a server in the background. Paths hold in
// its own directory, too.
func (a *App) backgroundEnviron() []string {
	keys := slices.Concat(ModelVariables(), CloudVariables(a.Environ))
	var list []string
	for _, kv := range a.Environ {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case slices.Contains(notForServer, name):
			continue
		case slices.Contains(backgroundNames, name), slices.Contains(keys, name), strings.HasPrefix(name, EnvPrefix), strings.HasPrefix(name, "LC_"), strings.HasPrefix(name, "XDG_"):
		default:
			continue
		}
		if slices.Contains([]string{EnvPrefix + "CONFIG", EnvPrefix + "SETTINGS", EnvPrefix + "SOCKET"}, name) && value != "" && value != "off" {
			if abs, err := filepath.Abs(value); err == nil {
				kv = name + "=" + abs
			}
		}
		list = append(list, kv)
	}
	return list
}

// Release ends the server that this command started for itself, if it did.
func (a *App) Release(ctx context.Context) {
	if s := a.owned; s != nil {
		a.owned = nil
		if err := StopServer(ctx, s.Dir, s.Ack.PID); err != nil {
			_, _ = fmt.Fprintf(a.Err, "! The server that this command started (pid %d) did not stop: %v\n", s.Ack.PID, err)
		}
	}
}

// stopWithin is how long a server may take to stop.
const stopWithin = 30 * time.Second

// errStillStops says that a server did not end in time.
var errStillStops = errors.New("it still stops")

// StopServer asks a server to end, and waits until it has let go of its data.
func StopServer(ctx context.Context, dir string, pid int) error {
	if err := terminate(pid); err != nil {
		return err
	}
	free, err := lockFile(ctx, filepath.Join(dir, storeLock), stopWithin)
	if err != nil {
		return errStillStops
	}
	free()
	return nil
}
