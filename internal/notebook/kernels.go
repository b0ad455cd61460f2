package notebook

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/notebook/process"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// kernel gives the notebook's kernel: the one that this server is joined to, one that
// outlived the server, or a new one. It is nil if there is none and that is on record.
func (w *worker) kernel(ctx context.Context, v session.NotebookView) (*attached, error) {
	n := &v.Notebook
	if s := n.Kernel.State; !s.Alive() || s == clew.KernelRestarting {
		return w.begin(ctx, v)
	}
	k, err := w.join(ctx, v, "")
	if k != nil && k.alive() && n.Kernel.State == clew.KernelStarting {
		return k, w.ready(ctx, n, k)
	}
	if k != nil || ctx.Err() != nil {
		return k, ctx.Err()
	}
	if errors.Is(err, errUnwanted) {
		return nil, nil
	}
	if n.Kernel.State == clew.KernelStarting { // the server died before it was there: nothing ran in it
		if err := w.endKernel(ctx, v); err != nil {
			return nil, err
		}
		return w.launch(ctx, v, n.Kernel.ID)
	}
	return nil, w.lost(ctx, v, err)
}

// lost records that the kernel is gone. One that is there, and that nobody can be joined
// to, is ended.
func (w *worker) lost(ctx context.Context, v session.NotebookView, why error) error {
	n := &v.Notebook
	d := clew.KernelChangedData{KernelID: n.Kernel.ID, State: clew.KernelLost, Reason: "the kernel is gone"}
	var gone *goneError
	if errors.As(why, &gone) {
		d.State, d.Reason = clew.KernelDead, gone.Error()
	} else if err := w.endKernel(ctx, v); err != nil {
		return err
	}
	if run := n.Run; run != nil && n.Kernel.Wanted == clew.WishRestart { // that goes on from here
		return w.finish(ctx, clew.CellFinishedData{RunID: run.ID, CellID: run.CellID, Status: clew.CellInDoubt, OutputsLost: true, Reason: d.Reason})
	}
	if err := w.change(ctx, n, d, clew.CellInDoubt); err != nil {
		return err
	}
	w.forget(n.Kernel.ID)
	return nil
}

// join gives the kernel on record if it runs on this node. What the kernel says about
// the request expect is not missed.
func (w *worker) join(ctx context.Context, v session.NotebookView, expect string) (*attached, error) {
	id := v.Notebook.Kernel.ID
	if k := w.pooled(id); k != nil {
		if k.alive() {
			return k, nil
		}
		w.drop(k)
		awaitEnd(ctx, k.process)
		if gone := goneOf(k.process); gone != nil {
			k.close()
			w.hold(id, k.process)
			return nil, gone
		}
		k.close()
		w.hold(id, k.process)
	}
	if id == "" || v.Notebook.Kernel.Node != v.Node {
		return nil, process.ErrNone
	}
	p, err := w.find(ctx, id)
	if err != nil {
		return nil, err
	}
	k, err := w.attach(ctx, id, p, expect, false)
	if err != nil { // whatever is to become of it, it is found again
		w.hold(id, p)
		if !errors.Is(err, errUnwanted) && !errors.Is(err, context.DeadlineExceeded) {
			awaitEnd(ctx, p)
		}
		if gone := goneOf(p); gone != nil {
			err = gone
		}
		return nil, err
	}
	crash.At("kernel.attached")
	w.pool(k, v)
	return k, nil
}

// begin starts a kernel, in the place of the last one, of which nothing is left then. Its id
// is on record first.
func (w *worker) begin(ctx context.Context, v session.NotebookView) (*attached, error) {
	n := &v.Notebook
	if err := w.endKernel(ctx, v); err != nil {
		return nil, err
	}
	id := newKernelID(v.Session)
	d := clew.KernelChangedData{KernelID: id, Name: n.KernelToStart(), State: clew.KernelStarting, Node: v.Node}
	w.saveFiles(ctx, v, "before a kernel starts")
	if err := w.change(ctx, n, d, clew.CellAborted); err != nil {
		return nil, err
	}
	crash.At("kernel.starting")
	return w.launch(ctx, v, id)
}

// launch starts the process and waits until it answers. What goes wrong is the kernel's
// state, not an error of the work.
func (w *worker) launch(ctx context.Context, v session.NotebookView, id string) (*attached, error) {
	n := &v.Notebook
	k, err := w.process(ctx, v, id)
	if err == nil { // also if the session ends at this moment: its kernels are ended then
		w.pool(k, v)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, errUnwanted) {
		return nil, nil
	}
	if err != nil {
		w.cfg.Log.Warn("a kernel could not be started", "session", v.Session, "notebook", n.ID, "err", err)
		return nil, w.change(ctx, n, clew.KernelChangedData{KernelID: id, State: clew.KernelDead, Reason: reason(err)}, clew.CellAborted)
	}
	return k, w.ready(ctx, n, k)
}

