package policy

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// knownLines are the lines by which a star that clew suggested was once turned into
// another command: 15 that an executing search found, and those found by reading.
func knownLines(t testing.TB) []string {
	t.Helper()
	return linesOf(t, "testdata/stretched.txt")
}

func linesOf(t testing.TB, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// No star that can be suggested or remembered covers one of the known lines.
//
// Covers: C-56
func TestStarsCannotBeStretched(t *testing.T) {
	lines := knownLines(t)
	if len(lines) < 60 {
		t.Fatalf("only %d lines", len(lines))
	}
	for _, command := range lines {
		if got := Suggest(command); strings.HasSuffix(got, " *") {
			t.Errorf("%q: suggested is %q", command, got)
		}
		for _, pattern := range starsOf(command) {
			if Covers(command, pattern) {
				t.Errorf("%q covers %q", pattern, command)
			}
		}
	}
}

// What a star stands for is read strictly: what is not in the table is asked about.
//
// Covers: C-56
func TestTable(t *testing.T) {
	for _, tt := range []struct {
		command string
		covered bool
	}{
		{"ls", true}, {"ls -la", true}, {"ls -l -a sub", true}, {"ls --color=never", true}, {"ls --color", true}, {"ls -la1", true},
		{"ls --colo=never", false},  // the beginning of an option
		{"ls --color never", true},  // there never is a file
		{"ls --color=x", false},     // no such value
		{"ls --all=x", false},       // a flag with a value
		{"ls -lI", false},           // not all letters are flags
		{"ls -lé", false},           //
		{"ls -", false},             // standard input
		{"ls -- -x", false},         // -- is not listed
		{"ls /", false},             // outside of the workspace
		{"ls ..", false},            //
		{"ls a/../..", false},       //
		{"ls ../x", false},          //
		{"ls ..x a..b", true},       //
		{"ls '~'", false},           //
		{"ls '~x/y'", false},        //
		{"ls 'C:/x'", false},        //
		{`ls 'a\b'`, false},         //
		{"ls @x", false},            // a file of arguments
		{"cat /dev/null", true},     //
		{"/bin/ls", false},          // another program, for all that is known
		{"./ls", false},             //
		{"head -20 x", true},        //
		{"head -n20 x", true},       //
		{"head -n 20 x", true},      //
		{"head -n -20 x", false},    // begins like an option
		{"head -n", false},          //
		{"head -n=20 x", false},     //
		{"tail -n +5 x", true},      //
		{"grep -rn x .", true},      //
		{"grep x /etc", false},      //
		{"grep /etc x", true},       // the pattern
		{"grep -e x /etc", false},   // -e has the pattern
		{"grep -rf x /etc", false},  //
		{"grep --file=x /e", false}, //
		{"grep -A3 x y", true},      //
		{"grep -nA3 x y", false},    // a letter that is no flag
		{"rg --files /etc", false},  //
		{"sed -n 1,5p x", true},     //
		{"sed 5q x", true},          //
		{"sed -n '1,$p' x", true},   //
		{"sed 1e x", false},         //
		{"sed -n 1p x -i", false},   //
		{"jq -r .a x", true},        //
		{"jq env x", false},         // the environment is none of the files
		{"jq 'import \"a\" as $a; .' x", false},
		{"jq .environment x", true}, //
		{"kubectl get secrets", false}, {"kubectl get pods,Secret/x -o yaml", false},
		{"jq -c .a x", true}, //
		{"jq -f x /etc/passwd", false},
		{"git status -uno", true}, {"git status -u no", true}, {"git status -ux", false}, {"git status -sb", true},
		{"git log -3", true}, {"git log -n3", true}, {"git log -n 3 --oneline main..HEAD -- a/b.go", true}, {"git log '@{u}..'", true}, {"git log @", true},
		{"git log --format=%H%n%an", true}, {"git log '--format=%h %s'", true}, {"git log '--format=%G?'", false}, {"git log --pretty=oneline", true}, {"git log --pretty=mine", false},
		{"git log -- /etc", false}, {"git log --outpu=x", false}, {"git log --output x", false}, {"git log -p --ext-diff", false}, {"git diff ../x y", false}, {"git diff --no-index x y", false},
		{"git show HEAD:a.txt", true}, {"git show ext::x", false}, {"git branch --list -a", true}, {"git branch -a", false}, {"git branch --list -d x", false}, {"git branch -D x --list", false},
		{"git branch --list --sort=-committerdate", true}, {"git branch --list '--format=%(refname:short)'", true}, {"git branch --list '--format=%(signature)'", false},
		{"git --no-pager diff", true}, {"git -c a=b diff", false}, {"git -C x diff", false}, {"git --no-pager -p log", false}, {"git --git-dir=x log", false},
		{"go test -run X -v ./...", true}, {"go test -run=X ./p", true}, {"go test --run=X ./p", false}, {"go test -v=true", false}, {"go test ./p -args x", false}, {"go test -vx ./p", false},
		{"go test -p4 ./p", false}, {"go test -p=4 ./p", true}, {"go test -timeout 5m ./p", true}, {"go test -timeout 5x ./p", false}, {"go test ../p", false}, {"go test /p", false}, {"go test x@v1", false},
		{"go build -o /dev/null ./c", true}, {"go build -o x ./c", false}, {"go list -f '{{.Dir}}' ./...", true}, {"go vet @x", false},
		{"cargo test -q", true}, {"cargo -q test", true}, {"cargo test x -- --nocapture", true}, {"cargo test -- --logfile=x", false}, {"cargo clippy -- -D warnings", true}, {"cargo clippy -- -C linker=x", false},
		{"cargo +nightly test", false}, {"cargo check --config x", false}, {"cargo t", false},
		{"npm ls --depth=0", true}, {"npm view react version", true}, {"npm view @a/b@1.2", true}, {"npm view ./x", false}, {"npm view git+file:///x", false}, {"npm view x/y", false}, {"npm ls --prefix=x", false}, {"npm -s ls", true},
		{"docker ps -aq", true}, {"docker -l debug ps", true}, {"docker --config x ps", false}, {"docker -H x ps", false}, {"docker ps x", false}, {"docker logs -n 5 x", true}, {"docker logs --tail=all x", true},
		{"kubectl get pods -o wide", true}, {"kubectl -n x get pods", true}, {"kubectl get pods --context=x", false}, {"kubectl get -f x", false}, {"kubectl get pods -o custom-columns-file=x", false}, {"kubectl logs x -c y --tail=5", true},
		{"find . -name x", false}, {"true", false}, {"mytool x", false},
	} {
		argv := first(t, tt.command)
		if v := underStar(argv); (v.why == "") != tt.covered {
			t.Errorf("%q: %+v, want covered %v", tt.command, v, tt.covered)
		}
		if got := Suggest(tt.command); strings.HasSuffix(got, " *") != tt.covered {
			t.Errorf("%q: suggested is %q", tt.command, got)
		}
	}
}

// first gives the words of a line's first command.
func first(t testing.TB, command string) []string {
	t.Helper()
	line, err := Parse(command)
	must(t, err)
	if len(line.Commands) == 0 {
		t.Fatalf("%q: %s", command, line.Unknown)
	}
	return line.Commands[0].Argv
}

// A table that is not understood to the last word is not used.
func TestReadTableRefuses(t *testing.T) {
	const good = "version: 1\nprograms:\n  x: {flags: -a, options: {-n: number}, operands: paths, unlike: /}\n"
	if _, err := readTable([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for old, fault := range map[string]string{
		"version: 1":   "version: 2",
		"-n: number":   "-n: figure",
		"flags: -a":    "flag: -a",
		"-a,":          "-a -n,",
		"flags: -a,":   "flags: a,",
		"number}":      "{oneof: [a], pattern: b}}",
		"number},":     "{optional: true}},",
		"-n: number}":  "-n: {oneof: [a], free: true}}",
		"{-n: number":  "{-n: {pattern: '('}",
		"unlike: /":    "unlike: -a",
		", unlike: /":  "",
		"paths,":       "paths, runs: everything,",
		"paths, ":      "paths, dashes: three, ",
		"operands: p":  "with: [nothing], operands: p",
		" paths, unl":  " paths, instead: -x, unl",
		"operands: pa": "dashdash: [a], operands: pa",
	} {
		text := strings.Replace(good, old, fault, 1)
		if _, err := readTable([]byte(text)); err == nil || text == good {
			t.Errorf("with %q in place of %q it is taken", fault, old)
		}
	}
	if _, err := readTable(bytes.Replace(starsFile, []byte("-timeout: duration"), []byte("-timeout: time"), 1)); err == nil {
		t.Error("a type that is not known is taken")
	}
}

// RunsWorkspace says of which stars the card says that they run code of the project.
func TestRunsWorkspace(t *testing.T) {
	for pattern, want := range map[string]bool{
		"go test *": true, "go vet *": true, "go build *": true, "cargo test *": true, "cargo check *": true, "cargo -q clippy *": true, "go *": true, "cargo *": true,
		"go list *": false, "git log *": false, "ls *": false, "git *": false, "go test ./...": false, "docker ps *": false, "nothing *": false, "": false, "*": false,
	} {
		if got := RunsWorkspace(pattern); got != want {
			t.Errorf("%q: %v", pattern, got)
		}
	}
}

// commands gives the words of every command in the table.
func commands() [][]string {
	var all [][]string
	for name, p := range stars() {
		if p.alone != nil {
			all = append(all, []string{name})
		}
		for _, sub := range p.subs {
			all = append(all, append([]string{name}, sub.words...))
		}
	}
	slices.SortFunc(all, slices.Compare[[]string])
	return all
}

// BenchmarkCovers is the warm path: a command is held against what was remembered.
func BenchmarkCovers(b *testing.B) {
	argv := []string{"git", "log", "-n", "5", "--oneline", "--format=%h %s", "main..HEAD", "--", "a/b.go"}
	for b.Loop() {
		if underStar(argv).why != "" {
			b.Fatal("not covered")
		}
	}
}
