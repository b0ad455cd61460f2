// Package layers holds the rules on who may import whom, and on the size of
// files. Its test checks the repository against them.
//
// The linter knows most of the same rules and says so in the editor. The test
// stands beside it because it needs no tool but Go, and because only a whole
// graph can show the order of layers.
package layers

import (
	"fmt"
	"slices"
	"strings"
)

// Module is the import path of the root package.
const Module = "github.com/clew-run/clew"

// order lists the layers. A package may import what stands above it, and the
// sub-packages of its own layer. "." is the root package.
var order = []string{
	".",
	"wire",
	"client",
	"docs", // what the server serves of the documents
	"web",  // the built web UI
	"internal/plan",
	"internal/run",    // the state machine of a run
	"internal/report", // what a run leaves behind to read
	"internal/history",
	"internal/budget",          // what was spent, and what may be
	"internal/crash",           // named places where tests kill the program
	"internal/clock",           // what time it is, and how much went by
	"internal/planted",         // bugs that a campaign has to find
	"internal/disk",            // the room on a file system
	"internal/child",           // a process that ends with the one that started it
	"internal/toolchain",       // what commands need to see of a person's build tools
	"internal/term",            // text that is safe at a terminal, and words that are near
	"internal/picture",         // image files, ready to be sent
	"internal/notebook/zmtp",   // the protocol of ZeroMQ
	"internal/notebook/kernel", // a Jupyter kernel, as its client sees it
	"internal/git",             // the only caller of git
	"internal/sentence",        // what the server writes for people
	"internal/llm/vendor",      // who serves models, and how each is spoken to
	"internal/settings",
	"internal/llm",
	"internal/notebook/ipynb",  // notebook files
	"internal/session/prompt",  // what models are told beside somebody's words
	"internal/session/blob",    // to which blobs its records refer
	"internal/session/core",    // what a session is: state and fold
	"internal/notebook/nbfile", // between its notebooks and notebook files
	"internal/session/decide",  // what follows from a command
	"internal/session/view",    // what is read of it: pages, timeline, changes
	"internal/session/rewind",  // the way to an earlier point of it
	"internal/session/feed",    // its recent past, ready to send
	"internal/session",
	"internal/search",   // words in sessions
	"internal/transfer", // sessions as files
	"internal/tool",
	"internal/supervisor", // programs that outlive the server
	"internal/notebook",   // kernels and notebooks
	"internal/project",    // what a project says to agents: AGENTS.md, skills, commands
	"internal/agent",
	"internal/control",
	"internal/archive",
	"internal/journal",
	"internal/checkpoint",
	"internal/erase", // deleted sessions, for good
	"internal/auth",
	"internal/inbox", // a person's open questions over all sessions
	"internal/gateway",
	"internal/api",
	"internal/demo", // the story and the sample project of clew demo
	"internal/server",
	"internal/deletion", // what the deletion of a session takes, for people
	"internal/ask",      // what questions say, for all that show them as text
	"internal/tui",
	"internal/cli",
	"cmd",
}

// outside lists what is no part of the program (tests, tools, examples): it may
// import anything, and nothing of the program may import it.
var outside = []string{
	"bench", "examples", "deploy",
	"internal/e2e", "internal/gen", "internal/transcript", "internal/layers", "internal/requirements",
	"internal/poll",    // how a test waits for other processes
	"internal/nightly", // how much a long test does
	"internal/gate",    // how .ci/run runs suites
	"internal/notebook/jupytertest",
	"internal/notebook/kerneltest",
}

// only narrows a layer to a list of layers of ours, beyond the order.
var only = []struct {
	layer  string
	may    []string
	reason string
}{
	{"wire", []string{"."}, "the wire knows the vocabulary and nothing else"},
	{"client", []string{".", "wire"}, "the client is what other programs import, so it brings nothing of the server"},
	{"internal/term", nil, "it knows text and nothing of sessions"},
	{"internal/notebook/ipynb", []string{"."}, "it knows notebook files and nothing of sessions"},
	{"internal/notebook/nbfile", []string{".", "internal/notebook/ipynb", "internal/session/core"}, "it knows files and states, and where neither lies"},
	{"internal/picture", nil, "it knows image files and nothing of sessions"},
	{"internal/notebook/zmtp", nil, "it knows frames and nothing of kernels"},
	{"internal/notebook/kernel", []string{".", "internal/term", "internal/notebook/zmtp"}, "it knows the protocol and nothing of sessions"},
	{"internal/ask", []string{".", "client", "internal/term"}, "it knows questions and draws nothing"},
	{"internal/deletion", []string{"client", "internal/term"}, "it knows what a deletion does and draws nothing"},
	{"internal/tui", []string{".", "wire", "client", "internal/term", "internal/picture", "internal/deletion", "internal/ask"}, "the terminal is a client, so that the protocol is in use every day"},
	{"internal/cli", []string{".", "wire", "client", "internal/server", "internal/toolchain", "internal/term", "internal/picture", "internal/deletion", "internal/ask", "internal/tui"}, "commands are clients; only serve and doctor reach the server, and by its front door"},
	{"cmd", []string{"internal/cli"}, "the command is a few lines"},
}