func (w *worker) process(ctx context.Context, v session.NotebookView, id string) (*attached, error) {
	values := w.values(v.Settings)
	place, err := w.cfg.Workspace(v.Session, v.Owner, v.Workspace, values)
	if err != nil {
		return nil, err
	}
	defer func() { _ = workspace.Close(place) }()
	values = w.permitted(v, place.Dir, values)
	spec, err := w.spec(ctx, v.Notebook.KernelToStart(), place.Dir)
	if err != nil {
		return nil, err
	}
	if w.cfg.Trusted != nil && !w.cfg.Trusted(v.Owner) {
		values.CommandSandbox = "bwrap"
	}
	p, err := w.cfg.Kernels.Start(context.WithValue(ctx, valuesKey{}, values), process.Start{
		ID: id, Spec: spec, Workspace: place, Owner: v.Owner, SessionID: v.Session, Network: values.CommandNetwork, MemoryMB: values.KernelMemoryMB, Terminal: v.Environment,
	})
	if err != nil {
		return nil, err
	}
	crash.At("kernel.started")
	k, err := w.attach(ctx, id, p, "", spec.IPyKernel())
	if errors.Is(err, errUnwanted) {
		w.hold(id, p)
		return nil, err
	}
	if err != nil {
		if ctx.Err() != nil { // the server stops, and the next one finds it, or the session is deleted
			w.hold(id, p)
			return nil, err
		}
		return nil, errors.Join(err, w.endProcess(ctx, id, p))
	}
	return k, nil
}

// permitted gives the settings with the preset that the session's owner chose for its
// directory, as the agent's are: a kernel is guarded as commands are.
func (w *worker) permitted(v session.NotebookView, dir string, values settings.Values) settings.Values {
	preset := values.PresetFor(v.Owner, v.Workspace)
	if preset == "" && w.cfg.MadeFrom != nil {
		preset = values.PresetFor(v.Owner, w.cfg.MadeFrom(v.Session))
	}
	if preset == "" || dir != v.Workspace { // a link may lead elsewhere by now
		return values
	}
	overlay := map[string]any{"permissions": preset}
	maps.Copy(overlay, v.Settings)
	return w.values(overlay)
}

// ready records that the kernel answers. It is asked for its variables first, so that what
// this needs, such as a subshell, is there before cells run.
func (w *worker) ready(ctx context.Context, n *core.Notebook, k *attached) error {
	_, _ = k.variables(ctx, k.id+"-first", w.checkpointWithin)
	k.awaitRecorded(ctx)
	l := k.info.Language
	return w.change(ctx, n, clew.KernelChangedData{KernelID: k.id, State: clew.KernelIdle, Info: &clew.KernelLanguage{
		Language: short(l.Name), Version: short(l.Version), Implementation: short(k.info.Implementation), FileExtension: short(l.Extension),
	}}, "")
}

// spec finds the kernel of a name.
func (w *worker) spec(ctx context.Context, name, dir string) (process.Spec, error) {
	specs := w.cfg.Kernels.Specs(ctx, dir)
	if s, ok := process.Pick(specs, name); ok {
		return s, nil
	}
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return process.Spec{}, clew.Errorf(clew.ExecutionFailed, "there is no kernel on this machine; install one with: pip install ipykernel")
	}
	return process.Spec{}, clew.Errorf(clew.ExecutionFailed, "there is no kernel %q here; there are: %s", name, strings.Join(names, ", "))
}

// newKernelID names a kernel. The first part is the session's, so that all kernels of a
// session are found.
func newKernelID(id clew.SessionID) string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails
	return kernelPrefix(id) + hex.EncodeToString(b)
}

func kernelPrefix(id clew.SessionID) string {
	sum := sha256.Sum256([]byte(id))
	return "kn_" + hex.EncodeToString(sum[:8]) + "_"
}

// reason is an error in words for people.
func reason(err error) string {
	var e *clew.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

func (r *Runner) pooled(id string) *attached {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live[id]
}

func (r *Runner) pool(k *attached, v session.NotebookView) {
	k.session, k.notebook = v.Session, v.Notebook.ID
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live[k.id] = k
}

func (r *Runner) drop(k *attached) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, k.id)
}
