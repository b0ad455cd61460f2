package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/control"
	"github.com/clew-run/clew/internal/disk"
	"github.com/clew-run/clew/internal/llm/choice"
	"github.com/clew-run/clew/internal/notebook"
	"github.com/clew-run/clew/internal/project"
	"github.com/clew-run/clew/internal/report"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/fetch"
	"github.com/clew-run/clew/internal/tool/files"
	"github.com/clew-run/clew/internal/tool/mcp"
	"github.com/clew-run/clew/internal/tool/shell"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// agentDeps is what agents work with: settings, secrets, providers and tools.
type agentDeps struct {
	cfg      Config
	log      *slog.Logger
	settings *settings.Settings
	secrets  *settings.Secrets
	models   *choice.Models
	shell    *shell.Shell
	mcp      *mcp.Manager
	builtin  []tool.Tool
	agent    *agent.Agent
	desk     *control.ServerCommands
	room     func(dir string) error // that the disk of a directory has
	// workspaces counts what those take that the server makes.
	workspaces *disk.Workspaces
	login      loginShell

	version atomic.Uint64 // of settings and tools
}

// openWorkshop opens settings and secrets and puts the tools together. Processes
// that an earlier run of the server left behind are ended first.
func (s *Server) openWorkshop(ctx, bg context.Context) (*agentDeps, error) {
	w := &agentDeps{cfg: s.cfg, log: s.log, room: s.reserve.RoomAt, login: loginShell{log: s.log}}
	if n, err := shell.Sweep(ctx, shell.Marker(s.cfg.Data)); err != nil || n > 0 {
		s.log.Warn("processes of an earlier run were ended", "count", n, "err", err)
	}
	var err error
	w.secrets, err = settings.OpenSecrets(ctx, settings.SecretsOptions{Dir: s.cfg.Data, Environ: s.cfg.environ(), Redactor: s.cfg.Redactor, Log: s.log})
	if err != nil {
		return nil, fmt.Errorf("secrets: %w", err)
	}
	table, err := s.journal.Table(ctx, "SETTINGS")
	if err != nil {
		return nil, err
	}
	w.settings, err = settings.Open(bg, settings.Options{
		File: s.cfg.Settings, Environ: s.cfg.environ(), Store: settingsStore{table, s.log}, Secrets: w.secrets,
		Redactor: w.secrets.Redactor(), Providers: s.cfg.providers(), Log: s.log,
		Automatic: choice.Automatic(w.secrets, s.cfg.environ(), s.cfg.providers()),
	})
	if err != nil {
		return nil, err
	}
	w.models = &choice.Models{Settings: w.settings, Keys: w.secrets, Providers: s.cfg.providers(), Open: w.tryProvider, Environ: s.cfg.environ()}
	if use, ok := w.settings.Automatic(); ok {
		s.log.Info("a model is used that nobody chose", "profile", use.Name, "model", use.Model, "variable", use.Variable)
	}
	font, err := s.cfg.reportFont()
	if err != nil {
		return nil, err
	}
	s.blobs, err = s.journal.OpenBlobUse(ctx, func() int64 {
		v, _ := w.settings.For(nil)
		return int64(v.BlobQuotaMB) * megabyte
	})
	if err != nil {
		return nil, err
	}
	w.workspaces = disk.NewWorkspaces(s.cfg.ownWorkspaces(), filepath.Join(s.cfg.Data, "usage"), func() int64 {
		v, _ := w.settings.For(nil)
		return int64(v.WorkspaceQuotaMB) * megabyte
	})
	if s.files, err = s.cfg.keeper(s.journal, w.settings, w.workspaces, s.log); err != nil {
		return nil, err
	}
	w.openTools(bg)
	w.agent = agent.New(agent.Config{
		Notebooks: s.kernelPlans(w),
		Clock:     s.cfg.Clock, Settings: w.settings, Provider: w.provider, Model: w.model, Tools: w.tools, Workspace: w.workspace, MadeFrom: s.madeFrom, Todos: todoTrees{s}, MonthCost: s.months.cost, Node: s.nodeAmongOthers(), Home: w.cfg.ownWorkspace, Version: w.version.Load, Trusted: trusted,
		AlwaysAllowed: func(s tool.Spec) bool { return w.mcp.AlwaysAllowed(s.Server, s.Name) },
		AppTool:       w.mcp.AppTool,
		Blobs:         s.blobs, Refers: s.refers.Refers, Files: s.files, Log: s.log, ReportFont: font,
		Instructions: s.cfg.personal("AGENTS.md"),
		Personal:     func() project.Folder { return s.cfg.personalSkills(s.log) },
		Surroundings: func(dir string) string { return project.Surroundings(s.cfg.Clock.Now(), dir) },
	})
	w.desk = &control.ServerCommands{
		Settings: w.settings, Servers: w.mcp, Version: Version, Sessions: func() control.Sessions { return s.host }, MadeFrom: s.madeFrom,
	}
	return w, nil
}

