// Package deploy holds the tests of what a release is made of.
package deploy

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// program stands for clew: it says what it was asked, and writes pages.
const program = `#!/bin/sh
case $1 in
man) mkdir -p "$2" && echo .TH >"$2/clew.1" ;;
completion) echo "complete for $2" ;;
*) echo "clew $*" ;;
esac
`

func needs(t *testing.T, tools ...string) {
	t.Helper()
	for _, name := range tools {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s here", name)
		}
	}
}

// The Debian package has everything in its place, and the same bytes each time,
// whoever makes it.
func TestDebianPackage(t *testing.T) {
	var sums []string
	for _, umask := range []string{"022", "077"} {
		out := makePackage(t, umask)
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, fmt.Sprintf("%x", sha256.Sum256(b)))
		has(t, "dpkg-deb", []string{"-c", out}, "-rwxr-xr-x root/root", "./usr/bin/clew", "./usr/share/man/man1/clew.1.gz", "2023-11-14")
		has(t, "dpkg-deb", []string{"-I", out}, "Version: 1.2.3~rc.1", "conffiles", "postinst", "prerm", "postrm")
	}
	if sums[0] != sums[1] {
		t.Error("two packages of the same program differ")
	}
}

// The package that goreleaser makes for a release has the same files in it as the
// one that people make by make deb, and needs the same packages.
func TestBothPackagesAreTheSame(t *testing.T) {
	out := makePackage(t, "022")
	data, err := os.ReadFile("../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		NFPMs []struct {
			Overrides struct {
				Deb struct{ Dependencies, Recommends, Suggests []string }
			}
			Contents []struct{ Src, Dst, Packager string }
		}
	}
	if err := yaml.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	released := config.NFPMs[0].Overrides.Deb
	has(t, "dpkg-deb", []string{"-I", out},
		"Depends: "+strings.Join(released.Dependencies, ", ")+"\n",
		"Recommends: "+strings.Join(released.Recommends, ", ")+"\n",
		"Suggests: "+strings.Join(released.Suggests, ", ")+"\n")
	want := []string{"./usr/bin/clew"} // which it has without being told
	for _, c := range config.NFPMs[0].Contents {
		if c.Packager != "" && c.Packager != "deb" {
			continue
		}
		if strings.HasSuffix(c.Dst, "/man1/") {
			c.Dst += "clew.1.gz"
		}
		want = append(want, "."+c.Dst)
	}
	list, err := exec.Command("dpkg-deb", "-c", out).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(list)) {
		if fields := strings.Fields(line); fields[0][0] == '-' {
			got = append(got, fields[len(fields)-1])
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("make deb has\n%s\ngoreleaser has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// makePackage makes a Debian package as somebody with these rights for new files.
func makePackage(t *testing.T, umask string) string {
	t.Helper()
	needs(t, "bash", "dpkg-deb", "gzip", "go")
	out := filepath.Join(t.TempDir(), "x.deb")
	cmd := exec.Command("bash", "-c", "umask "+umask+` && exec ../tools/package "$@"`, "-", "deb", fakeProgram(t), "v1.2.3-rc.1", "amd64", out)
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return out
}

func fakeProgram(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "clew")
	if err := os.WriteFile(name, []byte(program), 0o755); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return name
}

func has(t *testing.T, name string, args []string, want ...string) {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	for _, w := range want {
		if !strings.Contains(string(out), w) {
			t.Errorf("no %q in:\n%s", w, out)
		}
	}
}

// systemd understands every line of the unit.
func TestUnit(t *testing.T) {
	needs(t, "systemd-analyze")
	unit, err := os.ReadFile("systemd/clew.service")
	if err != nil {
		t.Fatal(err)
	}
	// The program, its user and its page are not installed here.
	text := strings.NewReplacer("/usr/bin/clew serve", "/bin/true", "User=clew\nGroup=clew\n", "", " man:clew(1)", "").Replace(string(unit))
	name := filepath.Join(t.TempDir(), "clew.service")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("systemd-analyze", "verify", "--man=no", name).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "clew.service") {
			t.Error(line)
		}
	}
	if err != nil {
		t.Logf("systemd-analyze: %v\n%s", err, out) // of other units, perhaps
	}
}

// Commands of agents run in a sandbox that they would run without, unnoticed, if
// one of these stood in the unit: tools/clean-machine fails then.
func TestUnitLeavesRoomForTheSandbox(t *testing.T) {
	unit, err := os.ReadFile("systemd/clew.service")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(unit)) {
		name, value, _ := strings.Cut(line, "=")
		switch {
		case name == "SystemCallFilter" && strings.HasPrefix(value, "~"): // what is not allowed
		case slices.Contains([]string{
			"RestrictNamespaces", "SystemCallFilter", "ProtectKernelTunables", "ProtectKernelLogs",
			"ProcSubset", "ProtectHostname", "RestrictSUIDSGID",
		}, name):
			t.Errorf("%s keeps bubblewrap from making the sandbox", name)
		}
	}
}

// The shell understands the scripts.
func TestScriptsParse(t *testing.T) {
	for _, name := range []string{"install.sh", "deb/postinst", "deb/prerm", "deb/postrm", "rpm/postinst", "rpm/prerm", "rpm/postrm"} {
		if out, err := exec.Command("sh", "-n", name).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if info, err := os.Stat(name); err != nil || info.Mode()&0o100 == 0 {
			t.Errorf("%s is not executable: %v", name, err)
		}
	}
}

// A restart leaves kernels of notebooks alone, and finds a control group in which it can
// start the server: the line of the unit takes the controllers from the inside out, as
// the kernel demands.
func TestUnitLeavesKernelsAlone(t *testing.T) {
	unit, err := os.ReadFile("systemd/clew.service")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(unit), "\nKillMode=process\n") {
		t.Error("systemd ends kernels with the server")
	}
	_, line, _ := strings.Cut(string(unit), "\nExecStopPost=-/bin/sh -c '")
	script, _, ok := strings.Cut(line, "'\n")
	if !ok {
		t.Fatal("there is no line that puts the control group together")
	}
	group := t.TempDir()
	log := filepath.Join(group, "log")
	for _, dir := range []string{"", "server", "commands", "commands/user-a", "commands/user-b", ".control"} {
		if err := os.MkdirAll(filepath.Join(group, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(group, dir, "cgroup.subtree_control"), []byte("cpu memory\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script = strings.ReplaceAll(script, "$$", "$")
	script = strings.ReplaceAll(script, `"/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/.."`, group+"/.control/..")
	// The kernel's files take each word; those here would keep the last one only.
	script = `echo() { printf '%s %s\n' "$1" "$g" >>` + log + "; }\n" + script
	if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
		t.Fatalf("%v %s\n%s", err, out, script)
	}
	got, err := os.ReadFile(log)
	if want := "-cpu commands/user-a/\n-memory commands/user-a/\n-cpu commands/user-b/\n-memory commands/user-b/\n-cpu commands/\n-memory commands/\n-cpu ./\n-memory ./\n"; err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}
