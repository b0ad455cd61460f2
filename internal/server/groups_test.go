package server

import (
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool/limit"
)

// The limits of commands are settings. The settings that nobody has set are the
// usual limits, and a question does not speak of them.
func TestCommandLimits(t *testing.T) {
	v := settings.Defaults()
	command, total := commandLimits(v)
	if command != limit.Default() || total != limit.DefaultTotal() || command.Unusual() != nil {
		t.Errorf("by default a command gets %+v, a user %+v", command, total)
	}
	v.CommandMemoryMB, v.CommandProcesses, v.CommandCPUWeight, v.CommandFileMB, v.CommandOpenFiles = 64, 100, 20, 10, 200
	v.CommandUserMemoryMB, v.CommandUserProcesses = 128, 300
	command, total = commandLimits(v)
	if want := (limit.Limits{Memory: 64 << 20, Processes: 100, CPUWeight: 20, FileSize: 10 << 20, OpenFiles: 200}); command != want {
		t.Errorf("a command gets %+v", command)
	}
	if total.Memory != 128<<20 || total.Processes != 300 || total.CPUWeight != 20 {
		t.Errorf("a user gets %+v", total)
	}
	if want := (clew.CommandLimits{MemoryMB: 64, Processes: 100, CPUWeight: 20, FileMB: 10, OpenFiles: 200}); *command.Unusual() != want {
		t.Errorf("a question says %+v", *command.Unusual())
	}
	v = settings.Defaults()
	v.CommandOpenFiles = 200
	if command, _ := commandLimits(v); *command.Unusual() != (clew.CommandLimits{OpenFiles: 200}) {
		t.Errorf("of one limit a question says %+v", *command.Unusual())
	}
	v.CommandMemoryMB = 1 << 20
	if command, total := commandLimits(v); total.Memory < command.Memory {
		t.Errorf("a user gets %d, less than a command: %d", total.Memory, command.Memory)
	}
}
