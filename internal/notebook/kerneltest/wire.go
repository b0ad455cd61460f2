package kerneltest

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/clew-run/clew/internal/notebook/zmtp"
)

// A request is what a client sent. Signing is written here a second time, and not
// taken from the client, so that the two check each other.
type request struct {
	socket   Socket
	identity string
	header   map[string]any
	content  map[string]any
}

func (r request) id() string   { return text(r.header["msg_id"]) }
func (r request) kind() string { return text(r.header["msg_type"]) }

// subshell is where the request is to run, "" for the main shell.
func (r request) subshell() string { return text(r.header["subshell_id"]) }

func text(v any) string {
	s, _ := v.(string)
	return s
}

// frames makes a signed message with the given parent header.
func (k *Kernel) frames(kind string, parent map[string]any, content any) [][]byte {
	header := map[string]any{
		"msg_id": rand.Text(), "msg_type": kind, "session": "kernel", "username": "kernel",
		"date": time.Now().UTC().Format(time.RFC3339Nano), "version": "5.3", "unknown": []int{1},
	}
	if parent == nil {
		parent = map[string]any{}
	}
	parts := [][]byte{encode(header), encode(parent), []byte("{}"), encode(content)}
	return append([][]byte{[]byte("<IDS|MSG>"), k.sign(parts)}, parts...)
}

func encode(v any) []byte {
	if raw, ok := v.([]byte); ok {
		return raw
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only what this package made is encoded
	}
	return b
}

func (k *Kernel) sign(parts [][]byte) []byte {
	mac := hmac.New(sha256.New, []byte(k.at.Key))
	for _, p := range parts {
		mac.Write(p)
	}
	return []byte(hex.EncodeToString(mac.Sum(nil)))
}

// parse reads a client's message; one that is not signed is left alone, as real
// kernels do.
func (k *Kernel) parse(socket Socket, identity string, frames [][]byte) (request, bool) {
	r := request{socket: socket, identity: identity}
	if len(frames) < 6 || string(frames[0]) != "<IDS|MSG>" || !hmac.Equal(k.sign(frames[2:6]), frames[1]) {
		return r, false
	}
	return r, json.Unmarshal(frames[2], &r.header) == nil && json.Unmarshal(frames[5], &r.content) == nil
}

// publish sends to all who subscribed, and waits for them. A real kernel would drop
// messages for those that are too slow.
func (k *Kernel) publish(kind string, parent map[string]any, content any) {
	k.publishFrames(append([][]byte{[]byte("kernel.test." + kind)}, k.frames(kind, parent, content)...))
}

func (k *Kernel) publishFrames(frames [][]byte) {
	if k.options.Mute {
		return
	}
	for _, c := range k.subscribers() {
		if c.Send(k.ctx, frames...) != nil {
			continue // a client that left
		}
		k.mu.Lock()
		k.published++
		k.mu.Unlock()
	}
}

func (k *Kernel) subscribers() []*zmtp.Conn {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []*zmtp.Conn
	for c := range k.subscribed {
		all = append(all, c)
	}
	return all
}

func (k *Kernel) status(parent map[string]any, state string) {
	k.publish("status", parent, map[string]string{"execution_state": state})
}

// reply sends to whoever has the identity of a request now, and drops the reply if
// nobody has.
func (k *Kernel) reply(to request, socket Socket, kind string, content any) {
	if k.options.Mute {
		return
	}
	k.mu.Lock()
	c := k.routed[socket][to.identity]
	k.mu.Unlock()
	if c != nil {
		_ = c.Send(k.ctx, k.frames(kind, to.header, content)...)
	}
}
