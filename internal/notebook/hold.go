package notebook

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
)

// Hold takes care of the kernels that an earlier run of the server left: without a
// server they end after a while. Who works for a notebook joins its kernel when there is
// something to do, or hears the last words of one that has ended.
func (r *Runner) Hold(ctx context.Context) {
	for _, id := range r.cfg.Kernels.Left() {
		p, err := r.cfg.Kernels.Find(ctx, id)
		if err != nil {
			r.cfg.Log.Warn("a kernel of an earlier run cannot be held", "kernel", id, "err", err)
			continue
		}
		r.mu.Lock()
		r.held[id] = p
		r.mu.Unlock()
	}
}

// hold keeps a kernel's process that nobody is joined to.
func (r *Runner) hold(id string, p Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[id] = p
}

// release gives a kernel's process that hold or Hold kept, nil if there is none.
func (r *Runner) release(id string) Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.held[id]
	delete(r.held, id)
	return p
}

// find gives a kernel's process: one that is held, or one that is there by now.
func (r *Runner) find(ctx context.Context, id string) (Process, error) {
	if p := r.release(id); p != nil {
		return p, nil
	}
	return r.cfg.Kernels.Find(ctx, id)
}

// endWithin is how long a kernel may take to end.
const endWithin = 30 * time.Second

// endProcess ends a kernel's process and removes what is left of it. One that does not end is held.
func (r *Runner) endProcess(ctx context.Context, id string, p Process) error {
	ctx, cancel := context.WithTimeout(ctx, endWithin)
	defer cancel()
	var err error
	if goneOf(p) == nil {
		err = p.Kill()
	}
	select {
	case <-p.Done():
		_ = p.Forget() // nobody looks for it again
		return nil
	case <-ctx.Done():
		r.hold(id, p)
		return errors.Join(err, ctx.Err())
	}
}

// forget removes what is left of a kernel whose end is on record.
func (r *Runner) forget(id string) {
	crash.At("kernel.forget")
	if p := r.release(id); p != nil {
		_ = p.Forget() // what cannot be removed now is removed when another kernel begins
	}
}

// EndSession ends the kernels of a session that was deleted.
func (r *Runner) EndSession(id clew.SessionID) {
	prefix := kernelPrefix(id)
	ends := map[string]Process{}
	r.mu.Lock()
	for name, k := range r.live {
		if strings.HasPrefix(name, prefix) {
			delete(r.live, name)
			ends[name] = k.process
			defer k.close()
		}
	}
	for name, p := range r.held {
		if strings.HasPrefix(name, prefix) {
			delete(r.held, name)
			ends[name] = p
		}
	}
	r.mu.Unlock()
	for name, p := range ends {
		if err := r.endProcess(context.Background(), name, p); err != nil {
			r.cfg.Log.Warn("a kernel of a deleted session could not be ended", "err", err)
		}
	}
}
