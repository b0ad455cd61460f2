// Package api is the HTTP face of a server beside its WebSocket: REST under
// /api/v1, its OpenAPI document, health, metrics and the files of the web UI.
//
// Every request passes, in this order: the request log and recovery (log.go),
// the Host and Origin checks, and, unless its route is one of the few open ones,
// authentication and the rate limit (guard.go). Only then does a route see it.
package api

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/view"
)

const (
	prefix  = "/api/v1"
	maxBody = 1 << 20
)

// DefaultPerMinute is how many requests a user may make per minute unless the
// operator says otherwise.
const DefaultPerMinute = 600

// Sessions is what the API needs of the session host. Of makes one.
type Sessions interface {
	Create(ctx context.Context, by clew.Principal, s session.NewSession) (clew.SessionID, error)
	Do(ctx context.Context, id clew.SessionID, cmd clew.Command) (session.Receipt, error)
	// Access gives the caller's role in the session. An administrator is owner
	// in their own sessions and no more than a viewer in those of others.
	Access(ctx context.Context, id clew.SessionID, p clew.Principal) (clew.Role, error)
	List(ctx context.Context, q session.ListQuery) ([]core.Summary, string, error)
	Watch(ctx context.Context, id clew.SessionID) (View, error)
	// Report finds a report of the session's runs by its name.
	Report(ctx context.Context, id clew.SessionID, name string) (clew.Report, error)
	// Overview gives the session's tasks.
	Overview(ctx context.Context, id clew.SessionID) (session.Overview, error)
}

// View reads a session; the caller closes it.
type View interface {
	State(ctx context.Context) (clew.SessionState, error)
	Epoch() string
	Page(ctx context.Context, q view.PageQuery) (clew.MessagesPage, error)
	ToolCall(ctx context.Context, id string, message clew.MessageID) (view.ToolCall, error)
	Timeline(ctx context.Context, q view.TimelineQuery) (view.Timeline, error)
	KernelCheckpoints(ctx context.Context, notebook string, after int64) ([]clew.CheckpointSavedData, error)
	Close()
}

// Of lets a session host serve the API.
func Of(h *session.Host) Sessions { return hostSessions{h} }

type hostSessions struct{ *session.Host }

