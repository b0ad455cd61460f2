//go:build !windows

package cli

import (
	"github.com/clew-run/clew/internal/server"
)

// config is the server's configuration. This file is the only one that knows
// where it comes from.
type config = server.Config

// demoOptions and demoInfo are the demo's, likewise.
type (
	demoOptions = server.DemoOptions
	demoInfo    = server.DemoInfo
)

func defaultConfig() config { return server.DefaultConfig() }

func takeLimits(to *config, from config) { to.Limits = from.Limits }

// inventory is what is kept of a workspace, checked what is damaged of it, and
// collected what a collection did.
type (
	inventory = server.Inventory
	checked   = server.Checked
	collected = server.Collected
)

// trustedFolder is a workspace that a person wants to trust.
type trustedFolder = server.TrustedFolder

var (
	lookAt       = server.LookAt
	builtInModes = server.BuiltInModes
)

// check is one thing that the doctor looked at, examined what is in a store.
type (
	check    = server.Check
	examined = server.Examined
)

// Why the doctor could not look into a store.
var (
	errInUse   = server.ErrInUse
	errNoStore = server.ErrNoStore
)

// nameVersion tells the server what it is.
func nameVersion(version string) { server.Version = version }

var realServer = backend{
	run: server.Run, demo: server.Demo, checkup: server.Checkup, doctor: server.Examine,
	checkpoints: server.Checkpoints, fsck: server.CheckCheckpoints, gc: server.CollectCheckpoints,
}
