package push

import (
	"context"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/inbox"
)

// A Tried is what became of a test.
type Tried struct {
	ID    string
	Error string // "" = it was taken
}

// Test sends a message to somebody's subscriptions and waits for what
// becomes of it.
func (p *Push) Test(ctx context.Context, by clew.Principal) ([]Tried, error) {
	if !inbox.Reads(by) {
		return nil, errNoQuestions
	}
	if ok, wait := p.tests.Allow(string(by.User)); !ok {
		e := clew.Errorf(clew.RateLimited, "too many tests")
		e.RetryAfterMS = max(1, wait.Milliseconds())
		return nil, e
	}
	subs, err := p.of(ctx, by)
	if err != nil {
		return nil, err
	}
	n, err := p.count(ctx, by.User)
	if err != nil {
		return nil, err
	}
	r := p.postAll(ctx, by.User, subs, message{Kind: "test", Inbox: n}, sendTimeout)
	tried := make([]Tried, len(subs))
	for i, s := range subs {
		tried[i].ID = s.ID
		if why, failed := r.failed[s.ID]; failed {
			tried[i].Error = why.String()
		}
	}
	if err := p.note(ctx, by.User, r.sent); err != nil {
		return nil, err
	}
	return tried, nil
}
