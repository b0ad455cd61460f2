package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Servers and clients run in processes of their own, so that neither side's
// garbage or scheduler is charged to the other. They are this same program,
// started again with a role. The parent asks, one JSON object a line on stdin,
// and the child answers, one a line on stdout.

// A request is what the parent asks of a child.
type request struct {
	Op   string          `json:"op"`
	Args json.RawMessage `json:"args,omitempty"`
}

// A reply is the child's answer.
type reply struct {
	Error string          `json:"error,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// A child is a process with a role.
type child struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

// start runs a program as a child. Its stderr is ours.
func start(name, program string, args ...string) (*child, error) {
	c := &child{name: name, cmd: exec.Command(program, args...)}
	c.cmd.Stderr = os.Stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 64<<10)
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return c, nil
}

// startRole runs this program again in a role.
func startRole(role string, args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start(role, self, append([]string{"-role", role}, args...)...)
}

// send asks without waiting for the answer.
func (c *child) send(op string, args any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	line, err := json.Marshal(request{Op: op, Args: raw})
	if err != nil {
		return err
	}
	if _, err = c.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// receive waits for the answer to the oldest request that has none yet.
func (c *child) receive(value any) error {
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s ended: %w", c.name, err)
	}
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if r.Error != "" {
		return fmt.Errorf("%s: %s", c.name, r.Error)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(r.Value, value)
}

// ask sends a request and waits for its answer.
func (c *child) ask(op string, args, value any) error {
	if err := c.send(op, args); err != nil {
		return err
	}
	return c.receive(value)
}

// stop ends the child: the end of its input tells it to go.
func (c *child) stop() {
	if c == nil {
		return
	}
	_ = c.in.Close()
	_ = c.cmd.Wait()
}

// kill ends the child at once.
func (c *child) kill() {
	if c == nil {
		return
	}
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// end stops the child; gently if it has a profile to write.
func (c *child) end() {
	if os.Getenv(profileEnv) != "" {
		c.stop()
		return
	}
	c.kill()
}

// ops is what a role can do.
type ops map[string]func(args json.RawMessage) (any, error)

// op makes an entry of ops from a function with typed arguments.
func op[A any](fn func(A) (any, error)) func(json.RawMessage) (any, error) {
	return func(raw json.RawMessage) (any, error) {
		var args A
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &args); err != nil {
				return nil, err
			}
		}
		return fn(args)
	}
}

// answer serves requests until the parent closes our input.
func answer(o ops) error {
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var req request
		if err := json.Unmarshal(line, &req); err != nil {
			return err
		}
		var r reply
		if fn, ok := o[req.Op]; !ok {
			r.Error = "no operation " + req.Op
		} else if value, err := fn(req.Args); err != nil {
			r.Error = err.Error()
		} else if r.Value, err = json.Marshal(value); err != nil {
			r.Error = err.Error()
		}
		out, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(append(out, '\n'))
		if err != nil {
			return err
		}
	}
}
