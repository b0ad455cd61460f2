package server

import (
	"context"
	"runtime"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/notebook"
	"github.com/clew-run/clew/internal/notebook/process"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/supervisor"
	"github.com/clew-run/clew/internal/tool"
)

// openNotebooks puts together what runs notebooks. Kernels that an earlier run of the
// server left are held from here on. A server that cannot keep kernels, on a full disk for
// instance, does everything else.
func (s *Server) openNotebooks(ctx context.Context) {
	environ := s.cfg.variables()
	if runtime.GOOS != "linux" { // nothing keeps kernels there
		return
	}
	root, err := supervisor.Root(s.cfg.Data, environ["XDG_RUNTIME_DIR"])
	if err != nil {
		s.log.Warn("notebooks cannot be run", "err", err)
		return
	}
	w := s.shop
	s.notebooks = notebook.New(notebook.Config{
		Settings: w.settings, Blobs: s.blobs, Workspace: w.workspace, Trusted: trusted, MadeFrom: s.madeFrom, Spool: s.cfg.temporary(), Clock: s.cfg.Clock, Log: s.log,
		Kernels: notebook.Machine{
			Starter: &process.Starter{Root: root, Options: w.commandOptions, Orphan: func() time.Duration {
				v, _ := w.settings.For(nil)
				return time.Duration(v.SupervisorOrphanSec) * time.Second
			}},
			Look: process.Look{Environ: environ},
		},
	})
	s.notebooks.Hold(ctx)
}

// variables are those of the environment in which kernels are found.
func (c *Config) variables() map[string]string {
	environ := map[string]string{}
	pairs := c.kernelEnviron
	if pairs == nil {
		pairs = c.environ()
	}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		environ[name] = value
	}
	return environ
}

// kernelPlans tells agents how cells would run; nil if there is nobody for notebooks.
func (s *Server) kernelPlans(w *agentDeps) agent.Notebooks {
	if runtime.GOOS != "linux" {
		return nil
	}
	return kernelPlans{
		look: process.Look{Environ: s.cfg.variables()},
		open: func(r agent.KernelRequest) (*tool.Workspace, error) {
			return w.workspace(r.Session, r.Owner, r.Workspace, r.Values)
		},
		hold: func(id string) (process.Hold, bool) {
			root := supervisor.LookForRoot(s.cfg.Data)
			return (&process.Starter{Root: root}).Hold(id)
		},
	}
}

// notebookPort is the port of the sessions; nil if there is nobody for notebooks.
func (s *Server) notebookPort() session.Notebooks {
	if s.notebooks == nil {
		return nil
	}
	return s.notebooks
}

// retired ends what runs for a session that was deleted.
func (s *Server) retired(id clew.SessionID) {
	s.shop.shell.EndSession(id)
	if s.notebooks != nil {
		s.notebooks.EndSession(id)
	}
}
