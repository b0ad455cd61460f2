package notebook

import (
	"context"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// grant does what somebody wants of a kernel that runs nothing.
func (w *worker) grant(ctx context.Context, v session.NotebookView) error {
	n := &v.Notebook
	switch n.Kernel.Wanted {
	case clew.WishStop:
		return w.stop(ctx, v)
	case clew.WishRestart:
		if err := w.change(ctx, n, clew.KernelChangedData{KernelID: n.Kernel.ID, State: clew.KernelRestarting}, clew.CellAborted); err != nil {
			return err
		}
		_, err := w.begin(ctx, v)
		return err
	case clew.WishInterrupt: // nothing runs that is on record; what a return left behind may
		if k, err := w.join(ctx, v, ""); err == nil {
			_ = k.interrupt(ctx)
		}
	}
	state := n.Kernel.State
	if state == clew.KernelBusy {
		state = clew.KernelIdle
	}
	return w.change(ctx, n, clew.KernelChangedData{KernelID: n.Kernel.ID, State: state}, "")
}

// stop ends the kernel.
func (w *worker) stop(ctx context.Context, v session.NotebookView) error {
	if err := w.endKernel(ctx, v); err != nil {
		return err
	}
	return w.change(ctx, &v.Notebook, clew.KernelChangedData{KernelID: v.Notebook.Kernel.ID, State: clew.KernelStopped}, clew.CellAborted)
}

// endKernel ends the kernel's process, if it is there, and removes what is left of it.
func (w *worker) endKernel(ctx context.Context, v session.NotebookView) error {
	id := v.Notebook.Kernel.ID
	if k := w.pooled(id); k != nil {
		w.drop(k)
		k.shutdown(ctx)
		k.close()
		return w.endProcess(ctx, id, k.process)
	}
	if id == "" || v.Notebook.Kernel.Node != v.Node {
		return nil
	}
	p, err := w.find(ctx, id)
	if err != nil {
		return nil // it is gone
	}
	return w.endProcess(ctx, id, p)
}
