package server

import (
	"context"

	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/notebook/process"
	"github.com/clew-run/clew/internal/tool/shell"
)

// kernelPlans tells agents how cells would run.
type kernelPlans struct{ look process.Look }

// Plan implements agent.Notebooks. It takes the kernel that the runner would take.
func (k kernelPlans) Plan(ctx context.Context, r agent.KernelRequest) agent.KernelPlan {
	if s, ok := process.Pick(k.specs(ctx, r), r.Name); ok {
		return plan(r, s)
	}
	return agent.KernelPlan{Missing: "install one with: pip install ipykernel"}
}

// Kernels implements agent.Notebooks.
func (k kernelPlans) Kernels(ctx context.Context, r agent.KernelRequest) []agent.KernelPlan {
	var list []agent.KernelPlan
	for _, s := range k.specs(ctx, r) {
		list = append(list, plan(r, s))
	}
	return list
}

func (k kernelPlans) specs(ctx context.Context, r agent.KernelRequest) []process.Spec {
	look := k.look
	look.Workspace = r.Workspace
	return process.Kernels(ctx, look)
}

func plan(r agent.KernelRequest, s process.Spec) agent.KernelPlan {
	sandbox, protected, refused := shell.Holds(r.Values.CommandSandbox)
	return agent.KernelPlan{
		Name: s.Name, Argv: s.Argv, FromWorkspace: s.FromWorkspace, Missing: s.Missing,
		Sandbox: sandbox, Protected: protected, Refused: refused, Network: r.Values.CommandNetwork || sandbox == shell.SandboxNone,
	}
}
