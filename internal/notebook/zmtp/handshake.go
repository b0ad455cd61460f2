package zmtp

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
)

const greetingSize = 64

// greeting is sent by both sides: signature, version 3.0, mechanism, and zeros.
func greeting() []byte {
	g := make([]byte, greetingSize)
	g[0], g[9], g[10] = 0xFF, 0x7F, 3
	copy(g[12:32], "NULL")
	return g
}

// checkVersion looks at the first 11 bytes, which an older peer sends too.
func checkVersion(g []byte) error {
	switch {
	case g[0] != 0xFF || g[9]&1 != 1:
		return broken("the greeting is not one of ZeroMQ")
	case g[10] < 3:
		return broken("the peer speaks version %d, and 3 is needed", g[10])
	}
	return nil
}

func checkMechanism(g []byte) error {
	if name := strings.TrimRight(string(g[12:32]), "\x00"); name != "NULL" {
		return broken("the peer wants the mechanism %q", name)
	}
	return nil
}

// shake greets the peer and hears who it is. With known, the peer is told that it is
// connected only after known was called.
func (c *Conn) shake(ctx context.Context, socket Socket, identity string, known func(*Conn)) error {
	first, last := greeting(), encodeFrame(nil, flagCommand, ready(socket, identity))
	if known == nil {
		first, last = append(first, last...), nil
	}
	defer during(ctx, c.raw.SetDeadline)()
	if _, err := c.raw.Write(first); err != nil {
		return orEnd(ctx, err)
	}
	peer, err := c.reader.handshake()
	if err != nil {
		return orEnd(ctx, err)
	}
	if !slices.Contains(peers[socket], peer.Socket) {
		return broken("a %s does not talk to a %q", socket, peer.Socket)
	}
	c.peer = peer
	if known != nil {
		known(c)
		if _, err := c.raw.Write(last); err != nil {
			return orEnd(ctx, err)
		}
	}
	return nil
}

// orEnd gives the end of ctx instead of the time-out that it made.
func orEnd(ctx context.Context, err error) error {
	if isTimeout(err) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// ready is the command that ends the handshake.
func ready(socket Socket, identity string) []byte {
	b := append([]byte{5}, "READY"...)
	b = property(b, "Socket-Type", string(socket))
	if socket == Dealer || socket == Req || socket == Router {
		b = property(b, "Identity", identity)
	}
	return b
}

func property(b []byte, name, value string) []byte {
	b = append(append(b, byte(len(name))), name...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(value))) //nolint:gosec // at most maxIdentity
	return append(b, value...)
}

// parseReady reads the peer's command.
func parseReady(b []byte) (Peer, error) {
	name, b, ok := short(b)
	if !ok || name != "READY" {
		return Peer{}, broken("the handshake ended with %q", name)
	}
	var p Peer
	for len(b) > 0 {
		var key, value string
		if key, b, ok = short(b); !ok {
			return Peer{}, broken("a property of the handshake is cut off")
		}
		if value, b, ok = long(b); !ok {
			return Peer{}, broken("a property of the handshake is cut off")
		}
		switch strings.ToLower(key) {
		case "socket-type":
			p.Socket = Socket(value)
		case "identity":
			p.Identity = value
		}
	}
	if len(p.Identity) > maxIdentity {
		return Peer{}, broken("the peer's identity is too long")
	}
	return p, nil
}

// short takes a string with a length of one byte.
func short(b []byte) (s string, rest []byte, ok bool) {
	if len(b) < 1 || len(b)-1 < int(b[0]) {
		return "", nil, false
	}
	n := int(b[0])
	return string(b[1 : 1+n]), b[1+n:], true
}

// long takes a string with a length of four bytes.
func long(b []byte) (s string, rest []byte, ok bool) {
	if len(b) < 4 {
		return "", nil, false
	}
	n := binary.BigEndian.Uint32(b)
	if uint64(n) > uint64(len(b)-4) {
		return "", nil, false
	}
	return string(b[4 : 4+n]), b[4+n:], true
}
