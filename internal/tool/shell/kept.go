package shell

import (
	"os"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/limit"
)

// A Keep is a program that runs as commands do and may outlive the server: somebody else
// starts it and is its parent.
type Keep struct {
	Argv []string // its first is an absolute path
	Dir  string   // absolute, in the workspace
	Env  map[string]string
	Call tool.Call // for whom it runs and where
	Mark string    // see KeptMark
	// Read and Write are directories outside of the workspace that it may read, and
	// write.
	Read, Write []string
}

// A Kept program is ready to be started.
type Kept struct {
	Argv    []string // with the sandbox around it
	Env     []string
	Dir     string
	Files   []*os.File // open in it as 3, 4 and so on
	Info    *os.File   // for Enter; nil without a sandbox
	Gate    *os.File
	Group   limit.Group // nil where there are none
	Sandbox string      // bwrap or none
	Guarded bool        // see tool.Action
	Masked  []Masked    // what of the workspace is kept from it

	files []*os.File
}

// MarkVariable is the variable that holds the mark of a process.
const MarkVariable = callVariable

// KeptMark gives the mark of a program that has a directory. Sweep leaves it alone.
func KeptMark(dir string) string { return "kept." + shortHash(dir) }

// EndMarked ends every process with a mark, and reports whether none is left.
func EndMarked(mark string) bool { return killAllMarked(mark) }

// SandboxFor says what holds a program under a setting, whether a person is always asked,
// and why it may not run at all, "" if it may.
func SandboxFor(setting string) (kind string, protected bool, refused string) {
	return chooseSandbox(setting)
}

// SignalName names the signal that an exit code stands for, "" for none.
func SignalName(code int) string { return signalName(code) }

// PrepareKept makes a program ready. Close it once it was started.
func PrepareKept(opts Options, k Keep) (*Kept, error) {
	kind, _, refused := chooseSandbox(opts.Sandbox)
	if refused != "" {
		return nil, clew.Errorf(clew.ToolExecutionFailed, "%s", refused)
	}
	p := plan{argv: k.Argv, dir: k.Dir, sandbox: kind, opts: opts, ws: k.Call.Workspace, user: k.Call.Owner, reads: k.Read, writes: k.Write}
	p.env = environment(opts, kind, k.Dir, k.Call, p.equip(k.Call))
	for name, value := range k.Env {
		if settable(name) && !strings.ContainsRune(value, 0) {
			p.env[name] = value
		}
	}
	p.env[callVariable] = k.Mark
	guarded, masked := false, []Masked(nil)
	if kind == SandboxBwrap {
		if p.guarded, guarded = findGuarded(k.Call.Workspace, opts.Guard); guarded {
			masked = maskedFiles(k.Call.Workspace, p.guarded) // before they are: what is put in their place meanwhile is another file
		}
	}
	kept, err := p.keep()
	if err == nil {
		kept.Guarded, kept.Masked = guarded, masked
	}
	return kept, err
}

// Guards reports whether all of a workspace would be guarded from a program in a sandbox.
func Guards(ws *tool.Workspace, guard func(string) (hide, readOnly bool)) bool {
	_, ok := findGuarded(ws, guard)
	return ok
}

func (p plan) keep() (*Kept, error) {
	group, err := p.group()
	if err != nil {
		return nil, err
	}
	k := &Kept{Argv: p.argv, Env: environ(p.env), Dir: p.dir, Group: group, Sandbox: p.sandbox}
	if p.sandbox != SandboxBwrap {
		return k, nil
	}
	l, err := p.launchBwrap()
	if err != nil {
		k.Abandon()
		return nil, err
	}
	k.Argv = append([]string{l.cmd.Path}, l.cmd.Args[1:]...)
	k.Env, k.Dir, k.Files, k.Info, k.Gate, k.files = l.cmd.Env, l.cmd.Dir, l.cmd.ExtraFiles, l.info, l.gate, l.files
	return k, nil
}

// Close lets go of the files of a program that was started.
func (k *Kept) Close() {
	for _, f := range append([]*os.File{k.Info, k.Gate}, k.files...) {
		if f != nil {
			_ = f.Close()
		}
	}
	if k.Group != nil {
		_ = k.Group.Dir().Close()
	}
}

// Abandon closes a program that was not started, and removes its control group.
func (k *Kept) Abandon() {
	if k.Group != nil {
		k.Group.Close(killLimit)
	}
	k.Close()
}
