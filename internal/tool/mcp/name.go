package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
)

// maxName is what model providers take as the name of a tool.
const maxName = 64

var (
	safeName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	unsafe   = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
	// plainServer has no double underscore and none at its ends, so that the
	// name of a server and the name of a tool stay apart.
	plainServer = regexp.MustCompile(`^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$`)
	// plainTool can be shown and kept in settings as it is.
	plainTool = regexp.MustCompile(`^[A-Za-z0-9_./:-]{1,128}$`)
)

// names gives tools their names for models, each a different one.
type names struct{ taken map[string]bool }

func newNames() *names { return &names{taken: map[string]bool{}} }

// pick gives mcp__server__tool where that is a safe name, otherwise one that
// ends with a hash of both: the same tool gets the same name each time.
func (n *names) pick(server, tool string) string {
	name := "mcp__" + server + "__" + tool
	if !plainServer.MatchString(server) || !safeName.MatchString(tool) || len(name) > maxName || n.taken[name] {
		name = n.hashed(server, tool)
	}
	n.taken[name] = true
	return name
}

func (n *names) hashed(server, tool string) string {
	plain := "mcp__" + unsafe.ReplaceAllString(server, "_") + "__" + unsafe.ReplaceAllString(tool, "_")
	for i := 0; ; i++ {
		suffix := "_" + short(server, tool, strconv.Itoa(i))
		name := plain[:min(len(plain), maxName-len(suffix))] + suffix
		if !n.taken[name] {
			return name
		}
	}
}

// short is a short hash of some words.
func short(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:4])
}

// shownName is how people see a tool, and how settings keep it.
func shownName(tool string) string {
	if plainTool.MatchString(tool) {
		return tool
	}
	safe := strings.Trim(unsafe.ReplaceAllString(tool, "_"), "_")
	return safe[:min(len(safe), 100)] + "_" + short(tool)
}
