package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew/client"
)

// newSession begins a session in the same workspace, and goes there.
func (m *model) newSession() tea.Cmd {
	m.overlay = nil
	api, workspace := m.api, m.state.Session.Workspace
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		id, err := api.CreateSession(ctx, client.NewSession{Workspace: workspace})
		return func(m *model) tea.Cmd {
			if err != nil {
				m.fail(err)
				return nil
			}
			return m.goTo(id, "")
		}
	})
}
