package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A build is work that commands do all the time.
type build struct {
	programs []string // that it needs
	files    map[string]string
	command  string
	want     string // how its output ends
}

var goFiles = map[string]string{
	"go.mod": "module example.org/hello\n\ngo 1.22\n",
	"main.go": `package main

import ("fmt"; "os"; "os/exec"; "sync")

func Sum(list []int) (n int) { for _, i := range list { n += i }; return n }

func main() {
	var wg sync.WaitGroup
	for range 100 { wg.Add(1); go func() { defer wg.Done(); _, _ = os.ReadFile("go.mod") }() }
	wg.Wait()
	out, err := exec.Command("echo", "hello").Output()
	fmt.Print(string(out), Sum([]int{1, 2}), err, "\n")
}
`,
	"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum([]int{1, 2}) != 3 {\n\t\tt.Fatal()\n\t}\n}\n",
}

var builds = map[string]build{
	"git": {
		programs: []string{"git"},
		command:  `git init -q r && cd r && git config user.email a@b.c && git config user.name A && echo x >f && git add . && git commit -qm one && git branch side && git gc -q && git clone -q . ../copy && git -C ../copy log --oneline | wc -l`,
		want:     "1",
	},
	"gcc and make": {
		programs: []string{"gcc", "make"},
		files: map[string]string{
			"main.c":   "#include <pthread.h>\n#include <stdio.h>\nstatic void *f(void *x) { return x; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); puts(\"built\"); }\n",
			"Makefile": "main: main.c\n\tgcc -O2 -pthread -o $@ $<\ntest: main\n\t./main\n",
		},
		command: "make -s -j4 test", want: "built",
	},
	"python": {
		programs: []string{"/usr/bin/python3"},
		files:    map[string]string{"main.py": "import multiprocessing, subprocess, socket, tempfile\ndef f(x): return x * x\nif __name__ == '__main__':\n    socket.socket().bind(('127.0.0.1', 0))\n    tempfile.NamedTemporaryFile().write(b'x')\n    assert subprocess.check_output(['echo', 'x']) == b'x\\n'\n    with multiprocessing.Pool(4) as p: print(sum(p.map(f, range(10))))\n"},
		command:  "/usr/bin/python3 main.py", want: "285",
	},
	"npm test": {
		programs: []string{"npm", "node"},
		files: map[string]string{
			"package.json": `{"name": "hello", "version": "1.0.0", "scripts": {"test": "node --test"}}`,
			"a.test.js":    "const test = require('node:test'); const fs = require('node:fs/promises'); const { Worker } = require('node:worker_threads');\ntest('files', async () => { await fs.writeFile('x', 'y'); });\ntest('worker', () => new Promise((ok) => new Worker('0', { eval: true }).on('exit', ok)));\n",
		},
		command: "npm test --offline >log 2>&1; echo $?; grep -q 'pass 2' log && echo passed || cat log", want: "0\npassed",
	},
	"go": {
		programs: []string{"go"}, files: goFiles,
		command: "go build -o hello . && ./hello && go vet . && go test . >log && grep -o ^ok log", want: "hello\n3 <nil>\nok",
	},
	"cargo": {
		programs: []string{"cargo"},
		files: map[string]string{
			"Cargo.toml":  "[package]\nname = \"hello\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
			"src/main.rs": "fn main() { println!(\"built\"); }\n#[test]\nfn works() { assert_eq!(std::thread::spawn(|| 3).join().unwrap(), 3); }\n",
		},
		command: "cargo build -q --offline && target/debug/hello && cargo test -q --offline | grep -o '1 passed'", want: "built\n1 passed",
	},
}

// The filter and the limits take nothing from the work that commands do. Not run
// is what is not installed here.
func TestBuildsWorkInTheSandbox(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds with compilers and cold caches")
	}
	for name, build := range builds {
		t.Run(name, func(t *testing.T) {
			opts := Options{Home: t.TempDir(), TimeoutSec: 900, Env: map[string]string{"GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GOPROXY": "off", "CGO_ENABLED": "0"}}
			path := []string{"/usr/local/bin", "/usr/bin", "/bin"}
			for _, program := range build.programs {
				found, err := exec.LookPath(program)
				if err != nil {
					t.Skipf("not run: there is no %s here", program)
				}
				path = append(path, filepath.Dir(found))
			}
			if slices.Contains(build.programs, "cargo") {
				shareRust(t, &opts)
			}
			opts.Env["PATH"] = strings.Join(path, ":")
			b := sandboxed(t, opts)
			for file, text := range build.files {
				write(t, filepath.Join(b.ws.Dir, file), text)
			}
			start := time.Now()
			out, r := b.run(build.command)
			if !strings.HasSuffix(strings.TrimSpace(out), build.want) || r.IsError {
				t.Errorf("%s", r.Text)
			}
			t.Logf("%v", time.Since(start).Round(time.Millisecond))
		})
	}
}

// shareRust shows commands the compilers that rustup keeps in somebody's home.
func shareRust(t *testing.T, opts *Options) {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skipf("not run: %v", err)
	}
	for name, dir := range map[string]string{"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"} {
		if _, err := os.Stat(filepath.Join(home, dir)); err != nil {
			continue // a system's own
		}
		opts.Share = append(opts.Share, filepath.Join(home, dir))
		if name == "RUSTUP_HOME" {
			opts.Env[name] = filepath.Join(home, dir)
		}
	}
}
