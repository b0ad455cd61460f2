package server

import (
	"context"
	"strings"
	"time"

	"github.com/clew-run/clew/internal/notebook/process"
	"github.com/clew-run/clew/internal/supervisor"
)

// Kernels are those of this machine, for somebody who wants to run a notebook.
type Kernels struct {
	Kernels []KernelSpec    `json:"kernels"` // that can be started, and that lack something
	Running []RunningKernel `json:"running"`
}

// A KernelSpec is a kernel that can be started.
type KernelSpec struct {
	Name          string   `json:"name"`
	Display       string   `json:"display"`
	Language      string   `json:"language"`
	Argv          []string `json:"argv,omitempty"`
	FromWorkspace bool     `json:"from_workspace,omitempty"`
	Missing       string   `json:"missing,omitempty"` // what to do to get it
}

// A RunningKernel is a kernel that a supervisor keeps. Without a server that holds it,
// it ends at EndsMS.
type RunningKernel struct {
	KernelID  string `json:"kernel_id"`
	About     string `json:"about,omitempty"`
	PID       int    `json:"pid"`
	StartedMS int64  `json:"started_ms"`
	Held      bool   `json:"held"` // by a server
	EndsMS    int64  `json:"ends_ms,omitempty"`
}

// FindKernels looks for kernels with a person's environment, in a directory, and for
// those that run for the server of a data directory. It starts nothing.
func FindKernels(ctx context.Context, data, dir string, environ []string) Kernels {
	found := Kernels{Kernels: []KernelSpec{}, Running: []RunningKernel{}}
	vars := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	for _, s := range process.Kernels(ctx, process.Look{Workspace: dir, Environ: vars}) {
		found.Kernels = append(found.Kernels, KernelSpec{s.Name, s.Display, s.Language, s.Argv, s.FromWorkspace, s.Missing})
	}
	root := supervisor.LookForRoot(data)
	if root == "" {
		return found
	}
	for _, p := range supervisor.List(root) {
		if !p.Running {
			continue
		}
		k := RunningKernel{KernelID: p.ID, About: p.About, PID: p.PID, StartedMS: p.Started.UnixMilli(), Held: p.Held}
		if !p.Held {
			k.EndsMS = p.AloneSince.Add(p.Orphan).UnixMilli()
		}
		found.Running = append(found.Running, k)
	}
	return found
}

// Orphaned reports whether no server holds the kernel, and how long it has left.
func (k RunningKernel) Orphaned(now time.Time) (left time.Duration, yes bool) {
	return max(0, time.UnixMilli(k.EndsMS).Sub(now)), !k.Held
}
