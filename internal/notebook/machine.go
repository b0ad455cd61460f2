package notebook

import (
	"context"

	"github.com/clew-run/clew/internal/notebook/process"
	"github.com/clew-run/clew/internal/settings"
)

// A Machine is the Kernels of this machine.
type Machine struct {
	Starter *process.Starter
	// Look says where kernels are looked for besides the workspace.
	Look process.Look
}

// Specs implements Kernels.
func (m Machine) Specs(ctx context.Context, workspace string) []process.Spec {
	look := m.Look
	look.Workspace = workspace
	return process.Kernels(ctx, look)
}

// Start implements Kernels.
func (m Machine) Start(ctx context.Context, st process.Start) (Process, error) {
	k, err := m.Starter.Start(ctx, st)
	if err != nil {
		return nil, err
	}
	return k, nil
}

// Find implements Kernels.
func (m Machine) Find(ctx context.Context, id string) (Process, error) {
	k, err := m.Starter.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	return k, nil
}

// Left implements Kernels.
func (m Machine) Left() []string {
	var ids []string
	for _, f := range m.Starter.All() {
		if f.ID != "" { // or it never ran
			ids = append(ids, f.ID)
		}
	}
	return ids
}

type valuesKey struct{}

// ValuesOf gives the settings that hold for the kernel that is started with ctx.
func ValuesOf(ctx context.Context) (settings.Values, bool) {
	v, ok := ctx.Value(valuesKey{}).(settings.Values)
	return v, ok
}
