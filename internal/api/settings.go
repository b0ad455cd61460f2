package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
)

// Settings is what the API needs of the server's settings: *settings.Settings.
type Settings interface {
	List() []settings.Entry
	Update(ctx context.Context, changes map[string]any) (changed []string, err error)
	Export() map[string]any
	Import(ctx context.Context, imported map[string]any) (changed []string, err error)
	Profiles() []settings.NamedProfile
	NamedProfile(name string) (settings.NamedProfile, error)
	PutProfile(ctx context.Context, name string, profile map[string]any) error
	PatchProfile(ctx context.Context, name string, changes map[string]any) error
	DeleteProfile(ctx context.Context, name string) error
	Permissions(owner clew.UserID, dir string) (chosen, holds string, decided bool)
	SetPermissions(ctx context.Context, owner clew.UserID, dir, preset string) error
	KeptBy(owner clew.UserID) []settings.KeptRule
	Unkeep(ctx context.Context, owner clew.UserID, id clew.RequestID) (found bool, err error)
}

// Secrets is what the API needs of the secrets: *settings.Secrets. There is no
// way to read a value, not even for an administrator.
type Secrets interface {
	Names(ctx context.Context) ([]string, error)
	Set(ctx context.Context, name, value string) error
	Delete(ctx context.Context, name string) error
}

type settingsOutput struct {
	Body struct {
		Settings []settings.Entry `json:"settings" nullable:"false"`
	}
}

type changeInput struct {
	Body struct {
		Settings map[string]any `json:"settings" doc:"New values by key; null gives a key back to the layers below"`
	}
}

type changedOutput struct {
	Body struct {
		Changed []string `json:"changed" nullable:"false" doc:"The keys whose value is another one now"`
	}
}

type exportOutput struct {
	Body map[string]any
}

type importInput struct {
	Body map[string]any
}

type secretsOutput struct {
	Body struct {
		Names []string `json:"names" nullable:"false"`
	}
}

type secretInput struct {
	Name string `path:"name" doc:"The secret's name"`
	Body struct {
		Value string `json:"value" doc:"It cannot be read again"`
	}
}

type secretName struct {
	Name string `path:"name" doc:"The secret's name"`
}

func (a *API) settingsRoutes(h huma.API) {
	huma.Register(h, operation("list-settings", http.MethodGet, "/settings", http.StatusOK,
		"List the server's settings and where each value is from. Administrators only."), a.listSettings)
	huma.Register(h, operation("change-settings", http.MethodPatch, "/settings", http.StatusOK,
		"Change settings of the server: all that is given, or nothing. Administrators only."), a.changeSettings)
	huma.Register(h, operation("export-settings", http.MethodGet, "/settings/export", http.StatusOK,
		"Export the settings that make sense elsewhere, without secrets. Administrators only."), a.exportSettings)
	huma.Register(h, operation("import-settings", http.MethodPost, "/settings/import", http.StatusOK,
		"Import settings from an export. Administrators only."), a.importSettings)
	huma.Register(h, operation("list-secrets", http.MethodGet, "/secrets", http.StatusOK,
		"List the names of secrets. Administrators only."), a.listSecrets)
	huma.Register(h, operation("set-secret", http.MethodPut, "/secrets/{name}", http.StatusNoContent,
		"Store a secret. Administrators only."), a.setSecret)
	huma.Register(h, operation("delete-secret", http.MethodDelete, "/secrets/{name}", http.StatusNoContent,
		"Delete a stored secret. Administrators only."), a.deleteSecret)
}

// settings gives the settings to an administrator.
func (a *API) settings(ctx context.Context) (Settings, error) {
	if callerOf(ctx).Role != clew.RoleAdmin {
		return nil, clew.Errorf(clew.Forbidden, "only administrators manage the server's settings")
	}
	if a.o.Settings == nil {
		return nil, clew.Errorf(clew.Unavailable, "this server has no settings")
	}
	return a.o.Settings, nil
}

// secrets gives the secrets to an administrator.
func (a *API) secrets(ctx context.Context) (Secrets, error) {
	if callerOf(ctx).Role != clew.RoleAdmin {
		return nil, clew.Errorf(clew.Forbidden, "only administrators manage secrets")
	}
	if a.o.Secrets == nil {
		return nil, clew.Errorf(clew.Unavailable, "this server keeps no secrets")
	}
	return a.o.Secrets, nil
}

func (a *API) listSettings(ctx context.Context, _ *struct{}) (*settingsOutput, error) {
	s, err := a.settings(ctx)
	if err != nil {
		return nil, err
	}
	out := &settingsOutput{}
	out.Body.Settings = append([]settings.Entry{}, s.List()...)
	return out, nil
}

func (a *API) changeSettings(ctx context.Context, in *changeInput) (*changedOutput, error) {
	s, err := a.settings(ctx)
	if err != nil {
		return nil, err
	}
	return changedOf(s.Update(ctx, in.Body.Settings))
}

func changedOf(changed []string, err error) (*changedOutput, error) {
	if err != nil {
		return nil, err
	}
	out := &changedOutput{}
	out.Body.Changed = append([]string{}, changed...)
	return out, nil
}

func (a *API) exportSettings(ctx context.Context, _ *struct{}) (*exportOutput, error) {
	s, err := a.settings(ctx)
	if err != nil {
		return nil, err
	}
	return &exportOutput{Body: s.Export()}, nil
}

func (a *API) importSettings(ctx context.Context, in *importInput) (*changedOutput, error) {
	s, err := a.settings(ctx)
	if err != nil {
		return nil, err
	}
	return changedOf(s.Import(ctx, in.Body))
}

func (a *API) listSecrets(ctx context.Context, _ *struct{}) (*secretsOutput, error) {
	s, err := a.secrets(ctx)
	if err != nil {
		return nil, err
	}
	names, err := s.Names(ctx)
	if err != nil {
		return nil, err
	}
	out := &secretsOutput{}
	out.Body.Names = append([]string{}, names...)
	return out, nil
}

func (a *API) setSecret(ctx context.Context, in *secretInput) (*struct{}, error) {
	s, err := a.secrets(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.Set(ctx, in.Name, in.Body.Value)
}

func (a *API) deleteSecret(ctx context.Context, in *secretName) (*struct{}, error) {
	s, err := a.secrets(ctx)
	if err != nil {
		return nil, err
	}
	names, err := s.Names(ctx)
	if err == nil && !slices.Contains(names, in.Name) {
		return nil, noSuch("secret")
	}
	if err != nil {
		return nil, err
	}
	return nil, s.Delete(ctx, in.Name)
}
