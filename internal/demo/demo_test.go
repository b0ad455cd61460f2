package demo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestStoriesAreSound(t *testing.T) {
	for _, story := range Stories {
		t.Run(story.Name, func(t *testing.T) {
			s, err := story.Script()
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range s.Steps {
				if step.Times != 0 {
					t.Errorf("step %s counts its uses: the story would not go on after a restart", &step)
				}
			}
			last := s.Steps[len(s.Steps)-1]
			if last.When.LastUser != nil || last.When.ToolResult != nil || last.When.Turn != 0 {
				t.Error("the last step does not take everything")
			}
		})
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{"": "till", "till": "till", "desktop": "desktop", "other": ""} {
		if s, ok := Find(name); s.Name != want || ok != (want != "") {
			t.Errorf("%q: %q, %t", name, s.Name, ok)
		}
	}
}

func TestLay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "shop")
	if err := Lay(dir); err != nil {
		t.Fatal(err)
	}
	till := filepath.Join(dir, "till.sh")
	if info, err := os.Stat(till); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("till.sh: %v, %v", info, err)
	}
	if err := os.WriteFile(till, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Lay(dir); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(till); err != nil || string(b) != "mine" {
		t.Errorf("the second time wrote over somebody's work: %s, %v", b, err)
	}
}

// The data of the notebook has what its story says, and the notebook has no code yet.
func TestNotebookData(t *testing.T) {
	story, _ := Find("")
	if story.Beside == nil || !strings.Contains(story.Beside.Task, "sales.csv") {
		t.Fatalf("%+v", story.Beside)
	}
	dir := filepath.Join(t.TempDir(), "a", "notebook")
	if err := story.Beside.Lay(dir); err != nil {
		t.Fatal(err)
	}
	sales, err := os.ReadFile(filepath.Join(dir, "sales.csv"))
	if err != nil || strings.Count(string(sales), "\n") != 57 || !strings.HasPrefix(string(sales), "day,item,sold,price\n") || strings.Count(string(sales), "2026-10-14,wine,3,849\n") != 1 {
		t.Errorf("%v\n%s", err, sales)
	}
	book, err := os.ReadFile(filepath.Join(dir, "sales.ipynb"))
	if err != nil || !strings.Contains(string(book), "Two weeks of sales") || strings.Contains(string(book), `"code"`) {
		t.Errorf("%v\n%s", err, book)
	}
}

// A copy that broke off is begun anew.
func TestLayAfterACrash(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop")
	if err := os.MkdirAll(filepath.Join(dir+".partial", "sales"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Lay(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "sales", "monday.csv")); err != nil {
		t.Error(err)
	}
}

// The sample project has the failures that the story speaks of, and the edits of
// the story repair them, whichever answer is given and whichever shell there is.
func TestProjectAndRepairs(t *testing.T) {
	zeros := [2]string{"\tpart=${1#*.}\n", "\tpart=${1#*.}\n\tpart=${part#0} # 08 would be an octal number\n"}
	tenths := [2]string{"\t*.*) echo", "\t*.?) echo $((whole * 100 + part * 10)) ;;\n\t*.*) echo"}
	for _, shell := range []string{"sh", "dash", "bash", "ksh", "busybox"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		t.Run(shell, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "shop")
			if err := Lay(dir); err != nil {
				t.Fatal(err)
			}
			expect(t, path, dir, "6 checks, 3 failed", 1)
			replace(t, filepath.Join(dir, "till.sh"), zeros)
			expect(t, path, dir, "6 checks, 1 failed", 1)
			replace(t, filepath.Join(dir, "till.sh"), tenths)
			expect(t, path, dir, "6 checks, all passed", 0)
		})
	}
}

func expect(t *testing.T, shell, dir, last string, code int) {
	t.Helper()
	args := []string{"check.sh"}
	if filepath.Base(shell) == "busybox" {
		args = []string{"sh", "check.sh"}
	}
	cmd := exec.CommandContext(t.Context(), shell, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code || !strings.HasSuffix(strings.TrimSpace(string(out)), last) {
		t.Fatalf("want %q and code %d: %v\n%s", last, code, err, out)
	}
}

func replace(t *testing.T, name string, edit [2]string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil || strings.Count(string(b), edit[0]) != 1 {
		t.Fatalf("%q is not in %s once: %v", edit[0], name, err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(b), edit[0], edit[1], 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}
