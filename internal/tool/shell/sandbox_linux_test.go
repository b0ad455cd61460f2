package shell

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func sandboxed(t *testing.T, opts Options) *bench {
	t.Helper()
	needBwrap(t)
	opts.Sandbox, opts.Marker = SandboxBwrap, "test"
	return newBench(t, opts)
}

func TestSandboxNetwork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	got := make(chan struct{}, 8)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			got <- struct{}{}
			_ = c.Close()
		}
	}()
	connect := fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d && echo connected", l.Addr().(*net.TCPAddr).Port)

	if out, r := sandboxed(t, Options{}).run(connect); !r.IsError || strings.Contains(out, "connected") || len(got) != 0 {
		t.Errorf("without network: %s", out)
	}
	if out, _ := sandboxed(t, Options{Network: true}).run(connect); out != "connected" {
		t.Errorf("with network: %s", out)
	}
	<-got
}

func TestSandboxHasItsOwnLoopback(t *testing.T) {
	out, _ := sandboxed(t, Options{}).run("cat /etc/hosts; ls /sys /etc/resolv.conf 2>/dev/null; tail -n +3 /proc/net/dev | cut -d: -f1")
	if out != strings.TrimSpace(localHosts)+"\n    lo" {
		t.Errorf("%q", out)
	}
}

func TestSandboxSystemIsReadOnly(t *testing.T) {
	b := sandboxed(t, Options{})
	for _, path := range []string{"/x", "/usr/x", "/etc/x", "/dev/x", "/run/x", "/bin/x", "/etc/passwd", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches"} {
		if out, r := b.run(": >> " + path); !r.IsError || !strings.Contains(out, "Read-only") && !strings.Contains(out, "denied") {
			t.Errorf("%s: %s", path, out)
		}
	}
	for _, path := range []string{"/tmp/x", "$HOME/x", "/dev/shm/x", "/var/tmp/x", "here"} {
		if out, r := b.run("echo 1 > " + path + " && cat " + path); r.IsError {
			t.Errorf("%s: %s", path, out)
		}
	}
	if out, _ := b.run("ls -A /tmp $HOME | grep -v " + strings.Split(b.ws.Dir, "/")[2]); strings.Contains(out, "x") {
		t.Errorf("private directories are not fresh: %s", out)
	}
}

