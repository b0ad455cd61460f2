package kerneltest

import (
	"net"
	"slices"
	"strings"

	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/notebook/zmtp"
)

// types says what each socket is.
var types = map[Socket]zmtp.Socket{kernel.Shell: zmtp.Router, kernel.Stdin: zmtp.Router, kernel.Control: zmtp.Router, kernel.IOPub: zmtp.Pub, heart: zmtp.Rep}

func (k *Kernel) accept(l net.Listener, socket Socket) {
	for {
		raw, err := l.Accept()
		if err != nil {
			return // closed
		}
		k.serving.Go(func() { k.serve(raw, socket) })
	}
}

func (k *Kernel) serve(raw net.Conn, socket Socket) {
	k.mu.Lock()
	k.raw[raw] = true
	dead := k.ctx.Err() != nil
	k.mu.Unlock()
	defer func() {
		_ = raw.Close()
		k.mu.Lock()
		delete(k.raw, raw)
		k.mu.Unlock()
	}()
	if dead {
		return
	}
	if k.options.Greeting != "" {
		_, _ = raw.Write([]byte(k.options.Greeting))
		<-k.ctx.Done()
		return
	}
	c, err := zmtp.Accept(k.ctx, raw, types[socket], func(c *zmtp.Conn) { k.route(c, socket) })
	if err != nil {
		return
	}
	if socket == kernel.Shell {
		k.look()
	}
	switch socket {
	case kernel.IOPub:
		k.serveSubscriber(c, raw)
	case heart:
		k.serveHeart(c)
	default:
		k.serveRequests(c, socket)
	}
}

func (k *Kernel) serveSubscriber(c *zmtp.Conn, raw net.Conn) {
	defer func() {
		k.mu.Lock()
		delete(k.subscribed, c)
		k.mu.Unlock()
	}()
	for {
		frames, err := c.Receive(k.ctx)
		if err != nil {
			return
		}
		if len(frames) != 1 || string(frames[0]) != "\x01" {
			continue
		}
		k.mu.Lock()
		k.subscribed[c] = raw
		starts := !k.started
		k.started = true
		k.mu.Unlock()
		if k.options.Old || k.options.Mute {
			continue
		}
		welcome := k.frames("iopub_welcome", nil, map[string]string{"subscription": ""})
		_ = c.Send(k.ctx, append([][]byte{{}}, welcome...)...)
		if starts {
			k.serving.Go(k.start)
		}
	}
}

// start says that the kernel starts, once it may.
func (k *Kernel) start() {
	select {
	case <-k.options.Starts:
		k.publish("status", nil, map[string]string{"execution_state": "starting"})
	case <-k.ctx.Done():
	}
}

// starting says that the kernel has not started yet.
func (k *Kernel) starting() bool {
	select {
	case <-k.options.Starts:
		return false
	default:
		return true
	}
}

func (k *Kernel) serveHeart(c *zmtp.Conn) {
	for {
		frames, err := c.Receive(k.ctx)
		if err != nil {
			return
		}
		if !k.options.Mute {
			_ = c.Send(k.ctx, frames...)
		}
	}
}

// route takes over the identity from whoever had it, as ROUTER_HANDOVER.
func (k *Kernel) route(c *zmtp.Conn, socket Socket) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if routed := k.routed[socket]; routed != nil {
		routed[c.Peer().Identity] = c
	}
}

func (k *Kernel) serveRequests(c *zmtp.Conn, socket Socket) {
	if socket != kernel.Stdin && k.starting() {
		<-k.ctx.Done()
		return
	}
	identity := c.Peer().Identity
	defer func() {
		k.mu.Lock()
		if k.routed[socket][identity] == c {
			delete(k.routed[socket], identity)
		}
		k.mu.Unlock()
	}()
	for {
		frames, err := c.Receive(k.ctx)
		if err != nil {
			return
		}
		if r, ok := k.parse(socket, identity, frames); ok && !k.overlooks(r) {
			k.take(r)
		}
	}
}

func (k *Kernel) overlooks(r request) bool {
	if r.socket != kernel.Shell || !k.options.Overlooks {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.overlooked = append(k.overlooked, r)
	return true
}

// look reads what was overlooked.
func (k *Kernel) look() {
	k.mu.Lock()
	all := k.overlooked
	k.overlooked = nil
	k.mu.Unlock()
	for _, r := range all {
		k.take(r)
	}
}

// take answers on control at once, if the kernel does, and lets shell wait for its turn.
func (k *Kernel) take(r request) {
	switch {
	case r.socket == kernel.Control && !k.options.OneThread:
		k.answer(r)
	case r.socket == kernel.Stdin:
		if r.kind() == "input_reply" {
			k.takeAnswer(text(r.content["value"]))
		}
	default:
		if r.subshell() != "" && r.kind() == "execute_request" {
			k.serving.Go(func() { k.execute(r) })
			return
		}
		k.mu.Lock()
		k.queue = append(k.queue, r)
		k.mu.Unlock()
		select {
		case k.cells <- struct{}{}:
		default:
		}
	}
}

func (k *Kernel) takeAnswer(value string) {
	k.mu.Lock()
	k.answered = append(k.answered, value)
	k.mu.Unlock()
	select {
	case k.answers <- value:
	default: // nobody asked
	}
}

// answer deals with all requests that run no code.
func (k *Kernel) answer(r request) {
	k.status(r.header, "busy")
	defer k.status(r.header, "idle")
	switch r.kind() {
	case "kernel_info_request":
		k.reply(r, r.socket, "kernel_info_reply", map[string]any{
			"status": "ok", "protocol_version": "5.3", "implementation": "kerneltest", "implementation_version": "1",
			"banner": "a kernel of tests", "language_info": map[string]string{"name": "test", "version": "1", "mimetype": "text/plain", "file_extension": ".txt"},
			"supported_features": k.options.Features,
		})
	case "interrupt_request":
		k.mu.Lock()
		k.interrupts++
		if k.interrupt != nil {
			k.interrupt()
		}
		k.mu.Unlock()
		k.reply(r, r.socket, "interrupt_reply", map[string]string{"status": "ok"})
	case "shutdown_request":
		k.reply(r, r.socket, "shutdown_reply", map[string]any{"status": "ok", "restart": r.content["restart"]})
		k.Kill()
	case "complete_request", "inspect_request":
		k.help(r)
	case "create_subshell_request", "delete_subshell_request":
		content := map[string]string{"status": "ok", "subshell_id": "subshell"}
		if !slices.Contains(k.options.Features, "kernel subshells") {
			content = map[string]string{"status": "error", "ename": "Refused", "evalue": "there are\x1b[31m no subshells"}
		}
		k.reply(r, r.socket, strings.Replace(r.kind(), "_request", "_reply", 1), content)
	}
}

// help answers people who type, as Options.Help says.
func (k *Kernel) help(r request) {
	var content any
	switch {
	case k.options.Help != nil:
		content = k.options.Help(r.kind())
	case r.kind() == "complete_request":
		content = map[string]any{"status": "ok", "matches": []string{"print", "probe"}, "cursor_start": 0, "cursor_end": r.content["cursor_pos"], "metadata": map[string]any{}}
	default:
		content = map[string]any{"status": "ok", "found": true, "data": map[string]any{"text/plain": "of " + text(r.content["code"])}, "metadata": map[string]any{}}
	}
	if content != nil {
		k.reply(r, r.socket, strings.Replace(r.kind(), "_request", "_reply", 1), content)
	}
}
