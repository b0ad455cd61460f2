package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/git"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// TodoTrees gives todos that are worked on at once work trees of their own.
type TodoTrees interface {
	// Open gives the directory for a todo of a session in dir: an earlier one, or a new
	// one if it is wanted. "" says that it shares the session's.
	Open(ctx context.Context, of git.Todo, owner clew.UserID, dir string, wanted bool) (string, error)
	// Join merges what the todo changed into the files of the session. Nothing of it is
	// left then.
	Join(ctx context.Context, of git.Todo, owner clew.UserID, attempt, message string) (git.Joined, error)
	// Settle ends the work trees of a session's todos, but for those of one run.
	Settle(ctx context.Context, id clew.SessionID, owner clew.UserID, except string)
}

// todoPlace is where the agent of a todo works.
type todoPlace struct {
	apart   string // its own directory, "" if it shares the session's
	shared  string // the session's, if it has its own
	asked   bool   // whether it has one of its own is known
	settled bool   // what earlier runs left is
}

func todoOf(v session.View) git.Todo {
	return git.Todo{Session: v.Session, Run: v.Run.ID, ID: v.InTodo}
}

// placed is the view with the directory that the task is worked on in.
func (w *worker) placed(ctx context.Context, v session.View) session.View {
	if w.cfg.Todos == nil || v.Run == nil || v.Workspace == "" {
		return v
	}
	if v.InTodo == "" {
		if v.Task.Run != nil && !w.settled {
			w.settleTodos(ctx, v, v.Run.ID)
		}
		return v
	}
	if !w.asked {
		values := w.valuesFor(v.Settings)
		wanted := values.Worktree == "todos" && values.RunParallelTodos > 1
		dir, err := w.cfg.Todos.Open(ctx, todoOf(v), v.Owner, v.Workspace, wanted)
		if err != nil && ctx.Err() == nil {
			w.cfg.Log.Warn("a todo has no work tree of its own", "session", v.Session, "todo", v.InTodo, "err", err)
		}
		w.apart, w.shared, w.asked = dir, v.Workspace, ctx.Err() == nil
	}
	if w.apart != "" {
		v.Workspace = w.apart
	}
	return v
}

// folder is the directory that people chose for the session: what they allow in it
// holds in the work trees of its todos, too.
func (w *worker) folder(v session.View) string {
	if w.apart != "" {
		return w.shared
	}
	return v.Workspace
}

// settleTodos ends the work trees that todos left behind, but for those of one run.
func (w *worker) settleTodos(ctx context.Context, v session.View, except string) {
	if w.settled = true; w.cfg.Todos != nil {
		w.cfg.Todos.Settle(ctx, v.Session, v.Owner, except)
	}
}

// completing makes a call of an answer in words that ends a todo with a work tree of
// its own: the merge comes before the end.
func (w *worker) completing(v session.View, parts []clew.Part) []clew.Part {
	calls := slices.ContainsFunc(parts, func(p clew.Part) bool { return p.Type == clew.PartToolUse })
	if w.apart == "" || v.Task.TodoID == "" || calls {
		return parts
	}
	input, err := json.Marshal(map[string]string{"result": clew.Clip(textOf(parts), 100_000)})
	if err != nil {
		return parts
	}
	return append(slices.Clip(parts), clew.Part{Type: clew.PartToolUse, Tool: toolCompletion, Input: input})
}

// joinTodo merges what the agent of a todo did in a work tree of its own into the
// session's files, which are saved before and after. It reports whether the call has
// ended: then the todo is not completed.
func (w *worker) joinTodo(ctx context.Context, v session.View, c core.Call) (ended bool, err error) {
	if w.apart == "" || v.Task.TodoID == "" {
		return false, nil
	}
	shared := w.shared
	if err := w.saveShared(ctx, v, shared, core.CauseBefore); err != nil {
		return true, err
	}
	message := v.Task.TodoID
	if v.Todo != nil {
		message = clipLine(v.Todo.Task, 72)
	}
	out, err := w.cfg.Todos.Join(ctx, todoOf(v), v.Owner, string(v.Task.TaskID), message)
	switch {
	case ctx.Err() != nil:
		return true, nil
	case clew.CodeOf(err) == clew.InvalidMessage:
		return true, w.wrong(c, clew.AsError(err).Message)
	case err != nil:
		w.cfg.Log.Warn("a todo could not be merged", "session", v.Session, "todo", v.Task.TodoID, "err", err)
		return true, w.unmerged("Its changes could not be merged: " + strings.TrimRight(clew.AsError(err).Message, ". ") + ". They are kept")
	case len(out.Conflicts) > 0:
		return true, w.unmerged(fmt.Sprintf("It changed the same lines as others did, in %s. Nothing of it is merged; its changes are kept on branch %s. "+
			"When it is tried again, its agent finds the marks of the conflicts in the files and resolves them", strings.Join(out.Conflicts, ", "), out.Branch))
	}
	w.todoPlace = todoPlace{} // what it is told meanwhile it does in a new one
	return false, w.saveShared(ctx, v, shared, core.CauseAfter)
}

func (w *worker) unmerged(why string) error {
	return ignoreTurnOver(w.desk.FailTodo("ended by its merge", clew.Failure{Code: clew.ExecutionFailed, Message: visible(why)}))
}

// saveShared saves the session's files, beside the merge of a todo.
func (w *worker) saveShared(ctx context.Context, v session.View, dir string, cause core.SaveReason) error {
	s := w.snapAt(ctx, v, dir, cause.Reason(toolCompletion))
	if s == nil {
		return nil
	}
	var r decide.Result
	defer func() { s.done(r) }()
	r, err := w.desk.Do(decide.CloseTexts{Files: s.seen()})
	return ignoreTurnOver(err)
}
