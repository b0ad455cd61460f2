package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
)

// A Key is an API key as administrators see it: without its hash.
type Key struct {
	ID        string      `json:"id"`
	Name      string      `json:"name,omitempty"`
	User      clew.UserID `json:"user"`
	Role      clew.Role   `json:"role" doc:"The most that the key may do"`
	CreatedMS int64       `json:"created_ms"`
	ExpiresMS int64       `json:"expires_ms,omitempty"`
	RevokedMS int64       `json:"revoked_ms,omitempty"`
	LastFour  string      `json:"last_four" doc:"The end of the secret, to recognise it by"`
	Kind      KeyKind     `json:"kind" enum:"browser,key" doc:"A browser's, made by a sign-in, or one that somebody made"`
	Device    string      `json:"device,omitempty" doc:"Of a browser: which one, on what, for people"`
	Browser   bool        `json:"browser,omitempty" doc:"Made by a sign-in; it is in a browser's cookie"`
	Parent    string      `json:"parent,omitempty" doc:"The key with which that was done; this one ends with it"`
}

// A KeyKind says what a key is for.
type KeyKind string

// The kinds.
const (
	KeyBrowser KeyKind = "browser"
	KeyPlain   KeyKind = "key"
)

func viewOf(k auth.KeyRecord) Key {
	kind := KeyPlain
	if k.Browser {
		kind = KeyBrowser
	}
	return Key{
		Kind: kind, Device: k.Device(),
		ID: k.ID, Name: k.Name, User: k.User, Role: k.Role, CreatedMS: k.CreatedMS,
		ExpiresMS: k.ExpiresMS, RevokedMS: k.RevokedMS, LastFour: k.LastFour,
		Browser: k.Browser, Parent: k.Parent,
	}
}

type createKeyInput struct {
	Body struct {
		Name      string      `json:"name,omitempty" maxLength:"200"`
		User      clew.UserID `json:"user" doc:"Whom the key stands for"`
		Role      clew.Role   `json:"role,omitempty" enum:"admin,owner,approver,viewer" doc:"owner, an ordinary user, if absent"`
		ExpiresMS int64       `json:"expires_ms,omitempty" minimum:"0" doc:"Unix ms; 0 is never"`
	}
}

type createKeyOutput struct {
	Body struct {
		Key
		Token string `json:"token" doc:"The key itself; it is shown this once"`
	}
}

type listKeysOutput struct {
	Body struct {
		Keys []Key `json:"keys" nullable:"false"`
	}
}

type keyInput struct {
	ID string `path:"id" doc:"The key's id"`
}

func (a *API) keyRoutes(h huma.API) {
	huma.Register(h, operation("create-key", http.MethodPost, "/keys", http.StatusCreated,
		"Make an API key. Administrators only."), a.createKey)
	huma.Register(h, operation("list-keys", http.MethodGet, "/keys", http.StatusOK,
		"List API keys, revoked ones too. Administrators only."), a.listKeys)
	huma.Register(h, operation("revoke-key", http.MethodDelete, "/keys/{id}", http.StatusNoContent,
		"Revoke an API key and close its connections. Administrators only."), a.revokeKey)
}

// keys gives the keys to an administrator.
func (a *API) keys(ctx context.Context) (*auth.Keys, error) {
	if callerOf(ctx).Role != clew.RoleAdmin {
		return nil, clew.Errorf(clew.Forbidden, "only administrators manage keys")
	}
	if a.o.Keys == nil {
		return nil, clew.Errorf(clew.Unavailable, "this server has no API keys")
	}
	return a.o.Keys, nil
}

func (a *API) createKey(ctx context.Context, in *createKeyInput) (*createKeyOutput, error) {
	keys, err := a.keys(ctx)
	if err != nil {
		return nil, err
	}
	rec, token, err := keys.Create(ctx, auth.NewKey{
		Name: in.Body.Name, User: in.Body.User, Role: in.Body.Role, ExpiresMS: in.Body.ExpiresMS,
	})
	if err != nil {
		return nil, err
	}
	out := &createKeyOutput{}
	out.Body.Key, out.Body.Token = viewOf(rec), token
	return out, nil
}

func (a *API) listKeys(ctx context.Context, _ *struct{}) (*listKeysOutput, error) {
	keys, err := a.keys(ctx)
	if err != nil {
		return nil, err
	}
	list, err := keys.List(ctx)
	if err != nil {
		return nil, err
	}
	out := &listKeysOutput{}
	out.Body.Keys = make([]Key, len(list))
	for i, k := range list {
		out.Body.Keys[i] = viewOf(k)
	}
	return out, nil
}

func (a *API) revokeKey(ctx context.Context, in *keyInput) (*struct{}, error) {
	keys, err := a.keys(ctx)
	if err != nil {
		return nil, err
	}
	if !auth.ValidKeyID(in.ID) {
		return nil, noSuch("key")
	}
	if _, err := keys.Revoke(ctx, in.ID); errors.Is(err, auth.ErrNoKey) {
		return nil, noSuch("key")
	} else if err != nil {
		return nil, err
	}
	return nil, nil
}