func TestSandboxHasNoPower(t *testing.T) {
	b := sandboxed(t, Options{})
	out, _ := b.run("grep ^Cap /proc/self/status | tr -d '0\\t\\n'; unshare -U true 2>/dev/null || echo; cat /etc/shadow 2>&1 | head -1; ls /root /home /etc/ssl/private 2>&1 | grep -c 'No such'; grep NoNewPrivs /proc/self/status")
	if out != "CapInh:CapPrm:CapEff:CapBnd:CapAmb:\ncat: /etc/shadow: No such file or directory\n3\nNoNewPrivs:\t1" {
		t.Errorf("%s", out)
	}
	if out, _ := b.run("ls -d /proc/[0-9]* | wc -l"); out > "6" || len(out) > 1 {
		t.Errorf("it sees %s processes", out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSandboxHidesAndShares(t *testing.T) {
	needBwrap(t)
	base := t.TempDir()
	data, shared, link := filepath.Join(base, "around", "data"), filepath.Join(base, "shared"), filepath.Join(base, "link")
	write(t, filepath.Join(data, "secret"), "canary")
	write(t, filepath.Join(data, "sub", "secret"), "canary")
	write(t, filepath.Join(shared, "file"), "shared")
	write(t, filepath.Join(base, "around", "key"), "canary")
	write(t, filepath.Join(base, "other"), "canary")
	if err := os.Symlink(data, link); err != nil {
		t.Fatal(err)
	}
	opts := Options{
		Hide:  []string{link, "/no/such"},
		Share: []string{shared, link, data, filepath.Dir(data), filepath.Join(data, "sub"), "relative", "/missing", "/proc", "/"},
	}
	find := "cat " + shared + "/file; echo; grep -rs canary " + base + " / --exclude-dir=proc --exclude-dir=usr; echo over > " + shared + "/file"
	out, _ := sandboxed(t, opts).run(find)
	if lines := strings.Split(out, "\n"); lines[0] != "shared" || strings.Contains(out, "canary") || !strings.Contains(out, "Read-only") {
		t.Errorf("%s", out)
	}
}

// No command runs where it would see the server's data.
func TestSandboxRefusesTheDataAsWorkspace(t *testing.T) {
	needBwrap(t)
	base := t.TempDir()
	data, link := filepath.Join(base, "around", "data"), filepath.Join(base, "link")
	write(t, filepath.Join(data, "token"), "canary")
	for _, dir := range []string{"sub", "workspaces/s1", "workspaces-2"} {
		write(t, filepath.Join(data, dir, "token"), "canary")
	}
	if err := os.Symlink(data, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{data, link, base, filepath.Dir(data), filepath.Join(data, "sub"), filepath.Join(link, "workspaces"), filepath.Join(data, "workspaces-2")} {
		b := sandboxed(t, Options{Hide: []string{data}})
		b.ws = openWorkspace(t, dir)
		a, err := executeCommand{b.shell}.Prepare(t.Context(), b.call(map[string]any{"command": "grep -r canary ."}))
		if err != nil {
			t.Fatal(err)
		}
		if r, err := a.Run(t.Context(), newCapture()); err == nil {
			t.Errorf("it ran in %s: %+v", dir, r)
		}
	}
}

// A session's own workspace in the server's data is all that its commands see
// of the data.
func TestSandboxOwnWorkspaceInTheData(t *testing.T) {
	needBwrap(t)
	data := t.TempDir()
	own := filepath.Join(data, "workspaces", "s1")
	write(t, filepath.Join(data, "token"), "canary")
	write(t, filepath.Join(data, "workspaces", "s2", "file"), "canary")
	write(t, filepath.Join(own, "file"), "mine")
	b := sandboxed(t, Options{Hide: []string{data}, Share: []string{data, filepath.Join(data, "workspaces", "s2")}})
	b.ws = openWorkspace(t, own)
	out, _ := b.run("cat file; echo; ls -A .. " + data + "; grep -rs canary " + data + "; cat ../../token ../s2/file 2>&1 | grep -c 'No such'; echo more > made")
	if out != "mine\n..:\ns1\n\n"+data+":\nworkspaces\n2" {
		t.Errorf("%s", out)
	}
	if _, err := os.Stat(filepath.Join(own, "made")); err != nil {
		t.Error("it cannot work in its own workspace")
	}
}

// Data that lies among the system's programs is covered there.
func TestSandboxCoversTheSystem(t *testing.T) {
	b := sandboxed(t, Options{Hide: []string{"/usr/share", "/usr/bin/env"}})
	if out, _ := b.run("ls -A /usr/share | wc -l; head -c 4 /usr/bin/env 2>/dev/null | wc -c"); out != "0\n0" {
		t.Errorf("%s", out)
	}
}

func TestSandboxWorkspaceBehindALink(t *testing.T) {
	b := sandboxed(t, Options{})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(b.ws.Dir, link); err != nil {
		t.Fatal(err)
	}
	real := b.ws.Dir
	b.ws = openWorkspace(t, link)
	if out, _ := b.run("pwd; echo made > file"); !strings.HasPrefix(out, link) {
		t.Errorf("%s", out)
	}
	if got, err := os.ReadFile(filepath.Join(real, "file")); string(got) != "made\n" {
		t.Errorf("%q %v", got, err)
	}
}

// A command that runs beside another's start cannot lead that one out by
// putting links where .git was looked at: what was looked at is what is bound.
func TestSandboxBindsWhatWasLookedAt(t *testing.T) {
	b := sandboxed(t, Options{})
	if !bindsByFD() {
		t.Skip("this bwrap binds by name only")
	}
	outside := t.TempDir()
	write(t, filepath.Join(outside, "config"), "canary")
	for _, name := range []string{".git", ".git/hooks", ".git/config"} {
		dir := filepath.Join(b.ws.Dir, filepath.FromSlash(strings.ReplaceAll(name, "/", "-")))
		write(t, filepath.Join(dir, ".git", "config"), "mine")
		write(t, filepath.Join(dir, ".git", "hooks", "config"), "mine")
		pl := plan{
			argv: shellArgv("cat .git/config .git/hooks/config; cat " + name + "/config " + name), dir: dir, sandbox: SandboxBwrap,
			env: map[string]string{"PATH": "/usr/bin:/bin", callVariable: "test.swap"}, ws: openWorkspace(t, dir),
		}
		wantHeld(t, pl)
		l, err := pl.launchBwrap()
		if err != nil {
			t.Fatal(err)
		}
		target := outside
		if name == ".git/config" {
			target = filepath.Join(outside, "config")
		}
		path := filepath.Join(dir, name)
		if err := os.Rename(path, path+".aside"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		l.cmd.Stdout, l.cmd.Stderr = &out, &out
		err = b.shell.spawner.Start(l.cmd)
		if err == nil {
			l.begin()
			_ = l.cmd.Wait() // it may refuse to start, too
		}
		l.close()
		l.release()
		if err != nil || strings.Contains(out.String(), "canary") {
			t.Errorf("%s: %v: it reads outside: %s", name, err, out.String())
		}
	}
}

// wantHeld checks that all of the workspace is bound as opened, not by name. A
// swap between bwrap's two looks at a name is too short to be caught by running.
func wantHeld(t *testing.T, pl plan) {
	t.Helper()
	v, err := pl.view()
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	n := 0
	for _, m := range v.mounts {
		if !inside(m.dest, pl.dir) {
			continue
		}
		n++
		if m.file == nil {
			t.Errorf("%s is bound by name", m.dest)
			continue
		}
		held, err1 := m.file.Stat()
		named, err2 := os.Lstat(m.dest)
		if err1 != nil || err2 != nil || !os.SameFile(held, named) {
			t.Errorf("%s: another file is held", m.dest)
		}
	}
	if n != 4 {
		t.Errorf("%d mounts for workspace, repository, configuration and hooks", n)
	}
}

func TestSandboxHome(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	b := sandboxed(t, Options{Home: home})
	b.run("echo kept > ~/file")
	if out, _ := b.run("cat ~/file; echo $HOME"); out != "kept\n"+privateHome {
		t.Errorf("%s", out)
	}
}

// Git runs what its configuration names, outside and later.
func TestSandboxKeepsGitConfig(t *testing.T) {
	b := sandboxed(t, Options{})
	write(t, filepath.Join(b.ws.Dir, ".git", "config"), "[core]\n")
	write(t, filepath.Join(b.ws.Dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	for _, command := range []string{
		"echo evil >> .git/config", "echo evil > .git/hooks/pre-commit", "rm -rf .git/hooks", "mv .git aside", "rm .git/config",
		"echo x > n && mv n .git/config", "ln -sf /tmp .git/hooks/x", "chmod 777 .git/config",
	} {
		if out, r := b.run(command); !r.IsError {
			t.Errorf("%s worked: %s", command, out)
		}
	}
	if out, r := b.run("echo ref > .git/HEAD && mkdir -p .git/refs/heads && echo 1 > .git/refs/heads/x"); r.IsError {
		t.Errorf("the repository cannot be worked in: %s", out)
	}
	got, err := b.ws.Root.ReadFile(".git/config")
	if err != nil || string(got) != "[core]\n" {
		t.Errorf("%q %v", got, err)
	}

	t.Run("a link", func(t *testing.T) {
		b := sandboxed(t, Options{})
		outside := t.TempDir()
		write(t, filepath.Join(outside, "x"), "canary")
		write(t, filepath.Join(b.ws.Dir, ".git", "config"), "")
		if err := os.Symlink(outside, filepath.Join(b.ws.Dir, ".git", "hooks")); err != nil {
			t.Fatal(err)
		}
		a, err := executeCommand{b.shell}.Prepare(t.Context(), b.call(map[string]any{"command": "cat .git/hooks/x"}))
		if err != nil {
			t.Fatal(err)
		}
		if r, err := a.Run(t.Context(), newCapture()); err == nil {
			t.Errorf("it ran: %+v", r)
		}
	})
	t.Run("a work tree", func(t *testing.T) {
		b := sandboxed(t, Options{})
		write(t, filepath.Join(b.ws.Dir, ".git"), "gitdir: /elsewhere\n")
		if out, r := b.run("echo gitdir: evil > .git || mv .git aside"); !r.IsError {
			t.Errorf("%s", out)
		}
	})
}

// Nothing of the environment or of the layout is on a command line.
func TestSandboxShowsNoValuesInProcessLists(t *testing.T) {
	b := sandboxed(t, Options{Env: map[string]string{"TOKEN": "canary-7d1f"}})
	a, err := executeCommand{b.shell}.Prepare(t.Context(), b.call(map[string]any{"command": "echo ready; while ! test -e go; do sleep 0.01; done"}))
	if err != nil {
		t.Fatal(err)
	}
	out, ended := newCapture(), make(chan struct{})
	go func() { defer close(ended); _, _ = a.Run(t.Context(), out) }()
	<-out.wrote
	for _, pid := range pids() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if strings.Contains(string(line), "canary-7d1f") {
			t.Errorf("process %d: %q", pid, line)
		}
	}
	write(t, filepath.Join(b.ws.Dir, "go"), "")
	<-ended
}

func TestSandboxCostsLittle(t *testing.T) {
	b := sandboxed(t, Options{})
	b.run("true")
	start := time.Now()
	for range 5 {
		b.run("true")
	}
	t.Logf("%v for one command", time.Since(start)/5)
}
