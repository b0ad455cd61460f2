package kerneltest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/clew-run/clew/internal/notebook/kernel"
)

// A cell is code that runs.
type cell struct {
	*Kernel
	request
	ctx   context.Context // ends when it is interrupted
	count int

	// What a hostile cell leaves out or says twice.
	noReply, noIdle, twice bool
}

// A failure is an error of the cell's code.
type failure struct{ name, value string }

func (f failure) Error() string { return f.name + ": " + f.value }

// runCells runs what was sent to shell, one at a time.
func (k *Kernel) runCells() {
	for {
		select {
		case <-k.cells:
		case <-k.ctx.Done():
			return
		}
		for r, ok := k.first(); ok; r, ok = k.first() {
			if r.kind() == "execute_request" {
				k.execute(r)
			} else {
				k.answer(r)
			}
		}
	}
}

func (k *Kernel) first() (request, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.queue) == 0 || k.ctx.Err() != nil {
		return request{}, false
	}
	r := k.queue[0]
	k.queue = k.queue[1:]
	return r, true
}

func (k *Kernel) execute(r request) {
	c := &cell{Kernel: k, request: r}
	silent, _ := r.content["silent"].(bool)
	ctx, cancel := context.WithCancel(k.ctx)
	defer cancel()
	c.ctx = ctx
	if r.subshell() == "" {
		k.setInterrupt(cancel)
		defer k.setInterrupt(nil)
	}
	k.mu.Lock()
	k.executed[r.id()]++
	k.order = append(k.order, r.id())
	if !silent {
		k.count++
	}
	c.count = k.count
	k.counts[r.id()] = k.count
	k.mu.Unlock()

	k.status(r.header, "busy")
	if !silent {
		k.publish("execute_input", r.header, map[string]any{"code": r.content["code"], "execution_count": c.count})
	}
	c.finish(c.run(text(r.content["code"])))
}

func (k *Kernel) setInterrupt(f context.CancelFunc) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.interrupt = f
}

// finish says how it went, and empties the queue after an error if it was asked to.
func (c *cell) finish(err error) {
	content := map[string]any{"status": "ok", "execution_count": c.count, "user_expressions": c.expressions(), "payload": []any{}}
	var f failure
	if errors.As(err, &f) {
		said := map[string]any{"ename": f.name, "evalue": f.value, "traceback": []string{"\x1b[31m" + f.name + "\x1b[0m", f.value}}
		c.publish("error", c.header, said)
		content = map[string]any{"status": "error", "execution_count": c.count, "ename": f.name, "evalue": f.value, "traceback": said["traceback"]}
	}
	var aborted []request // what is sent after the end is heard is not among them
	if stop, _ := c.content["stop_on_error"].(bool); stop && f.name != "" {
		for r, ok := c.first(); ok; r, ok = c.first() {
			aborted = append(aborted, r)
		}
	}
	times := 1
	if c.twice {
		times = 2
	}
	for range times {
		if !c.noReply {
			c.reply(c.request, kernel.Shell, "execute_reply", content)
		}
		if !c.noIdle {
			c.status(c.header, "idle")
		}
	}
	c.abort(aborted)
}

func (k *Kernel) abort(all []request) {
	for _, r := range all {
		k.status(r.header, "busy")
		k.reply(r, kernel.Shell, strings.Replace(r.kind(), "_request", "_reply", 1), map[string]string{"status": "aborted"})
		k.status(r.header, "idle")
	}
}

func (c *cell) expressions() map[string]any {
	all := map[string]any{}
	asked, _ := c.content["user_expressions"].(map[string]any)
	for name, code := range asked {
		value := ""
		if c.options.Expression != nil {
			value = c.options.Expression(text(code))
		}
		if value == "" {
			all[name] = map[string]any{"status": "error", "ename": "NameError", "evalue": text(code), "traceback": []string{}}
			continue
		}
		all[name] = map[string]any{"status": "ok", "data": map[string]string{"text/plain": value}, "metadata": map[string]any{}}
	}
	return all
}

