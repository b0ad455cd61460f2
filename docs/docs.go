// Package docs carries the documents that the server itself serves.
package docs

import _ "embed"

// AsyncAPI is the description of the WebSocket protocol, made from the
// catalogue.
//
//go:embed asyncapi.json
var AsyncAPI []byte