// Watch only changes the result's type to the interface.
func (h hostSessions) Watch(ctx context.Context, id clew.SessionID) (View, error) {
	w, err := h.Host.Watch(ctx, id)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Authenticator says who holds a token: *auth.Authenticator or auth.Off.
type Authenticator interface {
	Authenticate(ctx context.Context, c auth.Credentials) (clew.Principal, error)
}

// Options is what an API is made of.
type Options struct {
	Sessions    Sessions
	Auth        Authenticator
	Keys        *auth.Keys // nil = this server has no API keys
	Doors       auth.OriginPolicy
	Settings    Settings     // nil = this server has none
	Secrets     Secrets      // nil = this server keeps none
	Models      Models       // nil = it has no models
	Words       ProjectWords // nil = it has no commands
	Files       Files        // nil = it lists no files
	Folders     Folders      // nil = nor folders
	ToolServers ToolServers  // nil = it has no tool servers
	Blobs       Blobs        // nil = no route for blobs
	References  References   // with Blobs
	Inbox       Inbox        // nil = no inbox
	Links       Links        // nil = no answer links
	Push        Push         // nil = browsers cannot be told
	Drafts      Drafts       // nil = drafts are not kept
	Erasures    Erasures     // nil = sessions cannot be deleted
	Backups     Backups      // nil = no backups are made
	Search      Search       // nil = nothing is found
	Git         Git          // nil = nothing is committed
	Notebooks   Notebooks    // nil = no kernel is asked
	Exports     Exports      // nil = sessions cannot be exported
	Imports     Imports      // nil = nor imported
	// InboxFeed is the WebSocket of an inbox; it authenticates by itself. nil =
	// none.
	InboxFeed http.Handler
	// AllowQueryToken takes credentials from ?token= too.
	AllowQueryToken bool
	SignIns         SignIns       // nil = browsers cannot sign in
	Cookies         *auth.Cookies // nil = cookies are not taken
	Proxies         auth.Proxies
	UI              fs.FS         // the built web UI; nil = none
	PerMinute       int           // requests of a user; 0 or less = no limit
	Timeout         time.Duration // of a request; 0 = 15 s

	Usage     func(ctx context.Context, user clew.UserID) (DiskUsage, error) // nil = nobody counts
	Budgets   func(user clew.UserID) UsageBudgets                            // nil = there are none
	Version   string                                                         // of the program, for the OpenAPI document
	AsyncAPI  []byte                                                         // the document of the WebSocket protocol
	Ready     func(context.Context) error                                    // nil = always ready
	Metrics   http.Handler                                                   // nil = none
	WebSocket http.Handler                                                   // authenticates by itself; nil = none

	Log   *slog.Logger // nil = slog.Default()
	Clock clock.Clock  // nil = the machine's
}

// An API answers HTTP requests. It is safe for concurrent use.
type API struct {
	o       Options
	log     *slog.Logger
	limiter *auth.Limiter
	links   *auth.Limiter // of those who come with an answer link, by address
	signIns *auth.Limiter // of those who sign in, by address
	// modelTests counts the calls that test a model, by user.
	modelTests *auth.Limiter

	mux     *http.ServeMux
	routes  []Route
	pace    pace // of transfers
	heavy   heavy
	index   *uiFile // of the web UI, nil without one
	doc     *huma.OpenAPI
	openAPI []byte // doc as it is served
}

// A Route is one entry of the route table.
type Route struct {
	Method, Path string
	// Open routes need no credentials.
	Open bool
	// Own routes authenticate by themselves.
	Own bool
	// Page routes are files of the web UI and no part of the API.
	Page bool
}

// New makes the API.
func New(o Options) (*API, error) {
	if o.Sessions == nil || o.Auth == nil {
		return nil, errors.New("api: Sessions and Auth are required")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	steady := clock.Steady(o.Clock)
	if o.Timeout == 0 {
		o.Timeout = 15 * time.Second
	}
	a := &API{
		o: o, log: o.Log, limiter: auth.NewLimiter(o.PerMinute, steady), links: auth.NewLimiter(answersPerMinute, steady),
		signIns: auth.NewLimiter(signInsPerMinute, steady), modelTests: auth.NewLimiter(testsPerMinute, steady),
		mux: http.NewServeMux(), pace: leastPace,
	}
	h := humago.New(guardedMux{a}, config(o.Version))
	a.doc = h.OpenAPI()
	a.sessionRoutes(h)
	a.taskRoutes(h)
	a.pastRoutes(h)
	a.keyRoutes(h)
	a.signInRoutes(h)
	a.deviceRoutes(h)
	a.settingsRoutes(h)
	a.profileRoutes(h)
	a.modelRoutes(h)
	a.slashRoutes(h)
	a.fileRoutes(h)
	a.folderRoutes(h)
	a.toolServerRoutes(h)
	a.backupRoutes(h)
	a.usageRoutes(h)
	a.searchRoutes(h)
	a.inboxRoutes(h)
	a.ruleRoutes(h)
	a.pushRoutes(h)
	a.draftRoutes(h)
	a.eraseRoutes(h)
	a.gitRoutes(h)
	a.notebookRoutes(h)
	a.linkRoutes()
	a.transferRoutes()
	a.plainRoutes()
	if err := a.uiRoutes(); err != nil {
		return nil, err
	}
	if err := a.finishDocument(); err != nil {
		return nil, err
	}
	return a, nil
}

// Routes lists every registered route, for the tests that try all doors.
func (a *API) Routes() []Route { return a.routes }

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.logged(w, r, func(w http.ResponseWriter, r *http.Request) {
		if err := a.o.Doors.Check(r); err != nil {
			writeError(w, r, err)
			return
		}
		if !cleanPath(r.URL.Path) { // the mux would answer it with a redirect
			a.guard(notFound)(w, r)
			return
		}
		a.mux.ServeHTTP(w, r)
	})
}

// guardedMux is where huma puts its routes: all of them need credentials.
type guardedMux struct{ *API }

// HandleFunc registers a guarded route.
func (m guardedMux) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	m.add(pattern, Route{}, m.guard(h))
}
