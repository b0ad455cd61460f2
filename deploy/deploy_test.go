// Package deploy holds the tests of what a release is made of.
package deploy

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
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

func archive(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	files := tar.NewWriter(zip)
	if err := files.WriteHeader(&tar.Header{Name: "clew", Mode: 0o755, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write([]byte(program)); err != nil {
		t.Fatal(err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The installer takes nothing but what the checksums name.
func TestInstaller(t *testing.T) {
	needs(t, "sh", "curl", "tar", "awk")
	name := fmt.Sprintf("clew_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	good := archive(t)
	sum := fmt.Sprintf("%x  %s\n", sha256.Sum256(good), name)
	for what, c := range map[string]struct {
		sums    string
		version string
		at      string
		says    string
		fails   bool
	}{
		"the newest":       {sums: "0000  other.tar.gz\n" + sum, at: "/latest/download/", says: "clew version"},
		"a version":        {sums: sum, version: "v1.2.3", at: "/download/v1.2.3/", says: "clew version"},
		"a wrong checksum": {sums: strings.Repeat("0", 64) + "  " + name + "\n", at: "/latest/download/", says: "Nothing was installed", fails: true},
		"no checksum":      {sums: "0000  other.tar.gz\n", at: "/latest/download/", says: "does not name " + name, fails: true},
		"no such release":  {sums: sum, version: "v9", at: "/download/v1.2.3/", says: "could not fetch", fails: true},
	} {
		t.Run(what, func(t *testing.T) {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case c.at + name:
					_, _ = w.Write(good)
				case c.at + "checksums.txt":
					_, _ = w.Write([]byte(c.sums))
				default:
					http.NotFound(w, r)
				}
			}))
			defer web.Close()
			home := t.TempDir()
			cmd := exec.Command("sh", "install.sh")
			cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "CLEW_RELEASES=" + web.URL, "CLEW_VERSION=" + c.version}
			out, err := cmd.CombinedOutput()
			if (err != nil) != c.fails || !strings.Contains(string(out), c.says) {
				t.Errorf("%v\n%s", err, out)
			}
			info, err := os.Stat(filepath.Join(home, ".local/bin/clew"))
			if c.fails != os.IsNotExist(err) || !c.fails && info.Mode().Perm() != 0o755 {
				t.Errorf("the program: %v, %v", info, err)
			}
			if left, _ := filepath.Glob(filepath.Join(home, ".local/bin/.*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// The Debian package has everything in its place, and the same bytes each time.
func TestDebianPackage(t *testing.T) {
	needs(t, "bash", "dpkg-deb", "gzip")
	dir := t.TempDir()
	fake := filepath.Join(dir, "clew")
	if err := os.WriteFile(fake, []byte(program), 0o755); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	var sums []string
	for range 2 {
		out := filepath.Join(t.TempDir(), "x.deb")
		cmd := exec.Command("bash", "../tools/package", "deb", fake, "v1.2.3-rc.1", "amd64", out)
		cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, fmt.Sprintf("%x", sha256.Sum256(b)))
		has(t, "dpkg-deb", []string{"-c", out}, "-rwxr-xr-x root/root", "./usr/bin/clew", "./usr/lib/systemd/system/clew.service", "./etc/clew/clew.yaml",
			"./usr/share/man/man1/clew.1.gz", "./usr/share/bash-completion/completions/clew", "./usr/share/zsh/vendor-completions/_clew",
			"./usr/share/fish/vendor_completions.d/clew.fish", "./usr/share/doc/clew/copyright", "2023-11-14")
		has(t, "dpkg-deb", []string{"-I", out}, "Version: 1.2.3~rc.1", "Recommends: git, bubblewrap", "conffiles", "postinst", "prerm", "postrm")
	}
	if sums[0] != sums[1] {
		t.Error("two packages of the same program differ")
	}
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

// The shell understands the scripts.
func TestScriptsParse(t *testing.T) {
	for _, name := range []string{"install.sh", "deb/postinst", "deb/prerm", "deb/postrm"} {
		if out, err := exec.Command("sh", "-n", name).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if info, err := os.Stat(name); err != nil || info.Mode()&0o100 == 0 {
			t.Errorf("%s is not executable: %v", name, err)
		}
	}
}
