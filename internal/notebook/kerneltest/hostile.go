package kerneltest

import (
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// hostile runs a command that breaks the protocol:
//
//	forge             output with a wrong signature
//	bare              output without the frames of a message
//	deep N            output with JSON of N levels
//	broken            signed output that is not JSON
//	announce N        the head of a frame of N bytes on all sockets of iopub, and nothing more
//	huge N            a message with a frame of N bytes
//	flood N SIZE      N lines of SIZE bytes
//	garbage           bytes that are no frame
//	orphan            output and a status of a request that nobody made
//	noreply, noidle   the end of the cell lacks one of the two; "hang" both
//	twice             the end of the cell comes twice
//	drop              all connections are closed, and the kernel lives
//	displays N        N displays, each with an id of its own; then all of them are updated twice
//	comms N           N comms are opened, each with a target of its own, and spoken to
//	endless N SIZE    N frames of SIZE bytes of a message that does not end
//	wide N            a display of N MIME types
//	huge-names N      an error whose name, value and lines have N bytes each
//	invalid           text, names and MIME types that are not UTF-8, and halves of characters
//	escapes           text that would fill a clipboard, make links and set titles at a terminal
func (c *cell) hostile(word, rest string) error {
	first, second, _ := strings.Cut(rest, " ")
	n, _ := strconv.Atoi(first)
	size, _ := strconv.Atoi(second)
	switch word {
	case "forge":
		frames := c.frames("stream", c.header, map[string]string{"name": "stdout", "text": "forged"})
		frames[1] = []byte(strings.Repeat("0", len(frames[1])))
		c.publishFrames(frames)
	case "bare":
		c.publishFrames([][]byte{[]byte("<IDS|MSG>"), []byte("{}")})
	case "deep":
		c.publish("display_data", c.header, []byte(strings.Repeat(`{"a":`, n)+"1"+strings.Repeat("}", n)))
	case "broken":
		c.publish("display_data", c.header, []byte(`{"data": `))
	case "announce":
		c.toSubscribers(binary.BigEndian.AppendUint64([]byte{2}, uint64(n))) //nolint:gosec // a test's number
	case "garbage":
		c.toSubscribers([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
	case "huge":
		c.huge(n)
	case "flood":
		line := strings.Repeat("x", size)
		return c.times(n, func(int) { c.stream("stdout", line) })
	case "orphan":
		nobody := map[string]any{"msg_id": "nobody's", "msg_type": "execute_request"}
		c.publish("stream", nobody, map[string]string{"name": "stdout", "text": "nobody's"})
		c.status(nobody, "idle")
	default:
		return c.hostileOutput(word, n, size)
	}
	return nil
}

// Escapes is what the command escapes prints: OSC 52, 8 and 0, a query that terminals
// answer as if somebody had typed, and the same in the bytes of C1.
const Escapes = "\x1b]52;c;ZXZpbA==\x07 \x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\ \x1b]0;title\x07 \x1b[6n \x1b[2J\x1b[H \u009d52;c;ZXZpbA==\u009c \u202e \x1b\x1b[31m]52;c;ZXZpbA==\x07"

// hostileOutput puts out what is well signed and means harm.
func (c *cell) hostileOutput(word string, n, size int) error {
	switch word {
	case "displays":
		return c.times(3*n, func(i int) {
			kind := "update_display_data"
			if i < n {
				kind = "display_data"
			}
			c.display(kind, map[string]string{"text/plain": strconv.Itoa(i) + strings.Repeat("d", 2_000), "text/html": strings.Repeat("h", 7_000)}, "id"+strconv.Itoa(i%n))
		})
	case "comms":
		return c.times(n, func(i int) {
			id := "comm" + strconv.Itoa(i)
			c.publish("comm_open", c.header, map[string]any{"comm_id": id, "target_name": "target" + id, "data": map[string]string{"x": strings.Repeat("x", 1_000)}})
			c.publish("comm_msg", c.header, map[string]any{"comm_id": id, "data": map[string]string{"x": strings.Repeat("x", 1_000)}})
		})
	case "endless":
		c.endless(n, size)
	case "wide":
		types := make(map[string]string, n)
		for i := range n {
			types["type/x"+strconv.Itoa(i)] = "x"
		}
		c.display("display_data", types, "")
	case "huge-names":
		text := strings.Repeat("n", n)
		c.publish("error", c.header, map[string]any{"ename": text, "evalue": text, "traceback": []string{text, text}})
	case "invalid":
		c.publish("stream", c.header, []byte("{\"name\":\"std\xff\",\"text\":\"a\xffb\\ud800c\\u0000\"}"))
		c.publish("display_data", c.header, []byte("{\"data\":{\"text/plain\":\"p\xffq\",\"x/\xfe\":\"\xff\",\"application/json\":{\"k\xff\":\"\\udc00\"}},\"metadata\":{\"m\xff\":\"\xff\"},\"transient\":{\"display_id\":\"\xff\"}}"))
		c.publish("error", c.header, []byte("{\"ename\":\"E\xff\",\"evalue\":\"\\ud800\",\"traceback\":[\"\xff\"]}"))
	case "escapes":
		c.stream("stdout", Escapes)
		c.display("display_data", map[string]string{"text/plain": Escapes}, "")
	default:
		return c.ends(word)
	}
	return nil
}

// endless sends frames that say that more of their message come.
func (c *cell) endless(n, size int) {
	frame := append(binary.BigEndian.AppendUint64([]byte{1 | 2}, uint64(size)), make([]byte, size)...) //nolint:gosec // a test's number
	for range n {
		c.toSubscribers(frame)
	}
}

func (c *cell) ends(word string) error {
	switch word {
	case "noreply":
		c.noReply = true
	case "noidle":
		c.noIdle = true
	case "hang":
		c.noReply, c.noIdle = true, true
	case "twice":
		c.twice = true
	case "drop":
		c.Disconnect()
	default:
		return failure{"NameError", fmt.Sprintf("%q is no command", word)}
	}
	return nil
}

// toSubscribers writes past the protocol.
func (c *cell) toSubscribers(b []byte) {
	for _, raw := range c.subscriberSockets() {
		_, _ = raw.Write(b)
	}
}

// huge sends a frame of n bytes without holding them in memory.
func (c *cell) huge(n int) {
	part := make([]byte, 1<<20)
	for _, raw := range c.subscriberSockets() {
		_, _ = raw.Write(binary.BigEndian.AppendUint64([]byte{2}, uint64(n))) //nolint:gosec // a test's number
		for left := n; left > 0; left -= len(part) {
			if _, err := raw.Write(part[:min(left, len(part))]); err != nil {
				return
			}
		}
	}
}

func (c *cell) subscriberSockets() []net.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []net.Conn
	for _, raw := range c.subscribed {
		all = append(all, raw)
	}
	return all
}
