package deploy

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The installer takes nothing but what the checksums name, and asks nobody who does
// not prove his name. It runs in every shell, and with either program that fetches.
func TestInstaller(t *testing.T) {
	name := fmt.Sprintf("clew_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	good := archive(t)
	sum := fmt.Sprintf("%x  %s\n", sha256.Sum256(good), name)
	cases := map[string]release{
		"the newest":       {sums: "0000  other.tar.gz\n" + sum, at: "/latest/download/", says: `/.local/bin:$PATH"`},
		"a version":        {sums: sum, version: "v1.2.3", at: "/download/v1.2.3/", says: "clew version"},
		"a wrong checksum": {sums: strings.Repeat("0", 64) + "  " + name + "\n", at: "/latest/download/", says: "Nothing was installed", fails: true},
		"no checksum":      {sums: "0000  other.tar.gz\n", at: "/latest/download/", says: "does not name " + name, fails: true},
		"no such release":  {sums: sum, version: "v9", at: "/download/v1.2.3/", says: "could not fetch", fails: true},
		"without https":    {sums: sum, at: "/latest/download/", says: "could not fetch", fails: true, plain: true},
		"a forged name":    {sums: sum, at: "/latest/download/", says: "could not fetch", fails: true, forged: true},
	}
	for _, tool := range []string{"curl", "wget"} {
		for _, shell := range []string{"dash", "bash", "busybox"} {
			for what, c := range cases {
				t.Run(tool+"/"+shell+"/"+what, func(t *testing.T) {
					needs(t, tool, shell)
					install(t, tool, shell, name, good, c)
				})
			}
		}
	}
}

// release is what a release page has, and what the installer makes of it.
type release struct {
	sums, version, at, says string
	fails, plain, forged    bool
}

func install(t *testing.T, tool, shell, name string, good []byte, c release) {
	t.Helper()
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case c.at + name:
			_, _ = w.Write(good)
		case c.at + "checksums.txt":
			_, _ = w.Write([]byte(c.sums))
		default:
			http.NotFound(w, r)
		}
	}))
	web.Config.ErrorLog = log.New(io.Discard, "", 0) // of refused certificates
	if c.plain {
		web.Start()
	} else {
		web.StartTLS()
	}
	defer web.Close()
	home := t.TempDir()
	env := []string{"HOME=" + home, "PATH=" + only(t, tool), "CLEW_RELEASES=" + web.URL, "CLEW_VERSION=" + c.version}
	if !c.plain && !c.forged {
		env = append(env, trusting(t, web)...)
	}
	args := []string{"install.sh"}
	if shell == "busybox" {
		args = []string{"sh", "install.sh"}
	}
	cmd := exec.Command(shell, args...)
	cmd.Env = env
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
}

// only is a PATH with what every system has, and one program that fetches.
func only(t *testing.T, tool string) string {
	t.Helper()
	dir := t.TempDir()
	names := []string{tool, "sh", "uname", "mktemp", "rm", "awk", "sha256sum", "cut", "tar", "gzip", "mkdir", "cp", "chmod", "mv", "grep"}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("there is no %s here", name)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// trusting makes curl and wget trust the server's certificate.
func trusting(t *testing.T, web *httptest.Server) []string {
	t.Helper()
	dir := t.TempDir()
	ca, rc := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "wgetrc")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})
	for path, text := range map[string]string{ca: string(block), rc: "ca_certificate = " + ca + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"CURL_CA_BUNDLE=" + ca, "WGETRC=" + rc}
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
