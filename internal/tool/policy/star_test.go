package policy

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// runsAnything are harmless lines whose like, under a star, run any program or write
// any file.
var runsAnything = []string{
	"docker run x", "docker exec c sh", "docker build .", "docker cp a b", "docker compose up", "docker --log-level=debug run x",
	"podman run x", "podman exec c sh", "kubectl exec p", "kubectl run x", "kubectl cp a b", "kubectl apply x", "kubectl edit x", "kubectl -n x exec p",
	"go run ./c", "go generate ./...", "go tool x", "go install x", "go env x", "go get x", "go mod tidy", "go work use x", "go fmt ./...",
	"npm run build", "npm exec x", "npm x y", "npm config set x y", "npm install x", "npm test", "npm --silent exec x", "npx x",
	"pnpm exec x", "pnpm dlx x", "yarn run x", "yarn dlx x", "yarn test", "uv run x", "poetry run x", "bundle exec x", "mix run x", "dotnet run",
	"git config a.b c", "git filter-branch x", "git archive HEAD", "git daemon", "git clone x", "git fetch", "git pull", "git push", "git commit -m x",
	"git merge x", "git rebase x", "git checkout x", "git reset x", "git submodule update", "git worktree list", "git remote update", "git lfs pull", "git help x",
	"git branch x", "git no-such-program x", "cargo run", "cargo r", "cargo install x", "cargo +nightly test", "cargo -q run",
	"make test", "make", "pip install x", "pip3 install x", "brew install x", "apt install x", "terraform apply", "terraform plan", "systemctl start x",
	"helm template x", "gradle test", "./gradlew test", "mvn test", "python3 x.py", "python3.12 x.py", "python3 -m pytest", "node x.js", "perl x.pl", "sh x.sh", "bash x.sh", "awk x",
	"gcc c.c", "gcc-12 c.c", "clang c.c", "ld x.o", "curl x", "wget x", "rsync a b", "scp a b", "tar tf x",
}

// starsOf gives the patterns with a star that a person could have had remembered for a
// command: behind each of its words.
func starsOf(command string) []string {
	words := strings.Fields(command)
	var patterns []string
	for i := range words {
		patterns = append(patterns, strings.Join(words[:i+1], " ")+" *")
	}
	return patterns
}

// Covers: C-56
func TestNoStarIsSuggestedForWhatRunsAnything(t *testing.T) {
	for _, command := range runsAnything {
		if got := Suggest(command); got != command {
			t.Errorf("%q: suggested is %q, want the very line", command, got)
		}
		for _, pattern := range starsOf(command) {
			if Covers(command, pattern) || WhyNot(command, pattern) == "" {
				t.Errorf("%q may be remembered for %q (%s)", pattern, command, WhyNot(command, pattern))
			}
		}
	}
}

// A star that was remembered before it was known to be dangerous asks again and says
// why, for the task and for the session. The exact line still counts, and so does what
// an administrator wrote into the settings.
//
// Covers: C-56, TOOL-17
func TestRememberedStarForWhatRunsAnythingAsksAgain(t *testing.T) {
	for _, command := range runsAnything {
		for _, pattern := range starsOf(command) {
			task := input(tool.GroupCommand, settings.Values{McpEnabled: true})
			task.Action.Effect.Command = command
			task.Remembered = []clew.RememberedRule{{Tool: task.Spec.Name, Pattern: pattern}}
			session := input(tool.GroupCommand, settings.Values{AutoApproval: true, AllowExecute: true, RememberedCommands: []string{pattern}})
			session.Action.Effect.Command = command
			for name, in := range map[string]Input{"task": task, "session": session} {
				d := Decide(in)
				if d.Kind != Ask || d.Code != clew.PolicyRuleTooWide || d.Args["pattern"] != pattern || !strings.Contains(d.Reason, "only the exact line") {
					t.Errorf("%q with %q remembered for the %s: %+v", command, pattern, name, d)
				}
			}
			task.Remembered[0].Pattern = command
			if d := Decide(task); d.Kind != Allow {
				t.Errorf("%q, remembered as it stands: %+v", command, d)
			}
		}
	}
	if d := decide("docker run x", []string{"docker run *"}, nil); d.Kind != Allow {
		t.Errorf("an administrator allowed it: %+v", d)
	}
	both := input(tool.GroupCommand, settings.Values{AutoApproval: true, AllowExecute: true, AllowedCommands: []string{"docker run *"}})
	both.Action.Effect.Command = "docker run x"
	both.Remembered = []clew.RememberedRule{{Tool: both.Spec.Name, Pattern: "docker run *"}}
	if d := Decide(both); d.Kind != Allow || d.By.Scope != clew.AllowedBySettings {
		t.Errorf("an administrator allowed what a person had remembered, too: %+v", d)
	}
}

