package server

import (
	"context"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/notebook/process"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/files"
	"github.com/clew-run/clew/internal/tool/shell"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// kernelPlans tells agents how cells would run.
type kernelPlans struct {
	look process.Look
	// open opens a session's workspace, and hold says what holds a kernel that runs here.
	open func(agent.KernelRequest) (*tool.Workspace, error)
	hold func(id string) (process.Hold, bool)
}

// Plan implements agent.Notebooks. It takes the kernel that the runner would take. Of one
// that runs counts what it was started with, and nothing relies on one that is not here.
func (k kernelPlans) Plan(ctx context.Context, r agent.KernelRequest) agent.KernelPlan {
	if r.Kernel != "" {
		hold, known := k.hold(r.Kernel)
		hold.Guarded = hold.Guarded && k.stillGuarded(r, hold)
		return running(r, hold, known)
	}
	place, err := k.open(r)
	if err != nil {
		return agent.KernelPlan{Sandbox: shell.SandboxNone, Network: true, Refused: clew.AsError(err).Message}
	}
	defer func() { _ = workspace.Close(place) }()
	s, ok := process.Pick(k.specs(ctx, place.Dir), r.Name)
	if !ok {
		return agent.KernelPlan{Missing: "install one with: pip install ipykernel"}
	}
	p := plan(r, s)
	p.Guarded = p.Sandbox == shell.SandboxBwrap && shell.Guards(place, guardOf(r.Values))
	return p
}

// stillGuarded looks whether a kernel is guarded from what the workspace has by now.
func (k kernelPlans) stillGuarded(r agent.KernelRequest, h process.Hold) bool {
	place, err := k.open(r)
	if err != nil {
		return false
	}
	defer func() { _ = workspace.Close(place) }()
	return shell.StillGuarded(place, files.Guards, h.Masked)
}

// running is a kernel that runs. Where a sandbox is demanded nothing runs without one, as
// with commands.
func running(r agent.KernelRequest, h process.Hold, known bool) agent.KernelPlan {
	p := agent.KernelPlan{Name: r.Name, Running: true, Sandbox: h.Sandbox, Network: h.Network, Guarded: h.Guarded}
	if p.Sandbox != shell.SandboxBwrap {
		p.Sandbox, p.Network, p.Guarded = shell.SandboxNone, true, false
		switch {
		case r.Values.CommandSandbox != shell.SandboxBwrap:
		case known:
			p.Refused = "commands must run in a sandbox, and this kernel is in none: restart it"
		default:
			p.Refused = "commands must run in a sandbox, and what holds this kernel is not known here: restart it"
		}
	}
	return p
}

// Kernels implements agent.Notebooks.
func (k kernelPlans) Kernels(ctx context.Context, r agent.KernelRequest) []agent.KernelPlan {
	place, err := k.open(r)
	if err != nil {
		return nil
	}
	defer func() { _ = workspace.Close(place) }()
	var list []agent.KernelPlan
	for _, s := range k.specs(ctx, place.Dir) {
		list = append(list, plan(r, s))
	}
	return list
}

func (k kernelPlans) specs(ctx context.Context, dir string) []process.Spec {
	look := k.look
	look.Workspace = dir
	return process.Kernels(ctx, look)
}

func plan(r agent.KernelRequest, s process.Spec) agent.KernelPlan {
	sandbox, protected, refused := shell.Holds(r.Values.CommandSandbox)
	return agent.KernelPlan{
		Name: s.Name, Argv: s.Argv, FromWorkspace: s.FromWorkspace, Missing: s.Missing,
		Sandbox: sandbox, Protected: protected, Refused: refused, Network: r.Values.CommandNetwork || sandbox == shell.SandboxNone,
	}
}

// guardOf says what of a workspace is kept from commands and kernels.
func guardOf(v settings.Values) func(string) (hide, readOnly bool) {
	if v.Permissions == settings.PresetSandbox {
		return files.Guards
	}
	return nil
}
