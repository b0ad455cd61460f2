package process

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/supervisor"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/shell"
)

// Start starts a kernel and returns when its process runs; it needs a few seconds more
// until it answers. After a crash of the server at any point of it, Find finds the kernel
// or says that it is gone, and then no process of it is left.
func (s *Starter) Start(ctx context.Context, st Start) (*Kernel, error) {
	if st.Spec.Missing != "" {
		return nil, clew.Errorf(clew.ToolExecutionFailed, "the kernel %s cannot be started: %s", st.Spec.Name, st.Spec.Missing)
	}
	dir := supervisor.Dir(s.Root, st.ID)
	opts := s.options(ctx, st)
	kind, _, _ := shell.SandboxFor(opts.Sandbox)
	keep := st.keep(dir, kind)
	a := about{ID: st.ID, Name: st.Spec.Name, Interrupt: st.Spec.Interrupt, Workspace: st.Workspace.Dir}
	if err := prepare(dir, a); err != nil {
		return nil, fmt.Errorf("the kernel's directory: %w", err)
	}
	crash.At("kernel.prepared")
	kept, err := shell.PrepareKept(opts, keep)
	if err != nil {
		return nil, err
	}
	a.Sandbox, a.Guarded, a.Masked, a.Offline = kept.Sandbox, kept.Guarded, kept.Masked, kept.Sandbox != shell.SandboxNone && !opts.Network
	if err := writeJSON(aboutFile(dir), a); err != nil { // before it runs
		kept.Abandon()
		return nil, fmt.Errorf("the kernel's directory: %w", err)
	}
	held, err := supervisor.Start(ctx, dir, supervisor.Program{
		ID: st.ID, About: "kernel " + st.Spec.Name + " in " + st.Workspace.Dir,
		Argv: kept.Argv, Env: kept.Env, Dir: kept.Dir, Files: kept.Files, Info: kept.Info, Gate: kept.Gate,
		Group: kept.Group, Limits: opts.Limits, Orphan: s.Orphan(),
		Record: &supervisor.Recording{Socket: socketStart(dir) + "-" + strconv.Itoa(iopubPort), File: recordingFile(dir), Max: maxRecorded},
	})
	if err != nil {
		kept.Abandon()
		return nil, err
	}
	kept.Close()
	return &Kernel{held: held, about: a}, nil
}

// options are those of commands, with what is a kernel's own.
func (s *Starter) options(ctx context.Context, st Start) shell.Options {
	opts := s.Options(ctx)
	opts.Network = st.Network
	if st.MemoryMB > 0 {
		opts.Limits.Memory = int64(st.MemoryMB) << 20
		opts.Total.Memory = max(opts.Total.Memory, opts.Limits.Memory)
	}
	return opts
}

// argv is the kernel's command, as people know it.
func (st Start) argv(dir string) []string {
	argv := make([]string, len(st.Spec.Argv))
	for i, word := range st.Spec.Argv {
		argv[i] = strings.ReplaceAll(word, "{connection_file}", shownConnectionFile(dir))
	}
	return argv
}

// keep is the kernel as a program for the sandbox.
func (st Start) keep(dir, sandbox string) shell.Keep {
	env := map[string]string{
		"PYDEVD_DISABLE_FILE_VALIDATION": "1", // else a line of noise with frozen modules
		// Without a sandbox the workspace is HOME: nobody looks for their files there.
		"IPYTHONDIR": ipythonDir(dir), "MPLCONFIGDIR": filepath.Join(socketDir(dir), "matplotlib"),
	}
	if sandbox == shell.SandboxNone && st.Spec.Env["PYTHONUSERBASE"] == "" {
		env["PYTHONNOUSERSITE"] = "1" // nor for packages of theirs, which run as it starts
	}
	for _, more := range []map[string]string{st.Spec.Env, st.Env} {
		for name, value := range more {
			env[name] = value
		}
	}
	begin := st.Dir
	if begin == "" {
		begin = st.Workspace.Dir
	}
	return shell.Keep{
		Argv: elsewhere(st.argv(dir)), Dir: begin, Env: env, Mark: supervisor.Mark(dir), Read: st.Spec.Read, Write: []string{socketDir(dir)},
		Call: tool.Call{ID: st.ID, SessionID: st.SessionID, Owner: st.Owner, Workspace: st.Workspace, Environment: st.Terminal},
	}
}

