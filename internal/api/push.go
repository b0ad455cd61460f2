package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/inbox/push"
)

// Push tells people through their browsers: *push.Push.
type Push interface {
	PublicKey() string
	List(ctx context.Context, by clew.Principal) ([]push.Subscription, error)
	Subscribe(ctx context.Context, by clew.Principal, n push.NewSubscription) (push.Subscription, error)
	Unsubscribe(ctx context.Context, by clew.Principal, id string) (bool, error)
	Test(ctx context.Context, by clew.Principal) ([]push.Tried, error)
}

// A subscription is a browser as its person sees it: without its address.
type subscription struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	CreatedMS int64  `json:"created_ms" doc:"Unix ms"`
	LastMS    int64  `json:"last_ms,omitempty" doc:"When it was last told something, Unix ms"`
}

func subscriptionOf(s push.Subscription) subscription {
	return subscription{s.ID, s.Name, s.CreatedMS, s.LastMS}
}

type pushOutput struct {
	Body struct {
		PublicKey     string         `json:"public_key" doc:"The applicationServerKey to subscribe with"`
		Subscriptions []subscription `json:"subscriptions" nullable:"false"`
	}
}

type subscribeInput struct {
	Body struct {
		Endpoint       string   `json:"endpoint" maxLength:"2048" doc:"An https address"`
		ExpirationTime *float64 `json:"expirationTime,omitempty" nullable:"true" doc:"Browsers give it; it is not looked at"`
		Keys           struct {
			P256dh string `json:"p256dh" maxLength:"200"`
			Auth   string `json:"auth" maxLength:"100"`
		} `json:"keys"`
		Name string `json:"name,omitempty" maxLength:"100" doc:"For people, such as the device"`
	}
}

type subscriptionOutput struct{ Body subscription }

type subscriptionInput struct {
	ID string `path:"id" maxLength:"128" doc:"The subscription"`
}

// A tried is what became of a test.
type tried struct {
	ID    string `json:"id"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

type triedOutput struct {
	Body struct {
		Results []tried `json:"results" nullable:"false"`
	}
}

func (a *API) pushRoutes(h huma.API) {
	if a.o.Push == nil {
		return
	}
	huma.Register(h, operation("get-push", http.MethodGet, "/push", http.StatusOK,
		"Read what a browser needs to subscribe, and which of the caller's browsers are subscribed."), a.getPush)
	huma.Register(h, operation("subscribe-push", http.MethodPost, "/push", http.StatusCreated,
		"Subscribe a browser to push messages about the caller's questions, or renew the subscription."), a.subscribe)
	huma.Register(h, operation("unsubscribe-push", http.MethodDelete, "/push/{id}", http.StatusNoContent,
		"End a browser's subscription to push messages."), a.unsubscribe)
	huma.Register(h, operation("test-push", http.MethodPost, "/push/test", http.StatusOK,
		"Send a test message to all of the caller's browsers and give the results."), a.testPush)
}

func (a *API) getPush(ctx context.Context, _ *struct{}) (*pushOutput, error) {
	list, err := a.o.Push.List(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	out := &pushOutput{}
	out.Body.PublicKey, out.Body.Subscriptions = a.o.Push.PublicKey(), make([]subscription, len(list))
	for i, s := range list {
		out.Body.Subscriptions[i] = subscriptionOf(s)
	}
	return out, nil
}

func (a *API) subscribe(ctx context.Context, in *subscribeInput) (*subscriptionOutput, error) {
	s, err := a.o.Push.Subscribe(ctx, callerOf(ctx), push.NewSubscription{
		Endpoint: in.Body.Endpoint, P256dh: in.Body.Keys.P256dh, Auth: in.Body.Keys.Auth, Name: in.Body.Name,
	})
	if err != nil {
		return nil, err
	}
	return &subscriptionOutput{subscriptionOf(s)}, nil
}

func (a *API) unsubscribe(ctx context.Context, in *subscriptionInput) (*struct{}, error) {
	found, err := a.o.Push.Unsubscribe(ctx, callerOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, noSuch("subscription")
	}
	return nil, nil
}

func (a *API) testPush(ctx context.Context, _ *struct{}) (*triedOutput, error) {
	list, err := a.o.Push.Test(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	out := &triedOutput{}
	out.Body.Results = make([]tried, len(list))
	for i, t := range list {
		out.Body.Results[i] = tried{t.ID, t.Error == "", t.Error}
	}
	return out, nil
}
