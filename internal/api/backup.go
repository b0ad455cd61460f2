package api

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
)

// Backups makes backups of what the server keeps.
type Backups interface {
	// Begin starts a backup to a URL, or says why not; it does nothing if one to
	// there is being made.
	Begin(to string) error
	// State tells of the last one.
	State() BackupState
}

// A BackupState is how the last backup goes or went.
type BackupState struct {
	To        string `json:"to,omitempty" doc:"Where to; absent if none was made since the server started"`
	Running   bool   `json:"running"`
	StartedMS int64  `json:"started_ms,omitempty"`
	EndedMS   int64  `json:"ended_ms,omitempty"`
	Problem   string `json:"problem,omitempty" doc:"Why it failed"`
	Number    int    `json:"number,omitempty" doc:"How many backups were made to there"`
	Sessions  int    `json:"sessions,omitempty"`
	Objects   int    `json:"objects,omitempty" doc:"How many files were copied, those that were there already aside"`
	Bytes     int64  `json:"bytes,omitempty"`
}

type backupInput struct {
	Body struct {
		To string `json:"to" doc:"file:///directory on the server's machine, or s3://bucket; credentials come from the server's environment"`
	}
}

type backupOutput struct{ Body BackupState }

func (a *API) backupRoutes(h huma.API) {
	huma.Register(h, operation("begin-backup", http.MethodPost, "/backup", http.StatusAccepted,
		"Begin a backup of everything that the server keeps, or of what is new since the last one to the same place. Administrators only."), a.beginBackup)
	huma.Register(h, operation("get-backup", http.MethodGet, "/backup", http.StatusOK,
		"Give the state of the last backup. Administrators only."), a.getBackup)
}

func (a *API) beginBackup(ctx context.Context, in *backupInput) (*backupOutput, error) {
	if err := a.mayBackUp(ctx); err != nil {
		return nil, err
	}
	path, isFile := strings.CutPrefix(in.Body.To, "file://")
	if isFile && (!filepath.IsAbs(path) || filepath.Clean(path) != path) || !isFile && !strings.HasPrefix(in.Body.To, "s3://") {
		return nil, clew.Errorf(clew.InvalidMessage, "%q is neither file:///an/absolute/path nor s3://bucket", in.Body.To)
	}
	if err := a.o.Backups.Begin(in.Body.To); err != nil {
		return nil, err
	}
	return &backupOutput{a.o.Backups.State()}, nil
}

func (a *API) getBackup(ctx context.Context, _ *struct{}) (*backupOutput, error) {
	if err := a.mayBackUp(ctx); err != nil {
		return nil, err
	}
	return &backupOutput{a.o.Backups.State()}, nil
}

func (a *API) mayBackUp(ctx context.Context) error {
	if a.o.Backups == nil {
		return clew.Errorf(clew.Unavailable, "this server makes no backups")
	}
	if callerOf(ctx).Role != clew.RoleAdmin {
		return clew.Errorf(clew.Forbidden, "only administrators make backups")
	}
	return nil
}
