package deploy

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Who has a Debian package has the licences of all modules in its program.
func TestPackageHasLicences(t *testing.T) {
	out := makePackage(t, "022")
	texts, err := exec.Command("sh", "-c", `dpkg-deb --fsys-tarfile "$1" | tar -xO ./usr/share/doc/clew/THIRD_PARTY_LICENSES.gz | gzip -dc`, "-", out).Output()
	if err != nil {
		t.Fatal(err)
	}
	licencesOf(t, "linux", string(texts))
}

// So has who unpacked an archive, whichever system it is for.
func TestArchivesHaveLicences(t *testing.T) {
	needs(t, "bash", "gzip", "go")
	data, err := os.ReadFile("../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Builds   []struct{ Goos []string }
		Archives []struct{ Files []struct{ Src, Dst string } }
	}
	if err := yaml.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if said, err := exec.Command("../tools/package", "files", fakeProgram(t), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, system := range config.Builds[0].Goos {
		var text []byte
		for _, file := range config.Archives[0].Files {
			if file.Dst == "THIRD_PARTY_LICENSES" {
				src := strings.NewReplacer("dist-packaging", dir, "{{ .Os }}", system).Replace(file.Src)
				if text, err = os.ReadFile(src); err != nil {
					t.Error(err)
				}
			}
		}
		licencesOf(t, system, string(text))
	}
}

// licencesOf fails if a module that is linked for the system is not in the texts.
func licencesOf(t *testing.T, system, texts string) {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "../cmd/clew")
	list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := slices.Compact(slices.Sorted(strings.Lines(string(out))))
	if len(modules) < 20 {
		t.Errorf("only %d modules are linked for %s", len(modules), system)
	}
	for _, module := range modules {
		// Its name and licence between two lines, then the name of a file.
		if !regexp.MustCompile(`=\n` + regexp.QuoteMeta(module) + `\S.*\n=+\n\n\S+:`).MatchString(texts) {
			t.Errorf("%s: no licence of %s", system, module)
		}
	}
}
