package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/clew-run/clew/internal/tool/limit"
)

// Descriptors that bwrap finds open.
const (
	argsFD  = 3 // its arguments: what is set for a command shows in no process list
	hostsFD = 4 // the text of /etc/hosts
	infoFD  = 5 // where it names the sandbox's first process
	gateFD  = 6 // it waits here before it runs the command
	callsFD = 7 // the filter of system calls
	bindFD  = 8 // and from here what is bound by descriptor
)

const localHosts = "127.0.0.1 localhost\n::1 localhost\n"

// launchBwrap makes the command that enters the sandbox and then runs the plan.
func (p plan) launchBwrap() (*launch, error) {
	v, err := p.view()
	if err != nil {
		return nil, err
	}
	args, binds := bwrapArgs(p, v)
	l := &launch{files: binds}
	extra, err := l.open(strings.Join(args, "\x00") + "\x00")
	if err != nil {
		l.close()
		l.release()
		return nil, err
	}
	l.cmd = &exec.Cmd{
		Path:       bwrapPath(),
		Args:       append([]string{"bwrap", "--args", fmt.Sprint(argsFD), "--"}, p.argv...),
		Dir:        "/",
		Env:        []string{callVariable + "=" + p.env[callVariable]},
		ExtraFiles: append(extra, binds...),
		SysProcAttr: &syscall.SysProcAttr{
			Setsid: true,
			// bwrap asks for the same later; this covers the time before.
			Pdeathsig: syscall.SIGKILL,
		},
	}
	return l, nil
}

// open makes the files of argsFD to callsFD.
func (l *launch) open(args string) ([]*os.File, error) {
	extra := make([]*os.File, bindFD-argsFD)
	at := func(fd int) **os.File { return &extra[fd-argsFD] }
	var err1, err2 error
	l.info, *at(infoFD), err1 = os.Pipe()
	*at(gateFD), l.gate, err2 = os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	l.files = append(l.files, *at(infoFD), *at(gateFD))
	for fd, text := range map[int]string{argsFD: args, hostsFD: localHosts, callsFD: limit.Filter()} {
		f, err := textFile(text)
		if err != nil {
			return nil, err
		}
		l.files = append(l.files, f)
		*at(fd) = f
	}
	return extra, nil
}

func bwrapArgs(p plan, v view) (args []string, binds []*os.File) {
	add := func(a ...string) { args = append(args, a...) }
	add("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
	if !p.opts.Network {
		add("--unshare-net")
	}
	if os.Getuid() == 0 {
		// Files that it makes are still root's outside. Inside, programs do not
		// take themselves for root, whose rights they lack.
		add("--uid", "65534", "--gid", "65534")
	}
	add("--hostname", "clew", "--disable-userns", "--cap-drop", "ALL", "--new-session", "--die-with-parent", "--info-fd", fmt.Sprint(infoFD), "--block-fd", fmt.Sprint(gateFD), "--clearenv")
	if limit.Filter() != "" {
		add("--seccomp", fmt.Sprint(callsFD))
	}
	for _, kv := range environ(p.env) {
		k, val, _ := strings.Cut(kv, "=")
		add("--setenv", k, val)
	}
	add(systemMounts(p.opts.Network)...)
	for _, m := range v.mounts {
		if m.file != nil {
			add(m.kind+"-fd", fmt.Sprint(bindFD+len(binds)), m.dest)
			binds = append(binds, m.file)
			continue
		}
		add(m.args()...)
	}
	add("--remount-ro", "/", "--chdir", p.dir)
	return args, binds
}

// systemDirs hold the programs of the system, and are shown whole.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// systemMounts shows what programs need of the system, and nothing that is
// anybody's own.
func systemMounts(network bool) []string {
	var args []string
	for _, dir := range systemDirs {
		if target, err := os.Readlink(dir); err == nil {
			args = append(args, "--symlink", target, dir)
		} else {
			args = append(args, "--ro-bind-try", dir, dir)
		}
	}
	etc := []string{
		"passwd", "group", "nsswitch.conf", "alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d",
		"localtime", "timezone", "os-release", "mime.types", "terminfo", "services", "protocols", "fonts",
		// Not the whole of ssl and pki: private keys are in there.
		"ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/ca-trust", "pki/tls/certs", "pki/tls/cert.pem",
	}
	// Debian keeps the configuration of Maven and of each Java there.
	etc = append(etc, "maven")
	if java, err := filepath.Glob("/etc/java-*"); err == nil {
		for _, dir := range java {
			etc = append(etc, filepath.Base(dir))
		}
	}
	if network {
		etc = append(etc, "resolv.conf", "hosts", "host.conf", "gai.conf")
	} else {
		args = append(args, "--ro-bind-data", fmt.Sprint(hostsFD), "/etc/hosts")
	}
	for _, name := range etc {
		args = append(args, "--ro-bind-try", "/etc/"+name, "/etc/"+name)
	}
	args = append(args,
		"--proc", "/proc",
		// The kernel lets root's user write here even without any capability,
		// and core_pattern is a way out. bwrap's own cover does not reach it.
		"--ro-bind", "/proc/sys", "/proc/sys",
		"--dev", "/dev", "--remount-ro", "/dev", "--size", "268435456", "--tmpfs", "/dev/shm",
		"--perms", "1777", "--size", "2147483648", "--tmpfs", "/tmp", "--symlink", "/tmp", "/var/tmp")
	if _, err := os.Stat("/proc/sysrq-trigger"); err == nil {
		args = append(args, "--ro-bind", "/proc/sysrq-trigger", "/proc/sysrq-trigger")
	}
	return args
}

// textFile gives an open file with a text in it and no name.
func textFile(text string) (*os.File, error) {
	f, err := memoryFile()
	if err != nil {
		return nil, err
	}
	if _, err = f.WriteString(text); err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

var bwrapPath = sync.OnceValue(func() string {
	for _, path := range []string{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return ""
	}
	return path
})

// bindsByFD reports whether bwrap can bind an open directory. Without it a
// directory is bound by name, and names can be swapped meanwhile.
var bindsByFD = sync.OnceValue(func() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	help, err := exec.CommandContext(ctx, bwrapPath(), "--help").CombinedOutput()
	return err == nil && strings.Contains(string(help), "--ro-bind-fd")
})

var probe = sync.OnceValues(func() (kind, reason string) {
	if bwrapPath() == "" {
		return SandboxNone, "bubblewrap (bwrap) is not installed"
	}
	if err := probeBwrap(); err != nil {
		return SandboxNone, "bubblewrap (bwrap) does not work here: " + err.Error()
	}
	return SandboxBwrap, bwrapPath() + " works"
})

// Probe finds out, once, which sandbox there is: bwrap or none, and why.
func Probe() (kind, reason string) { return probe() }

// probeBwrap enters the sandbox as a command would.
func probeBwrap() error {
	p := plan{argv: shellArgv("exit 0"), dir: "/", sandbox: SandboxBwrap, env: map[string]string{callVariable: "probe"}}
	l, err := p.launchBwrap()
	if err != nil {
		return err
	}
	defer func() { l.close(); l.release() }()
	var out strings.Builder
	l.cmd.Stdout, l.cmd.Stderr = &out, &out
	runtime.LockOSThread() // see spawner
	defer runtime.UnlockOSThread()
	if err := l.cmd.Start(); err != nil {
		return err
	}
	l.begin()
	t := time.AfterFunc(10*time.Second, func() { _ = l.cmd.Process.Kill() })
	defer t.Stop()
	if err := l.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(Clean([]byte(out.String()))))
	}
	return nil
}
