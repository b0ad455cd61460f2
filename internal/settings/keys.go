package settings

import (
	"fmt"
	"reflect"
	"strings"
)

// A Home says where a key's value is kept. Each key has exactly one.
type Home string

// The homes.
const (
	HomeState  Home = "state"
	HomeSecret Home = "secret"
)

// A SessionRule says what a session may do with a key for itself. A session
// belongs to its owner, the server to its operator; on a shared server these
// are different people.
type SessionRule string

// The rules.
const (
	SessionFree    SessionRule = "free"    // any valid value
	SessionTighten SessionRule = "tighten" // only what allows less than the server does
	SessionNever   SessionRule = "never"   // only the server's value counts
)

// A Key describes one setting.
type Key struct {
	Name  string
	Group string
	Doc   string
	// Allowed says which values are valid, for people.
	Allowed string
	// Choices are the names of which the value is one, nil for other kinds.
	Choices []string
	// Min and Max bound a number, nil for other kinds.
	Min, Max *float64
	Home     Home
	// Provider marks what belongs to the settings of a model.
	Provider bool
	// Exportable keys are part of an export and may be imported.
	Exportable bool
	// Passthrough marks a large value: it is not cached and no part of Values;
	// Get reads it from the store.
	Passthrough bool
	Session     SessionRule

	field   int  // index in Values, -1 for none
	long    bool // a text of several lines
	check   func(value any) error
	entry   func(name string, value any) error // for each entry of a map or list
	tighter func(server, session any) bool     // with SessionTighten
}

// Server reports whether the key can be set for the whole server only.
func (k *Key) Server() bool { return k.Session == SessionNever }

// Default gives the key's default value, nil if it has none.
func (k *Key) Default() any {
	if k.field < 0 {
		return nil
	}
	d := Defaults()
	return reflect.ValueOf(d).Field(k.field).Interface()
}

// Defaults are the values that hold where nobody has set anything.
func Defaults() Values {
	return Values{
		Profiles:     map[string]Profile{},
		ModelRetries: 3,
		CrashRetry:   "ask",
		StallSec:     120,
		ProjectWords: "auto",
		AutoCondense: true, CondenseThreshold: 80, CondenseKeep: 6,
		Mode:                 "code",
		CustomModes:          []Mode{},
		WorkspacePermissions: []WorkspacePermission{},
		AutoApproval:         true, AllowReadOnly: true,
		AllowedCommands: []string{}, RememberedCommands: []string{}, RememberedTools: []string{}, KeptRules: []KeptRule{},
		DeniedCommands:   []string{},
		MistakeLimit:     3,
		WorkspaceQuotaMB: 20_480, BlobQuotaMB: 5120,
		MaxSubtaskDepth:  3,
		MaxSubtasks:      20,
		MaxStepsPerTurn:  200,
		ParallelTools:    4,
		MessageArrival:   "steer",
		MonitorsMax:      4,
		AgentLimit:       10,
		WakesMax:         10,
		ForkMaxTokens:    60_000,
		Worktree:         "off",
		RunParallelTodos: 3, RunMaxTodos: 500, RunMaxRetries: 3,
		ReminderSec: 60, NotifyLinkSec: 86_400,
		CommandTimeoutSec: 120,
		CommandSandbox:    "auto",
		CommandEnv:        map[string]string{},
		CommandShare:      []string{},
		CommandToolchains: "auto",
		CommandProcesses:  512, CommandCPUWeight: 50, CommandFileMB: 4096, CommandOpenFiles: 4096, CommandUserProcesses: 2048,
		KernelMemoryMB: 4096, SupervisorOrphanSec: 600, KernelAfterRewind: "ask",
		FetchAllow:   []string{},
		PushAllow:    []string{},
		OutputLimit:  32768,
		ExcludePaths: []string{},
		Checkpoints:  true, CheckpointExclude: []string{}, CheckpointMaxFileMB: 100, CheckpointQuotaMB: 20_480,
		EraseAfterDays: 7, RetentionUsers: map[string]int{},
		MonitorMaxConcurrent: 2, MonitorMaxActionsPerMin: 30, MonitorMaxOutputPerMin: 50_000,
		McpEnabled:        true,
		McpServers:        map[string]McpServer{},
		TrustedWorkspaces: map[string]string{},
		Experiments:       map[string]bool{},
	}
}

// An index is the table of keys by name.
type index map[string]*Key

// Keys lists all keys: those of Values in their order, then the secrets.
func Keys() []*Key { return allKeys }

var (
	allKeys  = buildKeys()
	keyIndex = indexOf(allKeys)
)

func indexOf(keys []*Key) index {
	m := make(index, len(keys))
	for _, k := range keys {
		m[k.Name] = k
	}
	return m
}

// buildKeys ties the table to the fields of Values by their json names. A name
// without a field is a mistake in the table, so it panics at start.
func buildKeys() []*Key {
	fields := map[string]int{}
	t := reflect.TypeFor[Values]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields[name] = i
	}
	keys := stateKeys()
	for _, k := range keys {
		i, ok := fields[k.Name]
		if !ok {
			panic(fmt.Sprintf("settings: no field for key %s", k.Name))
		}
		k.field = i
		k.Home = HomeState
		if k.Session == "" {
			k.Session = SessionFree
		}
	}
	for _, s := range secretKeys {
		keys = append(keys, &Key{
			Name: s.name, Group: "Secrets", Doc: s.doc, Home: HomeSecret,
			Provider: true, Session: SessionNever, field: -1,
		})
	}
	return keys
}
