//go:build !windows

package env

import (
	"github.com/clew-run/clew/internal/server"
)

// Config is the server's configuration. This file is the only one that knows
// where it comes from.
type Config = server.Config

type (
	// DemoOptions are the demo's, likewise.
	DemoOptions = server.DemoOptions
	// DemoInfo is what it tells.
	DemoInfo = server.DemoInfo
	// DemoModel plays the model of its story.
	DemoModel = server.DemoModel
)

// DefaultConfig is a server without any settings of its own.
func DefaultConfig() Config { return server.DefaultConfig() }

// TakeLimits copies the limits alone.
func TakeLimits(to *Config, from Config) { to.Limits = from.Limits }

// inventory is what is kept of a workspace, checked what is damaged of it, and
// collected what a collection did.
type (
	inventory = server.Inventory
	checked   = server.Checked
	collected = server.Collected
)

// Around is what a session in a directory has.
type Around = server.Around

// Kernels are those of this machine.
type Kernels = server.Kernels

// TrustedFolder is a workspace that a person wants to trust.
type TrustedFolder = server.TrustedFolder

var (
	// LookAt finds what a data directory holds.
	LookAt = server.LookAt
	// HomeFaults lists a person's own skills and commands that are left out.
	HomeFaults = server.HomeFaults
	// ModelVariables are those of the environment that hold keys of model providers,
	// and where they are reached.
	ModelVariables = server.ModelVariables
	// CloudVariables are those by which the credentials of a cloud are found, if they are
	// complete.
	CloudVariables = server.CloudVariables
	// CloudModels reports whether such credentials make a model usable by themselves.
	CloudModels = server.CloudModels
	// LocalModels looks for model servers on this machine.
	LocalModels = server.LocalModels
	// LookAround says what a session in a directory has.
	LookAround = server.LookAround
	// FindKernels looks for kernels of notebooks.
	FindKernels = server.FindKernels
	// BuiltInModes are the modes that every server has.
	BuiltInModes = server.BuiltInModes
)

type (
	// Check is one thing that the doctor looked at.
	Check = server.Check
	// Examined is what is in a store.
	Examined = server.Examined
	// BackupReport is what a backup copied.
	BackupReport = server.BackupReport
	// Restored is what a restore brought back.
	Restored = server.Restored
)

// Why the doctor could not look into a store.
var (
	ErrInUse   = server.ErrInUse
	ErrNoStore = server.ErrNoStore
)

// NameVersion tells the server what it is.
func NameVersion(version string) { server.Version = version }

// RealServer is the server in this program.
var RealServer = Backend{
	Run: server.Run, Demo: server.Demo, DemoModel: server.StartDemoModel, Checkup: server.Checkup, Doctor: server.Examine, Repartition: server.Repartition,
	Backup: server.Backup, Restore: server.Restore,
	Checkpoints: server.Checkpoints, Fsck: server.CheckCheckpoints, GC: server.CollectCheckpoints,
}
