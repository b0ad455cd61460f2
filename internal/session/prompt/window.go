package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A Window is an open window as models are told of it. Where it lies is left out.
type Window struct {
	ID, Kind, Title, Monitor string
	// Queries and Commands are what its app can be asked and told.
	Queries, Commands []string
	// Content is what it shows, for its own agent; "" leaves it out.
	Content string
	// State is how the kernel of a notebook stands.
	State string
}

// KindNotebook is the kind of a notebook, which is told of among the windows.
const KindNotebook = "notebook"

// Windows tells which windows are open.
func Windows(list []Window) string {
	var b strings.Builder
	b.WriteString("<open_windows>\n")
	for _, w := range list {
		if w.Kind == KindNotebook {
			fmt.Fprintf(&b, "<notebook id=\"%s\" path=\"%s\">%s</notebook>\n", escaped(w.ID), escaped(w.Title), escaped(w.State))
			continue
		}
		fmt.Fprintf(&b, "<window id=\"%s\" kind=\"%s\" monitor=\"%s\"", escaped(w.ID), escaped(w.Kind), escaped(w.Monitor))
		if len(w.Queries) > 0 {
			fmt.Fprintf(&b, " queries=\"%s\"", escaped(strings.Join(w.Queries, " ")))
		}
		if len(w.Commands) > 0 {
			fmt.Fprintf(&b, " commands=\"%s\"", escaped(strings.Join(w.Commands, " ")))
		}
		fmt.Fprintf(&b, ">%s", escaped(w.Title))
		if w.Content != "" {
			fmt.Fprintf(&b, "\n<content>%s</content>\n", escapedLines(w.Content))
		}
		b.WriteString("</window>\n")
	}
	b.WriteString("</open_windows>")
	return b.String()
}

// NoWindows is the hash of no windows at all.
const NoWindows = "none"

// WindowsHash tells lists of windows apart.
func WindowsHash(list []Window) string {
	if len(list) == 0 {
		return NoWindows
	}
	return hash(Windows(list))
}

// hash is short: it tells a few dozen texts of one session apart.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