// reserved says which layers alone may import a technology. A path ending in /
// stands for all below it.
var reserved = []struct {
	path   string
	layers []string
	reason string
}{
	{"github.com/nats-io/", []string{"internal/journal"}, "the engine is a detail of the journal"},
	{"github.com/synadia-io/", []string{"internal/journal"}, "the engine is a detail of the journal"},
	{"gocloud.dev/", []string{"internal/archive"}, "blob stores are a detail of the archive"},
	{"github.com/klauspost/compress/zstd", []string{"internal/archive", "internal/transfer", "internal/journal"}, "only sealed segments, bundles and backups are compressed"},
	{"modernc.org/", []string{"internal/search"}, "the search index is a cache; the journal is the truth"},
	{"database/sql", []string{"internal/search"}, "the search index is a cache; the journal is the truth"},
	{"github.com/gobwas/", []string{"internal/gateway"}, "the server writes frames in one place"},
	{"github.com/coder/websocket", []string{"client"}, "the client's library; the server has its own"},
	{Module + "/web", []string{"internal/server"}, "the API is handed the files it serves"},
	{Module + "/client", []string{"internal/deletion", "internal/ask", "internal/cli", "internal/tui"}, "the server does not call itself from outside"},
}

// pure lists layers that decide and touch no technology.
var pure = []string{".", "wire", "internal/plan", "internal/history", "internal/budget", "internal/notebook/ipynb", "internal/session/prompt", "internal/session/core", "internal/notebook/nbfile", "internal/session/decide", "internal/session/view", "internal/session/rewind", "internal/session/feed", "internal/session"}

// impure lists what those layers leave alone.
var impure = []string{"net/http", "os/exec", "database/sql", "github.com/nats-io/", "github.com/coder/websocket", "github.com/gobwas/"}

// functions lists layers of pure functions: the same input gives the same
// output, on every node and years later.
var functions = []string{"internal/plan", "internal/notebook/ipynb", "internal/session/core", "internal/notebook/nbfile", "internal/session/decide"}

// memory lists what would let them remember, wait, guess or say something.
var memory = []string{"os", "sync", "sync/atomic", "log/slog", "net", "math/rand/v2", "crypto/rand"}

// A Package is a node of the import graph.
type Package struct {
	ImportPath string
	Imports    []string
}

// Check gives one sentence for each import that breaks a rule.
func Check(graph []Package) []string {
	var problems []string
	for _, p := range graph {
		problems = append(problems, checkPackage(p)...)
	}
	return problems
}

func checkPackage(p Package) []string {
	name := short(p.ImportPath)
	if within(name, outside) {
		return nil
	}
	layer := layerOf(name)
	if layer == "" {
		return []string{fmt.Sprintf("%s has no place in the order of layers: give it one in internal/layers", name)}
	}
	var problems []string
	for _, imported := range p.Imports {
		if why := refuse(layer, imported); why != "" {
			problems = append(problems, fmt.Sprintf("%s imports %s: %s", name, imported, why))
		}
	}
	return problems
}

// refuse says why a layer may not import a package, "" if it may.
func refuse(layer, imported string) string {
	for _, r := range reserved {
		if matches(imported, r.path) && !slices.Contains(r.layers, layer) && !ownLayer(layer, imported) {
			return r.reason
		}
	}
	if slices.Contains(pure, layer) && slices.ContainsFunc(impure, func(path string) bool { return matches(imported, path) }) {
		return "this layer touches no technology"
	}
	if slices.Contains(functions, layer) && slices.Contains(memory, imported) {
		return "this layer has pure functions only"
	}
	if !ours(imported) {
		if layer == "." && !standard(imported) {
			return "the root package imports the standard library only"
		}
		return ""
	}
	return refuseOurs(layer, short(imported))
}

func refuseOurs(layer, imported string) string {
	if within(imported, outside) {
		return "it is no part of the program"
	}
	target := layerOf(imported)
	if target == layer || target == "" { // an unplaced package is reported by itself
		return ""
	}
	for _, o := range only {
		if o.layer == layer && !slices.Contains(o.may, target) {
			return o.reason
		}
	}
	if slices.Index(order, target) > slices.Index(order, layer) {
		return "it stands below in the order of layers"
	}
	return ""
}

func ownLayer(layer, imported string) bool {
	return ours(imported) && layerOf(short(imported)) == layer
}

func ours(path string) bool { return path == Module || strings.HasPrefix(path, Module+"/") }

// standard reports whether path is of the standard library, whose paths have
// no dot in their first part.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// short gives a path from the root of the module, "." for the root itself.
func short(path string) string {
	if path == Module {
		return "."
	}
	return strings.TrimPrefix(path, Module+"/")
}

func layerOf(name string) string {
	for _, layer := range order {
		if name == layer || layer != "." && strings.HasPrefix(name, layer+"/") {
			return layer
		}
	}
	return ""
}

func within(name string, list []string) bool {
	return slices.ContainsFunc(list, func(l string) bool { return name == l || strings.HasPrefix(name, l+"/") })
}

func matches(path, rule string) bool {
	if strings.HasSuffix(rule, "/") {
		return strings.HasPrefix(path, rule)
	}
	return path == rule || strings.HasPrefix(path, rule+"/")
}
