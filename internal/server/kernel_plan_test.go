package server

import (
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/notebook/process"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/shell"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// Of a kernel that runs counts what it was started with and not what the settings say by
// now; of one that nothing is known of, nothing is believed.
func TestPlanOfARunningKernel(t *testing.T) {
	holds := map[string]process.Hold{
		"held": {Sandbox: "bwrap", Guarded: true}, "online": {Sandbox: "bwrap", Network: true, Guarded: true}, "loose": {Sandbox: "none", Network: true}, "bare": {Sandbox: "bwrap"},
	}
	dir := t.TempDir()
	plans := kernelPlans{
		open: func(r agent.KernelRequest) (*tool.Workspace, error) { return workspace.Open(r.Workspace, nil) },
		hold: func(id string) (process.Hold, bool) { h, ok := holds[id]; return h, ok },
	}
	sandbox := settings.Values{CommandSandbox: "auto", Permissions: settings.PresetSandbox}
	for name, c := range map[string]struct {
		values  settings.Values
		kernel  string
		want    process.Hold
		running bool
		refused bool
	}{
		"held":                      {sandbox, "held", holds["held"], true, false},
		"held, now with network":    {settings.Values{CommandNetwork: true, CommandSandbox: "none"}, "held", holds["held"], true, false},
		"online, now without":       {sandbox, "online", holds["online"], true, false},
		"not guarded":               {sandbox, "bare", holds["bare"], true, false},
		"loose":                     {sandbox, "loose", holds["loose"], true, false},
		"loose, sandbox demanded":   {settings.Values{CommandSandbox: "bwrap"}, "loose", holds["loose"], true, true},
		"unknown":                   {sandbox, "unknown", holds["loose"], true, false},
		"unknown, sandbox demanded": {settings.Values{CommandSandbox: "bwrap"}, "unknown", holds["loose"], true, true},
		"new":                       {settings.Values{CommandSandbox: "none"}, "", holds["loose"], false, false},
	} {
		p := plans.Plan(t.Context(), agent.KernelRequest{Workspace: dir, Values: c.values, Kernel: c.kernel})
		if got := (process.Hold{Sandbox: p.Sandbox, Network: p.Network, Guarded: p.Guarded}); !reflect.DeepEqual(got, c.want) || p.Running != c.running || (p.Refused != "") != c.refused {
			t.Errorf("%s: %+v", name, p)
		}
		if c.refused && strings.Contains(p.Refused, "is not known") != (c.kernel == "unknown") {
			t.Errorf("%s: %s", name, p.Refused)
		}
	}
}

// A kernel counts as guarded until there is a secret that is not kept from it.
func TestPlanOfAGuardedKernel(t *testing.T) {
	dir := t.TempDir()
	plans := kernelPlans{
		open: func(r agent.KernelRequest) (*tool.Workspace, error) { return workspace.Open(r.Workspace, nil) },
		hold: func(string) (process.Hold, bool) { return process.Hold{Sandbox: "bwrap", Guarded: true}, true },
	}
	guarded := func() bool { return plans.Plan(t.Context(), agent.KernelRequest{Workspace: dir, Kernel: "k"}).Guarded }
	if !guarded() {
		t.Error("where there is no secret")
	}
	if err := os.WriteFile(filepath.Join(dir, ".env.local"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if guarded() {
		t.Error("from a secret that is newer than the kernel")
	}
	if dir = filepath.Join(dir, "gone"); guarded() {
		t.Error("in a workspace that cannot be looked at")
	}
}

// A new kernel counts as guarded only if it would be: in a sandbox, with the preset, and
// where all that has to be guarded can be.
func TestPlanOfANewKernel(t *testing.T) {
	if kind, reason := shell.Probe(); kind != shell.SandboxBwrap {
		t.Skip(reason)
	}
	few, many := t.TempDir(), t.TempDir()
	for i := range 300 {
		d := filepath.Join(many, strconv.Itoa(i))
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d, ".env"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plans := kernelPlans{open: func(r agent.KernelRequest) (*tool.Workspace, error) { return workspace.Open(r.Workspace, nil) }}
	for _, c := range []struct {
		dir, preset, sandbox string
		guarded              bool
	}{
		{few, settings.PresetSandbox, "auto", true}, {few, "", "auto", false}, {few, settings.PresetSandbox, "none", false}, {many, settings.PresetSandbox, "auto", false},
	} {
		p := plans.Plan(t.Context(), agent.KernelRequest{Workspace: c.dir, Values: settings.Values{CommandSandbox: c.sandbox, Permissions: c.preset}})
		if p.Guarded != c.guarded || p.Running {
			t.Errorf("%+v: %+v", c, p)
		}
	}
	if p := plans.Plan(t.Context(), agent.KernelRequest{Workspace: filepath.Join(few, "gone")}); p.Refused == "" {
		t.Errorf("without a workspace: %+v", p)
	}
}
