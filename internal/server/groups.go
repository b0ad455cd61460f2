package server

import (
	"log/slog"

	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool/limit"
)

const megabyte = 1 << 20

// commandLimits are those that the settings give a command, and all commands of a
// user together.
func commandLimits(v settings.Values) (command, total limit.Limits) {
	command, total = limit.Default(), limit.DefaultTotal()
	if v.CommandMemoryMB > 0 {
		command.Memory = int64(v.CommandMemoryMB) * megabyte
	}
	command.Processes, command.CPUWeight, command.OpenFiles = v.CommandProcesses, v.CommandCPUWeight, v.CommandOpenFiles
	command.FileSize = int64(v.CommandFileMB) * megabyte
	total.Processes, total.CPUWeight = v.CommandUserProcesses, v.CommandCPUWeight
	total.Memory = max(total.Memory, command.Memory)
	if v.CommandUserMemoryMB > 0 {
		total.Memory = int64(v.CommandUserMemoryMB) * megabyte
	}
	return command, total
}

// openGroups divides the control group of this process for commands, if it has
// one to divide.
func (c *Config) openGroups(log *slog.Logger) {
	if c.Groups != nil {
		return
	}
	groups, err := limit.OpenGroups()
	if err != nil {
		log.Info("commands of agents are limited process by process", "reason", err)
		return
	}
	log.Info("control groups limit the commands of agents", "held", groups.Held())
	c.Groups = groups
}
