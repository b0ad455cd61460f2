package server

import (
	"log/slog"

	"github.com/clew-run/clew/internal/tool/limit"
)

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
