package vendor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCredentials(t *testing.T) {
	home := t.TempDir()
	none := func(string) string { return "" }
	look := func(id string, getenv func(string) string) string {
		v, _ := Find(id)
		return v.Credentials(getenv, home)
	}
	for id, c := range map[string]struct{ variable, file, missing string }{
		"bedrock": {"AWS_PROFILE", ".aws/credentials", "aws configure"},
		"vertex":  {"GOOGLE_APPLICATION_CREDENTIALS", ".config/gcloud/application_default_credentials.json", "gcloud auth application-default login"},
	} {
		if got := look(id, none); !strings.HasSuffix(got, c.missing) {
			t.Errorf("%s without any: %q", id, got)
		}
		if got := look(id, func(name string) string { return map[string]string{c.variable: "x"}[name] }); got != "" {
			t.Errorf("%s with %s: %q", id, c.variable, got)
		}
		path := filepath.Join(home, c.file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := look(id, none); got != "" {
			t.Errorf("%s with a file: %q", id, got)
		}
	}
	if got := look("openai", none); got != "" {
		t.Errorf("openai is no cloud: %q", got)
	}
}
