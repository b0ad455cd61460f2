package tool

import (
	"encoding/json"
	"regexp"
)

// A View is a page of a tool server that shows what a call came to. It is a
// stranger's program: it runs in a frame that reaches nothing but what people allow.
type View struct {
	URI   string // the server's own name for it
	Title string
	HTML  string
	// Connect and Resources are the hosts that it asks to reach and to load from.
	Connect, Resources []string
	// Input and Result are the call as the page is told it: JSON.
	Input, Result json.RawMessage
}

// ViewOriginsMax is how many hosts a page may name for each purpose.
const ViewOriginsMax = 16

var origin = regexp.MustCompile(`^(https|wss)://(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?(:[0-9]{1,5})?$`)

// ValidOrigin says whether a page may name this: a host that is written out, or its
// subdomains, reached over TLS. Anything else could say more in a policy than a host.
func ValidOrigin(s string) bool { return len(s) <= 253 && origin.MatchString(s) }
