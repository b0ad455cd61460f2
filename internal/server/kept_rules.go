package server

import (
	"context"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/settings"
)

// keptRules keeps among the settings what owners of sessions had remembered for a
// directory, or for all of them. It implements session.Rules.
type keptRules struct{ settings *settings.Settings }

func (k keptRules) Keep(ctx context.Context, r core.KeptRule) error {
	kept := settings.KeptRule{ID: r.ID, Owner: r.Owner, Dir: r.Workspace, Tool: r.Tool, Pattern: r.Pattern, TS: r.TS}
	if kept.Scope() != r.Scope { // without a directory it would count everywhere
		return clew.Errorf(clew.HitlInvalidResponse, "the session has no directory to keep a rule for")
	}
	return k.settings.Keep(ctx, kept)
}

func (k keptRules) Drop(ctx context.Context, owner clew.UserID, id clew.RequestID) error {
	if !slices.ContainsFunc(k.settings.KeptBy(owner), func(r settings.KeptRule) bool { return r.ID == id }) {
		return nil // as nearly always: the store is not asked
	}
	_, err := k.settings.Unkeep(ctx, owner, id)
	return err
}