// nodeAmongOthers is this node's name, "" if it is the only one.
func (s *Server) nodeAmongOthers() string {
	if s.journal.Peers() == nil {
		return ""
	}
	return s.journal.Node()
}

// reportFont reads the operator's font for reports, nil without one.
func (c Config) reportFont() ([]byte, error) {
	if c.ReportFont == "" {
		return nil, nil
	}
	font, err := os.ReadFile(c.ReportFont)
	if err == nil {
		err = report.CheckFont(font)
	}
	if err != nil {
		return nil, fmt.Errorf("report_font: %w", err)
	}
	return font, nil
}

// trusted reports whether a session's owner is whoever runs the server. All
// others, administrators among them, have come through the network.
func trusted(owner clew.UserID) bool { return owner == auth.OwnerUser || owner == auth.LocalUser }

func (w *agentDeps) openTools(bg context.Context) {
	now := func() settings.Values { v, _ := w.settings.For(nil); return v }
	w.shell = shell.New(w.commandOptions)
	w.mcp = mcp.New(mcp.Options{
		Servers: func() map[string]settings.McpServer {
			if v := now(); v.McpEnabled {
				return v.McpServers
			}
			return nil
		},
		Secret: w.secret, Log: w.log, Version: Version,
	})
	w.mcp.OnChange(func() { w.version.Add(1) })
	w.settings.Subscribe(func(changed []string) {
		w.version.Add(1)
		for _, key := range changed {
			if strings.HasPrefix(key, "mcp_") {
				w.mcp.Reload(bg)
				return
			}
		}
	})
	w.mcp.Reload(bg)
	w.builtin = append(files.Tools(), w.shell.Tools()...)
	w.builtin = append(w.builtin, fetch.New(fetch.Options{Allow: func(clew.SessionID) []string { return now().FetchAllow }}))
}

// commandOptions are those of commands, and of the kernels of notebooks.
func (w *agentDeps) commandOptions(ctx context.Context) shell.Options {
	v, ok := agent.ValuesOf(ctx)
	if !ok {
		v, ok = notebook.ValuesOf(ctx)
	}
	if !ok {
		v, _ = w.settings.For(nil)
	}
	command, total := commandLimits(v)
	return shell.Options{
		Guard:   guardOf(v),
		Sandbox: v.CommandSandbox, Network: v.CommandNetwork, Env: plain(v.CommandEnv), Share: v.CommandShare, Hide: w.cfg.hidden(),
		TimeoutSec: v.CommandTimeoutSec, Toolchains: w.toolchains(ctx, v), Cache: w.cfg.caches(), Limits: command, Total: total, Groups: w.cfg.Groups, Room: w.room, Marker: shell.Marker(w.cfg.Data), Log: w.log,
	}
}

// sandboxed reports whether commands are kept in by default, and why or how. What
// a service may do is often less than what a person may, so only the server itself
// can tell. It takes a moment the first time.
func (w *agentDeps) sandboxed() (bool, string) {
	if v, _ := w.settings.For(nil); v.CommandSandbox == shell.SandboxNone {
		return false, "command_sandbox is none"
	}
	kind, reason := shell.Probe()
	return kind == shell.SandboxBwrap, reason
}

