package e2e

import (
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// A neighbour is a user with a session.
type neighbour struct {
	*testing.T
	api *client.API
	id  clew.SessionID
}

func (n *neighbour) makeSession(workspace string) {
	n.Helper()
	var err error
	if n.id, err = n.api.CreateSession(n.Context(), client.NewSession{Workspace: workspace}); err != nil {
		n.Fatal(err)
	}
}

func (n neighbour) command(typ clew.CommandType, data any) {
	n.Helper()
	if _, err := n.api.Command(n.Context(), n.id, "", typ, data); err != nil {
		n.Fatal(err)
	}
}
