package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Reading is allowed by default, so files that usually hold secrets are asked about:
// by their own name, by that of a link to them, and whatever the case.
func TestSecretsAreAskedAbout(t *testing.T) {
	for path, want := range map[string]bool{
		"a.txt": false, "env.go": false, "src/key.go": false, "keys/list.txt": false, "config": false, "src/secrets.go": false, "credentials_test.go": false,
		".env.example": false, "web/.env.sample": false, "id_rsa.pub": false, "monkey": false, "environment.ts": false, "git/config": false,
		".env": true, "web/.env": true, ".ENV": true, ".env.local": true, ".env.production": true, "prod.env": true, ".envrc": true,
		"tls/server.key": true, "cert.PEM": true, "a.p12": true, "a.pfx": true, "release.jks": true, "x.keystore": true, "pw.kdbx": true,
		"id_rsa": true, "backup/id_ed25519": true, ".ssh/known": true, ".ssh/config": true, ".aws/credentials": true, ".kube/config": true, ".docker/config.json": true,
		".netrc": true, ".npmrc": true, ".pypirc": true, ".git-credentials": true, ".pgpass": true, "credentials.json": true, "config/master.key": true,
		"secrets.yaml": true, "terraform.tfvars": true, "terraform.tfstate": true, ".git/config": true, "sub/.git/modules/m/config": true,
	} {
		ws, _ := newWorkspace(t, map[string]string{path: "password"})
		for _, named := range []string{path, "./" + path, filepath.Join(ws.Dir, path)} {
			a, err := readFile{}.Prepare(t.Context(), callOf(t, ws, in{"path": named}))
			if err != nil || a.Protected != want {
				t.Errorf("read %s: protected %v, %v", named, a != nil && a.Protected, err)
			}
			a, err = searchFiles{rg: func() string { return "" }}.Prepare(t.Context(), callOf(t, ws, in{"path": named, "pattern": "pass"}))
			if err != nil || a.Protected != want {
				t.Errorf("search %s: protected %v, %v", named, a != nil && a.Protected, err)
			}
		}
		if err := os.Symlink(filepath.Join(ws.Dir, path), filepath.Join(ws.Dir, "innocent.txt")); err != nil {
			t.Fatal(err)
		}
		if a, err := (readFile{}).Prepare(t.Context(), callOf(t, ws, in{"path": "innocent.txt"})); err != nil || a.Protected != want {
			t.Errorf("a link to %s: %+v %v", path, a, err)
		}
	}
}

// A search of a directory, which is not asked about, shows nothing of such files, and
// says nothing that depends on what is in them.
func TestSearchLeavesSecretsOut(t *testing.T) {
	for name, s := range searches() {
		ws, _ := newWorkspace(t, map[string]string{".env": "TOKEN=abc\n", "web/.env.local": "TOKEN=abc\n", ".ssh/id_rsa": "TOKEN=abc\n", "a.txt": "TOKEN here\n"})
		for _, path := range []string{".", "web", ".ssh"} {
			if got := must(t, s, ws, in{"path": path, "pattern": "TOKEN=a"}); got != "No matches.\n" {
				t.Errorf("%s: %s: %q", name, path, got)
			}
		}
		if got := must(t, s, ws, in{"pattern": "TOKEN"}); !strings.Contains(got, "here") || strings.Contains(got, "abc") {
			t.Errorf("%s: %q", name, got)
		}
		if got := must(t, s, ws, in{"path": ".env", "pattern": "TOKEN"}); !strings.Contains(got, "abc") { // approved by a person
			t.Errorf("%s: the file itself: %q", name, got)
		}
	}
}