// tellSandbox writes into the log whether commands are kept in.
func (s *Server) tellSandbox() {
	if ok, reason := s.shop.sandboxed(); ok {
		s.log.Info("commands of agents run in a sandbox", "sandbox", reason)
	} else {
		s.log.Warn("commands of agents run without a sandbox", "reason", reason)
	}
}

// plain leaves out what stands for a secret: a command's environment is shown
// to people and goes on record.
func plain(env map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range env {
		if !strings.Contains(value, "$SECRET:") {
			out[name] = value
		}
	}
	return out
}

func (w *agentDeps) close() {
	if w.mcp != nil {
		w.mcp.Close()
	}
	if w.shell != nil {
		w.shell.Close()
	}
	if w.workspaces != nil {
		w.workspaces.Close()
	}
}

func (w *agentDeps) tools(ctx context.Context) []tool.Tool {
	return append(w.mcp.Tools(ctx), w.builtin...)
}

func (w *agentDeps) secret(ctx context.Context, name string) (string, error) {
	value, ok, err := w.secrets.Get(ctx, name)
	if err == nil && !ok {
		err = noSecret(name)
	}
	return value, err
}

func noSecret(name string) error {
	return clew.Errorf(clew.SettingsInvalid, "there is no secret %s; set it with: clew secret set %s", name, name).Advised()
}

// place says where a new session may work. Links are followed now, so that what
// was allowed is what will be opened.
func (w *agentDeps) place(by clew.Principal, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	if !filepath.IsAbs(dir) {
		return "", clew.Errorf(clew.InvalidMessage, "the workspace must be an absolute path")
	}
	real, err := filepath.EvalSymlinks(dir)
	if by.Role != clew.RoleAdmin {
		// What is not allowed looks the same whether it is there or not.
		if err != nil || !slices.ContainsFunc(w.cfg.Workspaces, func(root string) bool { return within(root, real) }) {
			return "", clew.Errorf(clew.Forbidden, "you may not have a session work in this directory")
		}
	}
	if info, statErr := os.Stat(real); err != nil || statErr != nil || !info.IsDir() {
		return "", clew.Errorf(clew.InvalidMessage, "the workspace %s is not a directory of this machine", dir)
	}
	own := w.cfg.ownWorkspaces()
	if within(real, w.cfg.Data) || within(w.cfg.Data, real) && (!within(own, real) || within(real, own)) {
		return "", w.errOwnData(by, dir)
	}
	if workspace.Protected(real) {
		return "", clew.Errorf(clew.Forbidden, "%s is protected; choose a directory below it", dir)
	}
	return real, nil
}

// errOwnData says where the data is to those who run the server alone.
func (w *agentDeps) errOwnData(by clew.Principal, dir string) error {
	where := "there"
	if by.Role == clew.RoleAdmin {
		where = "in " + w.cfg.Data
	}
	return clew.Errorf(clew.Forbidden, "no agent may work in %s: the server keeps its own data %s. "+
		"Make a directory for the work (mkdir work && cd work)", dir, where)
}

// within reports whether a directory is root or lies below it.
func within(root, dir string) bool {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return false
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel)
}

// workspace opens a session's directory. A session that was made without one has a directory of its own below the data directory.
func (w *agentDeps) workspace(id clew.SessionID, owner clew.UserID, dir string, v settings.Values) (*tool.Workspace, error) {
	own := dir == ""
	if own {
		dir = w.cfg.ownWorkspace(id)
		furnish := w.cfg.furnish
		if furnish == nil {
			furnish = func(dir string) error { return os.MkdirAll(dir, 0o700) }
		}
		if err := furnish(dir); err != nil {
			return nil, clew.WrapError(clew.StorageFailed, err, "the workspace cannot be made")
		}
	}
	ws, err := workspace.Open(dir, v.ExcludePaths)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, clew.WrapError(clew.SessionInvalidState, err, "the workspace is not there")
		}
		return nil, clew.WrapError(clew.SessionInvalidState, err, "the workspace cannot be used: %v", err)
	}
	if own {
		if ws.Share, err = w.workspaces.Share(owner, id); err != nil {
			return nil, errors.Join(clew.WrapError(clew.StorageFailed, err, "the workspace cannot be counted"), workspace.Close(ws))
		}
	}
	return ws, nil
}