// Effect is what a person is asked about before the kernel is started. Protected says
// that no setting answers for them; refused why it may not run at all.
func (s *Starter) Effect(ctx context.Context, st Start) (effect clew.Effect, protected bool, refused string) {
	opts := s.options(ctx, st)
	kind, protected, refused := shell.SandboxFor(opts.Sandbox)
	dir := supervisor.Dir(s.Root, st.ID)
	k, argv := st.keep(dir, kind), st.argv(dir)
	return clew.Effect{
		Summary: "start the kernel " + st.Spec.Display, Command: strings.Join(argv, " "), Argv: argv, Directory: k.Dir, Environment: k.Env,
		Network: st.Network || kind == shell.SandboxNone, Sandbox: kind, Limits: opts.Limits.Unusual(),
	}, protected || st.Spec.FromWorkspace, refused
}

// iopubPort is the number of the socket on which a kernel publishes.
const iopubPort = 2

// maxRecorded bounds what is kept of what a kernel publishes, for a server that comes later:
// a run whose outputs are all kept (see the package notebook) has a place.
const maxRecorded = 128 << 20

// prepare makes the directory with the connection file, in which nothing is of an
// earlier kernel.
func prepare(dir string, a about) error {
	for _, d := range []string{dir, socketDir(dir)} {
		if err := os.Mkdir(d, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	for _, found := range supervisor.List(filepath.Dir(dir)) {
		if found.Dir == dir && found.Running {
			return supervisor.ErrRunning
		}
	}
	old, err := os.ReadDir(socketDir(dir))
	if err != nil {
		return err
	}
	for _, e := range old {
		if err := os.RemoveAll(filepath.Join(socketDir(dir), e.Name())); err != nil {
			return err
		}
	}
	profile := filepath.Join(ipythonDir(dir), "profile_default")
	if err := os.MkdirAll(profile, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(profile, "ipython_kernel_config.py"), kernelConfig, 0o600); err != nil {
		return err
	}
	if err := os.Remove(recordingFile(dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	connection := map[string]any{
		"transport": "ipc", "ip": socketStart(dir), "shell_port": 1, "iopub_port": iopubPort, "stdin_port": 3, "control_port": 4, "hb_port": 5,
		"key": hex.EncodeToString(key), "signature_scheme": "hmac-sha256", "kernel_name": a.Name,
	}
	return errors.Join(writeJSON(aboutFile(dir), a), writeJSON(connectionFile(dir), connection), writeJSON(shownConnectionFile(dir), connection))
}

// ipythonDir is where a Python kernel looks for its settings: nobody's own.
func ipythonDir(dir string) string { return filepath.Join(socketDir(dir), "ipython") }

//go:embed ipython_kernel_config.py
var kernelConfig []byte

func writeJSON(name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o600)
}

// Find holds a kernel that an earlier run of the server started. It may have ended: what it
// published last is there until Forget is called. The error may be ErrNone.
func (s *Starter) Find(ctx context.Context, id string) (*Kernel, error) {
	held, err := supervisor.Find(ctx, supervisor.Dir(s.Root, id))
	if errors.Is(err, supervisor.ErrNone) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	k := &Kernel{held: held}
	b, err := os.ReadFile(aboutFile(held.Dir()))
	if err == nil {
		err = json.Unmarshal(b, &k.about)
	}
	if _, ended := held.Ended(); err != nil && !ended {
		held.Release()
		return nil, fmt.Errorf("what is on record of the kernel: %w", err)
	}
	return k, nil
}

// Hold says what holds a kernel that was started on this machine, false if that is not on
// record, be it not yet.
func (s *Starter) Hold(id string) (Hold, bool) {
	var a about
	b, err := os.ReadFile(aboutFile(supervisor.Dir(s.Root, id)))
	if err != nil || json.Unmarshal(b, &a) != nil || a.ID != id || a.Sandbox == "" {
		return Hold{}, false
	}
	return Hold{Sandbox: a.Sandbox, Network: !a.Offline, Guarded: a.Guarded, Masked: a.Masked}, true
}

// All lists the kernels on this machine, also those that no server holds.
func (s *Starter) All() []supervisor.Found { return supervisor.List(s.Root) }
