package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
)

type devicesOutput struct {
	Body struct {
		Devices []Key `json:"devices" nullable:"false"`
	}
}

func (a *API) deviceRoutes(h huma.API) {
	huma.Register(h, operation("list-devices", http.MethodGet, "/me/devices", http.StatusOK,
		"List the browsers that are signed in as the caller."), a.devices)
	huma.Register(h, operation("end-device", http.MethodDelete, "/me/devices/{id}", http.StatusNoContent,
		"Sign one of the caller's browsers out and close its connections."), a.endDevice)
}

func (a *API) devices(ctx context.Context, _ *struct{}) (*devicesOutput, error) {
	out := &devicesOutput{}
	out.Body.Devices = []Key{}
	if a.off() { // nobody has to sign in
		return out, nil
	}
	if a.o.SignIns == nil {
		return nil, clew.Errorf(clew.Unavailable, "this server has no sign-in")
	}
	list, err := a.o.SignIns.Devices(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	for _, k := range list {
		out.Body.Devices = append(out.Body.Devices, viewOf(k))
	}
	return out, nil
}

func (a *API) endDevice(ctx context.Context, in *keyInput) (*struct{}, error) {
	if a.o.SignIns == nil || !auth.ValidKeyID(in.ID) {
		return nil, noSuch("device")
	}
	if err := a.o.SignIns.EndDevice(ctx, callerOf(ctx), in.ID); errors.Is(err, auth.ErrNoKey) {
		return nil, noSuch("device")
	} else if err != nil {
		return nil, err
	}
	return nil, nil
}
