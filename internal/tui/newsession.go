package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew/client"
)

// newSession begins a session in the same workspace, and goes there.
func (m *model) newSession() tea.Cmd {
	m.overlay = nil
	api, workspace, terminal := m.api, m.state.Session.Workspace, m.o.Terminal
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		id, err := api.CreateSession(ctx, client.NewSession{Workspace: workspace, Environment: terminal})
		return func(m *model) tea.Cmd {
			if err != nil {
				m.fail(err)
				return nil
			}
			return m.goTo(id, "")
		}
	})
}
