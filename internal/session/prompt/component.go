package prompt

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
)

// ComponentUse tells a window's agent what a person did there. What stands in a form is
// data.
func ComponentUse(window string, use clew.ComponentUse) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<component_action window=\"%s\" action=\"%s\"", escaped(window), escaped(use.Action))
	if use.Label != "" && use.Label != use.Action {
		fmt.Fprintf(&b, " label=\"%s\"", escaped(use.Label))
	}
	if use.ComponentPath != "" {
		fmt.Fprintf(&b, " path=\"%s\"", escaped(use.ComponentPath))
	}
	form := ""
	if len(use.FormData) > 0 {
		if data, err := json.Marshal(use.FormData); err == nil {
			form = string(data)
		}
	}
	fmt.Fprintf(&b, ">%s</component_action>", form) // JSON as Go writes it has no angle brackets
	return b.String()
}
