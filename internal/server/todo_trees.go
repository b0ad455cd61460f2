package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/git"
)

// todoTrees gives todos of runs work trees of their own, for the agent. What it does
// is on the session's record, once each.
type todoTrees struct{ *Server }

func (t todoTrees) say(ctx context.Context, id clew.SessionID, owner clew.UserID, name, text string, more map[string]any) error {
	said := &clew.Message{Say: clew.SayGit, Text: text, Metadata: more}
	by := clew.Principal{User: owner, Role: clew.RoleOwner}
	return t.host.Note(ctx, id, by, clew.ClientMessageID("git_"+name), said, clew.Usage{})
}

// Open implements agent.TodoTrees. Only sessions of whoever runs the server have
// work trees: they are made with that person's rights.
func (t todoTrees) Open(ctx context.Context, of git.Todo, owner clew.UserID, dir string, wanted bool) (string, error) {
	tree, found, err := t.git.TodoTree(of)
	if err != nil || !found && (!wanted || !trusted(owner)) {
		return "", err
	}
	if !found {
		if tree, err = t.git.AddTodo(ctx, of, dir, filepath.Join(t.cfg.ownWorkspaces(), "todo-"+of.Key())); err != nil {
			text := "Todos share the session's directory: " + strings.TrimRight(clew.AsError(err).Message, ". ") + "."
			return "", errors.Join(err, t.say(ctx, of.Session, owner, "todos_shared_"+of.Run, text, map[string]any{"action": "worktree"}))
		}
	}
	text := fmt.Sprintf("Todo %s works in a work tree of its own, on branch %s.", of.ID, tree.Branch)
	return tree.Workspace(), t.say(ctx, of.Session, owner, "todo_"+of.Key()+"_"+tree.Branch, text,
		map[string]any{"action": "worktree", "todo_id": of.ID, "branch": tree.Branch, "base": tree.Base, "repository": tree.Repository})
}

// Join implements agent.TodoTrees. The work tree goes once the merge is on record.
func (t todoTrees) Join(ctx context.Context, of git.Todo, owner clew.UserID, attempt, message string) (git.Joined, error) {
	out, err := t.git.JoinTodo(ctx, of, attempt, message)
	if err != nil || !out.Tree.Merged {
		return out, err
	}
	if out.Files > 0 {
		text := fmt.Sprintf("Merged todo %s: %s.", of.ID, count(out.Files, "file"))
		if len(out.Left) > 0 {
			text += fmt.Sprintf(" Somebody changed %s meanwhile: that stayed, and what the todo made of it is on branch %s.", strings.Join(out.Left, ", "), out.Branch)
		}
		err := t.say(ctx, of.Session, owner, "todo_merge_"+out.Tree.New, text, map[string]any{"action": "merge", "todo_id": of.ID, "branch": out.Branch})
		if err != nil {
			return out, err
		}
	}
	_, err = t.git.SettleTodo(ctx, out.Tree)
	return out, err
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Settle implements agent.TodoTrees.
func (t todoTrees) Settle(ctx context.Context, id clew.SessionID, owner clew.UserID, except string) {
	err := settleTodos(ctx, t.git, id, except, func(tree git.TodoTree, kept string) {
		text := fmt.Sprintf("Todo %s is not merged; its changes are on branch %s.", tree.Todo, kept)
		if err := t.say(ctx, id, owner, "todo_kept_"+kept, text, map[string]any{"action": "worktree", "todo_id": tree.Todo, "branch": kept}); err != nil {
			t.log.Warn("the branch of a todo is not on record", "session", id, "branch", kept, "err", err)
		}
	})
	if err != nil && ctx.Err() == nil {
		t.log.Warn("work trees of todos could not be removed; it is tried again", "session", id, "err", err)
	}
}

// settleTodos ends the work trees of a session's todos, but for those of one run, and
// names the branches that stay.
func settleTodos(ctx context.Context, k *git.Keeper, id clew.SessionID, except string, tell func(git.TodoTree, string)) error {
	list, err := k.TodoTrees()
	for _, tree := range list {
		if tree.Session != id || tree.Run == except {
			continue
		}
		kept, wrong := k.SettleTodo(ctx, tree)
		if wrong != nil {
			err = errors.Join(err, wrong)
		} else if kept != "" {
			tell(tree, kept)
		}
	}
	return err
}
