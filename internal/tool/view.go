package tool

import "encoding/json"

// A View is a page of a tool server that shows what a call came to. It is a
// stranger's program: it runs in a frame that reaches nothing but what people allow.
type View struct {
	URI   string // the server's own name for it
	Tool  string // as the server calls it
	Title string
	HTML  string
	// Connect and Resources are the hosts that it asks to reach and to load from.
	Connect, Resources []string
	// Input and Result are the call as the page is told it: JSON.
	Input, Result json.RawMessage
}
