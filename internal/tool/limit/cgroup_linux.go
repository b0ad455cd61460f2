package limit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew"
)

// cgroups divides a control group of the server's own:
//
//	server                  the server itself: a group with processes in it has no parts
//	commands/USER/CALL      each command
type cgroups struct {
	commands string // the directory
	held     Held

	mu sync.Mutex // no user's group is removed while a command is put into it
}

var controllers = []string{"memory", "pids", "cpu"}

// divide makes the parts of a control group, with the server in one of them.
func divide(dir string) (Groups, error) {
	own := filepath.Join(dir, serverGroup)
	if err := makeGroup(own); err != nil {
		return nil, err
	}
	if err := moveAll(dir, own); err != nil {
		return nil, fmt.Errorf("the server cannot move into a group of its own: %w", err)
	}
	return Below(dir)
}

// Below makes groups for commands in a control group that has no processes of its
// own.
func Below(dir string) (Groups, error) {
	g := &cgroups{commands: filepath.Join(dir, commandGroup)}
	if err := makeGroup(g.commands); err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, c := range controllers {
		has[c] = handDown(dir, c) == nil && handDown(g.commands, c) == nil
	}
	if g.held = (Held{Memory: has["memory"], Processes: has["pids"], CPU: has["cpu"]}); !g.held.Memory && !g.held.Processes {
		return nil, fmt.Errorf("the control group %s can limit neither memory nor processes (cgroup.controllers: %q)", dir, read(dir, "cgroup.controllers"))
	}
	g.tidy()
	return g, nil
}

// moveAll moves this process and what else is in a group, an init process of a
// container for instance.
func moveAll(from, to string) error {
	if err := put(to, "cgroup.procs", "0"); err != nil {
		return err
	}
	for range 10 { // until those are in that they started meanwhile
		list := processes(from)
		if len(list) == 0 {
			return nil
		}
		for _, pid := range list {
			if err := put(to, "cgroup.procs", strconv.Itoa(pid)); err != nil && !gone(err) {
				return err
			}
		}
	}
	return errors.New("other processes keep coming into it")
}

// handDown lets the parts of a group be limited by a controller.
func handDown(dir, controller string) error {
	return put(dir, "cgroup.subtree_control", "+"+controller)
}

// tidy removes what an earlier server left. Its processes are ended elsewhere.
func (g *cgroups) tidy() {
	for _, user := range below(g.commands) {
		for _, call := range below(user) {
			_ = os.Remove(call)
		}
		_ = os.Remove(user)
	}
}

func (g *cgroups) Held() Held { return g.held }

func (g *cgroups) New(s Share) (Group, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	user := filepath.Join(g.commands, userGroup(s.User))
	if err := makeGroup(user); err != nil {
		return nil, err
	}
	for _, c := range controllers {
		_ = handDown(user, c) // as far as there is one: see Held
	}
	dir := filepath.Join(user, s.Call)
	err := errors.Join(g.weigh(g.commands, s.Total), g.bound(user, s.Total), makeGroup(dir), g.bound(dir, s.Command))
	if err == nil && g.held.Memory {
		err = put(dir, "memory.oom.group", "1") // all of the command, not a part that the rest waits for
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(dir)
	}
	if err != nil {
		_, _ = os.Remove(dir), os.Remove(user)
		return nil, fmt.Errorf("the command's control group: %w", err)
	}
	return &cgroup{dir: dir, file: f, groups: g}, nil
}

// bound sets the limits of a group.
func (g *cgroups) bound(dir string, l Limits) error {
	var errs []error
	if g.held.Memory {
		errs = append(errs, put(dir, "memory.max", limitText(l.Memory)))
		if err := put(dir, "memory.swap.max", "0"); !errors.Is(err, fs.ErrNotExist) { // a kernel without swap
			errs = append(errs, err)
		}
	}
	if g.held.Processes {
		errs = append(errs, put(dir, "pids.max", limitText(int64(l.Processes))))
	}
	return errors.Join(append(errs, g.weigh(dir, l))...)
}

func (g *cgroups) weigh(dir string, l Limits) error {
	if !g.held.CPU || l.CPUWeight <= 0 {
		return nil
	}
	return put(dir, "cpu.weight", strconv.Itoa(l.CPUWeight))
}

func limitText(n int64) string {
	if n <= 0 {
		return "max"
	}
	return strconv.FormatInt(n, 10)
}

// userGroup names a user's group. People read these names, so a plain one stays.
func userGroup(user string) string {
	plain := user != "" && len(user) <= 64 && strings.Trim(strings.ToLower(user), "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
	if plain {
		return "user-" + user
	}
	sum := sha256.Sum256([]byte(user))
	return "user." + hex.EncodeToString(sum[:8])
}

// A cgroup is the control group of one command.
type cgroup struct {
	dir    string
	file   *os.File
	groups *cgroups
}

func (c *cgroup) Dir() *os.File      { return c.file }
func (c *cgroup) Join(pid int) error { return put(c.dir, "cgroup.procs", strconv.Itoa(pid)) }
func (c *cgroup) Processes() []int   { return processes(c.dir) }
func (c *cgroup) Kill()              { _ = put(c.dir, "cgroup.kill", "1") }

func (c *cgroup) Reached() clew.CommandLimit {
	switch {
	case count(c.dir, "memory.events", "oom_kill") > 0:
		return clew.LimitMemory
	case count(c.dir, "pids.events", "max") > 0:
		return clew.LimitProcesses
	}
	return ""
}

func (c *cgroup) Close(within time.Duration) bool {
	_ = c.file.Close()
	for pause, deadline := time.Millisecond, time.Now().Add(within); ; pause = min(2*pause, 50*time.Millisecond) {
		c.Kill()
		if c.remove() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		<-time.After(pause) // the kernel needs a moment
	}
}

// remove removes the group, and its user's if it was the last there. The kernel
// refuses while there are processes in it.
func (c *cgroup) remove() bool {
	c.groups.mu.Lock()
	defer c.groups.mu.Unlock()
	if err := os.Remove(c.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_ = os.Remove(filepath.Dir(c.dir))
	return true
}

// Opened is the group of an open directory, for a process that did not make it.
func Opened(dir *os.File) Group { return &cgroup{dir: dir.Name(), file: dir, groups: &cgroups{}} }
