// Package wire is the form that clew's vocabulary has on the wire: the
// envelope, its strict decoding on the server's side and its lenient decoding
// on the client's side, close codes and limits. PROTOCOL.md is the same in
// prose; the examples show both sides.
package wire