func (c *cell) run(code string) error {
	for line := range strings.Lines(code) {
		if err := c.pause(c.options.Slow); err != nil {
			return err
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "" || word == "#" {
			continue
		}
		if err := c.command(word, rest); err != nil {
			return err
		}
	}
	return nil
}

// command runs a line:
//
//	print TEXT, warn TEXT     to stdout, to stderr
//	1, result TEXT            a result
//	display N                 N displays: 0, 1, …
//	show ID TEXT              a display that can be updated
//	update ID TEXT            update it
//	image                     a display with a picture
//	html TEXT                 a display with HTML
//	clear                     clear the output
//	ask PROMPT, secret PROMPT print the answer to a question
//	sleep DURATION            such as 30s
//	wait NAME                 for Kernel.Release of the name
//	fail NAME TEXT            an error
//	exit                      the kernel dies
//
// What else there is breaks the protocol; see hostile.
func (c *cell) command(word, rest string) error {
	name, value, _ := strings.Cut(rest, " ")
	switch word {
	case "print":
		c.stream("stdout", rest)
	case "warn":
		c.stream("stderr", rest)
	case "result":
		c.publish("execute_result", c.header, map[string]any{"execution_count": c.count, "data": map[string]string{"text/plain": rest}, "metadata": map[string]any{}})
	case "show":
		c.display("display_data", map[string]string{"text/plain": value}, name)
	case "update":
		c.display("update_display_data", map[string]string{"text/plain": value}, name)
	case "image":
		c.display("display_data", map[string]string{"text/plain": "<a picture>", "image/png": picture}, "")
	case "html":
		c.display("display_data", map[string]string{"text/plain": "<some HTML>", "text/html": rest}, "")
	case "clear":
		c.publish("clear_output", c.header, map[string]bool{"wait": false})
	case "fail":
		return failure{name, value}
	case "exit":
		c.Kill()
		return c.ctx.Err()
	default:
		return c.longer(word, rest)
	}
	return nil
}

// longer runs the commands that take their time.
func (c *cell) longer(word, rest string) error {
	switch word {
	case "display":
		n, _ := strconv.Atoi(rest)
		return c.times(n, func(i int) {
			c.display("display_data", map[string]string{"text/plain": strconv.Itoa(i)}, "")
		})
	case "ask", "secret":
		return c.ask(rest, word == "secret")
	case "sleep":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return failure{"ValueError", rest}
		}
		return c.pause(d)
	case "wait":
		return c.wait(c.gate(rest))
	}
	if _, err := strconv.Atoi(word); err == nil {
		return c.command("result", word)
	}
	return c.hostile(word, rest)
}

// times does something n times, or until it is interrupted.
func (c *cell) times(n int, do func(i int)) error {
	for i := range n {
		if c.ctx.Err() != nil {
			return interrupted()
		}
		do(i)
	}
	return nil
}

func (c *cell) stream(name, line string) {
	c.publish("stream", c.header, map[string]string{"name": name, "text": line + "\n"})
}

func (c *cell) display(kind string, data map[string]string, id string) {
	transient := map[string]string{}
	if id != "" {
		transient["display_id"] = id
	}
	c.publish(kind, c.header, map[string]any{"data": data, "metadata": map[string]any{}, "transient": transient})
}

func (c *cell) ask(prompt string, password bool) error {
	if allowed, _ := c.content["allow_stdin"].(bool); !allowed {
		return failure{"StdinNotImplementedError", "nobody can be asked"}
	}
	select {
	case <-c.answers: // to an earlier question
	default:
	}
	c.reply(c.request, kernel.Stdin, "input_request", map[string]any{"prompt": prompt, "password": password})
	select {
	case answer := <-c.answers:
		if password {
			answer = fmt.Sprintf("%d characters", len(answer))
		}
		c.stream("stdout", "answer: "+answer)
		return nil
	case <-c.ctx.Done():
		return interrupted()
	}
}

func (c *cell) pause(d time.Duration) error {
	if d == 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.ctx.Done():
		return interrupted()
	}
}

func (c *cell) wait(gate <-chan struct{}) error {
	select {
	case <-gate:
		return nil
	case <-c.ctx.Done():
		return interrupted()
	}
}

func interrupted() error { return failure{"KeyboardInterrupt", ""} }

// picture is one transparent pixel.
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