// Go takes an option with one dash or two. Those that run a program or write a file are
// not covered by the stars that are suggested for go, however they are written.
//
// Covers: C-56
func TestStarsOfGoCoverNothingThatRunsOrWrites(t *testing.T) {
	for _, sub := range []string{"build", "test", "vet", "list", "doc"} {
		for _, option := range []string{"exec", "toolexec", "vettool", "o", "overlay", "modfile", "C", "ldflags", "gcflags", "gccgoflags", "asmflags", "compiler", "pkgdir", "c",
			"coverprofile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "outputdir", "test.cpuprofile", "http", "args"} {
			for _, line := range []string{"-" + option + " x", "--" + option + " x", "-" + option + "=x", "--" + option + "=x", "'--" + option + "=-linkmode=external -extld=./x'"} {
				command := "go " + sub + " " + line + " ./..."
				if sub+" -"+option == "doc -c" && !strings.HasPrefix(line, "--") && !strings.Contains(line, "=") {
					continue // go doc: upper case counts
				}
				if Covers(command, "go "+sub+" *") || decide(command, []string{"go " + sub + " *"}, nil).Kind == Allow {
					t.Errorf("%q is covered", command)
				}
			}
		}
	}
	for _, command := range []string{"go test -v -race -run TestX -count=1 ./...", "go build -v -tags x ./...", "go vet -json ./..."} {
		if got := Suggest(command); !strings.HasSuffix(got, " *") {
			t.Errorf("%q: suggested is %q", command, got)
		}
	}
}

func TestStarsThatOnlyLookAreSuggested(t *testing.T) {
	for command, pattern := range map[string]string{ // the read-only stars that have to remain, and those that build and test
		"git status -s": "git status *", "git log": "git log *", "git diff HEAD": "git diff *", "git show x": "git show *", "git blame x": "git blame *",
		"git ls-files": "git ls-files *", "git rev-parse HEAD": "git rev-parse *", "git branch --list": "git branch --list *",
		"go vet ./...": "go vet *", "go list ./...": "go list *", "go version": "go version *", "go doc x": "go doc *", "go build ./...": "go build *", "go test ./...": "go test *",
		"docker ps -a": "docker ps *", "docker images": "docker images *", "docker logs x": "docker logs *", "docker inspect x": "docker inspect *",
		"kubectl get pods": "kubectl get *", "kubectl describe pod x": "kubectl describe *", "kubectl logs x": "kubectl logs *",
		"npm ls": "npm ls *", "npm view x": "npm view *", "cargo check": "cargo check *", "cargo clippy": "cargo clippy *", "cargo test": "cargo test *",
		"ls -l": "ls *", "cat x": "cat *", "head -20 x": "head *", "tail -n 5 x": "tail *", "wc -l x": "wc *", "grep -rn x .": "grep *", "rg x": "rg *",
		"stat x": "stat *", "du -sh .": "du *", "df -h": "df *", "tree -L 2": "tree *", "file x": "file *", "diff -u a b": "diff *", "pwd": "pwd *", "jq . x": "jq *",
		"which go": "which *", "sed -n 1,20p x": "sed *", "echo x": "echo *",
		"git --no-pager log": "git --no-pager log *", "kubectl -n x get pods": "kubectl -n x get *", "docker --log-level=debug ps": "docker --log-level=debug ps *",
	} {
		if got := Suggest(command); got != pattern {
			t.Errorf("%q: suggested is %q, want %q", command, got, pattern)
		}
	}
}
