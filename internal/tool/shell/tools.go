package shell

import (
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/toolchain"
	_ "github.com/clew-run/clew/internal/toolchain/gocache" // this program is Go's cache inside the sandbox
)

// equip finds what a command has of the person's toolchains. Without a sandbox it
// sees them all anyway, and needs their PATH and variables only.
func (p *plan) equip(call tool.Call) map[string]string {
	if p.opts.Toolchains == nil {
		return nil
	}
	request, ok := p.opts.Toolchains(call)
	if !ok {
		return nil
	}
	request.Workspace, request.Network, request.Shared = call.Workspace.Dir, p.opts.Network, p.opts.Share
	if p.sandbox != SandboxBwrap {
		return toolchain.Bare(request)
	}
	p.tools = toolchain.Find(request)
	env := maps.Clone(p.tools.Env)
	if p.tools.NeedsProgram && ownProgram() == "" {
		delete(env, "GOCACHEPROG")
		p.tools.NeedsProgram = false
	}
	if p.opts.Cache == "" {
		p.withoutCaches(env)
	}
	p.cache = filepath.Join(p.opts.Cache, CacheName(string(call.Owner), call.Workspace.Dir))
	return env
}

// withoutCaches leaves out what is kept between commands: it goes to the empty
// home that ends with the command.
func (p *plan) withoutCaches(env map[string]string) {
	maps.DeleteFunc(env, func(_, value string) bool { return strings.Contains(value, toolchain.CacheDir) })
	p.tools.Caches, p.tools.Copies, p.tools.NeedsProgram = nil, nil, false
}

// CacheName names the directory with the caches of a workspace. Nobody else's
// commands write there: a shared cache lets one project poison another.
func CacheName(user, workspace string) string { return shortHash(user + "\x00" + workspace) }

// ownProgram is the file of this program, "" if it is gone, as after an upgrade.
func ownProgram() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}
