package kernel_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kernel"
)

// file is a connection file as Jupyter writes it.
const file = `{
  "shell_port": 54321, "iopub_port": 54322, "stdin_port": 54323, "control_port": 54324, "hb_port": 54325,
  "ip": "127.0.0.1", "key": "a0436f6c-1916-498b-8eb9-e81ab9368e84", "transport": "tcp",
  "signature_scheme": "hmac-sha256", "kernel_name": "python3", "jupyter_session": "/a/b.ipynb"
}`

func TestReadConnection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel.json")
	for _, c := range []struct {
		name, old, replaced string
		code                clew.Code
	}{
		{"as Jupyter writes it", "", "", ""},
		{"IPv6", "127.0.0.1", "::1", ""},
		{"no key", "a0436f6c-1916-498b-8eb9-e81ab9368e84", "", clew.InvalidMessage},
		{"another scheme", "hmac-sha256", "hmac-md5", clew.InvalidMessage},
		{"another machine", "127.0.0.1", "192.0.2.1", clew.InvalidMessage},
		{"all addresses", "127.0.0.1", "0.0.0.0", clew.InvalidMessage},
		{"a name", "127.0.0.1", "localhost", clew.InvalidMessage},
		{"no port", "54321", "0", clew.InvalidMessage},
		{"a large port", "54325", "65536", clew.InvalidMessage},
		{"a port that is no number", "54325", `"x"`, clew.InvalidMessage},
		{"another transport", `"tcp"`, `"udp"`, clew.InvalidMessage},
		{"a relative path", `"127.0.0.1"`, `"k"`, clew.InvalidMessage},
		{"not JSON", "{", "", clew.InvalidMessage},
		{"deep", "54321", strings.Repeat("[", 1000), clew.InvalidMessage},
		{"long", "/a/b.ipynb", strings.Repeat("a", 70_000), clew.MessageTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(file, c.old, c.replaced, 1)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := kernel.ReadConnection(path)
			if clew.CodeOf(err) != c.code {
				t.Errorf("got %v", err)
			}
			if c.code == "" && (got.ShellPort != 54321 || got.HBPort != 54325 || got.KernelName != "python3" || got.Sockets() != nil) {
				t.Errorf("read %+v", got)
			}
		})
	}
	if _, err := kernel.ReadConnection(path + ".not"); clew.CodeOf(err) != clew.ConnectionFailed {
		t.Errorf("no file: %v", err)
	}
}

func TestConnectionOfSockets(t *testing.T) {
	dir := shortDir(t)
	c := kernel.Connection{Transport: "ipc", IP: filepath.Join(dir, "k"), ShellPort: 1, IOPubPort: 2, StdinPort: 3, ControlPort: 4, HBPort: 5, Key: "k", SignatureScheme: "hmac-sha256"}
	if got := c.Sockets(); len(got) != 5 || got[0] != c.IP+"-1" || got[4] != c.IP+"-5" {
		t.Errorf("sockets: %q", got)
	}
	path := filepath.Join(dir, "c.json")
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	if got, err := kernel.ReadConnection(path); err != nil || got != c {
		t.Errorf("read %+v: %v", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file with the key: %v, %v", info.Mode(), err)
	}
	if err := c.Write(path); err == nil {
		t.Error("a file that was there was written over")
	}
	c.IP = "/" + strings.Repeat("d", 104)
	if err := c.Check(); err != nil {
		t.Errorf("107 bytes: %v", err)
	}
	c.IP += "d"
	if err := c.Check(); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("108 bytes: %v", err)
	}
}
