package deploy

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What a job may do beyond reading the repository, as "workflow/job".
var rights = map[string][]string{
	"ci/gate":           nil,
	"ci/systems":        nil,
	"codeql/analyze":    {"security-events"},
	"docs/build":        nil,
	"docs/deploy":       {"id-token", "pages"},
	"nightly/list":      nil,
	"nightly/shard":     nil,
	"release/packages":  nil,
	"release/program":   {"attestations", "contents", "id-token", "packages"},
	"release/npm":       {"id-token"},
	"release/pypi":      {"id-token"},
	"scorecard/analyze": {"id-token", "security-events"},
}

// The secrets that workflows may read. All others go by their identity.
var secrets = []string{"HOMEBREW_TAP_TOKEN"}

type workflow struct {
	Permissions *map[string]string
	Jobs        map[string]struct {
		Permissions *map[string]string
		Container   struct{ Image string }
		Steps       []struct{ Run string }
	}
}

var (
	// By a commit, with its tag beside it.
	pinned       = regexp.MustCompile(`^\s*(- )?uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	makes        = regexp.MustCompile(`^make ([a-z-]+)$`)
	outputs      = regexp.MustCompile(`^echo "[a-z]+=\$\(make ([a-z-]+)\)" >>"\$GITHUB_OUTPUT"$`)
	secretsNamed = regexp.MustCompile(`secrets\s*[.\[]\s*['"]?(\w*)`)
)

// Workflows run what anybody can run here, with as few rights as they need, and nothing
// that others can change under them.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*")
	if err != nil || len(files) < 6 {
		t.Fatalf("%v, %v", files, err)
	}
	var jobs []string
	for _, file := range files {
		source := text(t, file)
		checkSource(t, file, source)
		var w workflow
		if err := yaml.Unmarshal([]byte(source), &w); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if w.Permissions == nil || len(*w.Permissions) > 0 {
			t.Errorf("%s: at its top it needs permissions: {}", file)
		}
		for name, job := range w.Jobs {
			name = strings.TrimSuffix(filepath.Base(file), ".yml") + "/" + name
			jobs = append(jobs, name)
			checkRights(t, name, job.Permissions)
			if image := job.Container.Image; image != "" && !pinnedImage.MatchString(image) {
				t.Errorf("%s: the image %s is not pinned", name, image)
			}
			for _, step := range job.Steps {
				if step.Run != "" {
					checkStep(t, name, strings.TrimSpace(step.Run))
				}
			}
		}
	}
	slices.Sort(jobs)
	if want := slices.Sorted(maps.Keys(rights)); !slices.Equal(jobs, want) {
		t.Errorf("the jobs are %v, and rights are listed for %v", jobs, want)
	}
}

// checkSource looks for what a parser does not see, such as comments.
func checkSource(t *testing.T, file, source string) {
	t.Helper()
	for line := range strings.Lines(source) {
		line = strings.TrimRight(line, "\n")
		if strings.Contains(line, "uses:") && !pinned.MatchString(line) {
			t.Errorf("%s: not a commit with its tag beside it: %s", file, line)
		}
	}
	// It runs the code of strangers with rights of the repository.
	if strings.Contains(source, "pull_request_target") {
		t.Errorf("%s: pull_request_target", file)
	}
	for _, found := range secretsNamed.FindAllStringSubmatch(source, -1) {
		if !slices.Contains(secrets, found[1]) {
			t.Errorf("%s: the secret %s is not listed", file, found[1])
		}
	}
	if n := strings.Count(source, "actions/checkout@"); n != strings.Count(source, "persist-credentials: false") {
		t.Errorf("%s: a checkout keeps its credentials", file)
	}
}

func checkRights(t *testing.T, job string, given *map[string]string) {
	t.Helper()
	if given == nil {
		t.Errorf("%s declares no permissions", job)
		return
	}
	for what, right := range *given {
		if right != "write" && (what != "contents" || right != "read") || right == "write" && !slices.Contains(rights[job], what) {
			t.Errorf("%s has the right %s: %s, which is not listed", job, what, right)
		}
	}
}

// checkStep fails if a step does more than to make something that there is.
func checkStep(t *testing.T, job, run string) {
	t.Helper()
	found := makes.FindStringSubmatch(run)
	if found == nil {
		found = outputs.FindStringSubmatch(run)
	}
	if found == nil {
		t.Errorf("%s runs more than make: %s", job, run)
		return
	}
	dry := exec.CommandContext(t.Context(), "make", "-n", found[1])
	dry.Dir = ".."
	// Not the flags of a make that runs this test.
	dry.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS") })
	if out, err := dry.CombinedOutput(); err != nil {
		t.Errorf("%s: make -n %s: %v\n%s", job, found[1], err, out)
	}
}

// What the test above finds is wrong indeed.
func TestWorkflowsThatAreWrong(t *testing.T) {
	good := "      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
	for _, line := range []string{
		"      - uses: actions/checkout@v7",
		"      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1",
		"      - uses: actions/checkout@3d3c42e # v7.0.1",
		"      - uses: docker://alpine:3",
	} {
		if pinned.MatchString(line) {
			t.Errorf("taken for pinned: %s", line)
		}
	}
	if !pinned.MatchString(good) {
		t.Errorf("not taken for pinned: %s", good)
	}
	for _, run := range []string{"make ci && curl x", "make ci\nmake docs", "go test ./...", "make ci VERSION=$(id)", `echo "a=$(id)" >>"$GITHUB_OUTPUT"`} {
		if makes.MatchString(run) || outputs.MatchString(run) {
			t.Errorf("taken for make: %s", run)
		}
	}
	if found := secretsNamed.FindAllStringSubmatch("${{ secrets.A }} ${{ secrets['B'] }}", -1); len(found) != 2 || found[0][1] != "A" || found[1][1] != "B" {
		t.Errorf("secrets: %v", found)
	}
}

// The list of the night's parts is a matrix.
func TestNightlyParts(t *testing.T) {
	needs(t, "make", "awk")
	var list []string
	out := printed(t, "nightly-json")
	if err := yaml.Unmarshal(out, &list); err != nil || len(list) < 10 {
		t.Fatalf("%v: %s", err, out)
	}
	names := strings.Fields(string(printed(t, "nightly-names")))
	if !slices.Equal(list, names) {
		t.Errorf("as JSON %v, by name %v", list, names)
	}
}

func printed(t *testing.T, target string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-s", target)
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("make %s: %v", target, err)
	}
	return bytes.TrimSpace(out)
}
