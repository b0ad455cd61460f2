package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/follow"
	"github.com/clew-run/clew/internal/cli/history"
	"github.com/clew-run/clew/internal/term"
)

// answerFlags are what a person may say with an answer.
type answerFlags struct {
	reason, remember, pattern string
	decline                   bool
}

func answerCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var f answerFlags
	cmd := &cobra.Command{
		Use:   "answer [REQUEST] [ANSWER]…",
		Short: "Answer a question",
		Long: "Answer a question of any session; clew inbox lists them. ANSWER is yes, no or\n" +
			"skip for what asks for approval. For a plan it is yes, no, or words that say what\n" +
			"should change. For all else it is the value, or the number of a choice. Without\n" +
			"ANSWER all of the question is shown, and on a terminal asked. Without REQUEST it\n" +
			"is the one that is open, if there is just one; of its id the beginning is enough.\n" +
			"The first answer counts.",
		Example: "clew answer\nclew answer req_1 yes\nclew answer req_1 no --reason 'use the staging database'\n" +
			"clew answer req_1 yes --remember task --pattern 'go test *'\nclew answer req_2 'Read it as 12.50'",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(r)
			if err != nil {
				return err
			}
			if slices.Contains(plainAnswers, env.Argument(args, 0)) {
				return env.Usagef("say which question, so that you answer none that you did not see: clew answer REQUEST %s; %s lists them", args[0], c.Line("inbox"))
			}
			if len(args) == 0 {
				it, err := onlyQuestion(cmd.Context(), c)
				if err != nil {
					return explained(c, err)
				}
				args = []string{string(it.Question.RequestID())}
			}
			it, err := openQuestion(cmd.Context(), c, args[0])
			if err != nil {
				return explained(c, err)
			}
			if len(args) == 1 && !f.decline {
				return askFor(cmd.Context(), a, c, it)
			}
			answer, err := f.answer(it.Question, strings.Join(args[1:], " "))
			if err != nil {
				return err
			}
			return sendAnswer(cmd.Context(), a, c, it, answer)
		},
	}
	r.Flags(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.reason, "reason", "", "why, for the agent and the record")
	fs.StringVar(&f.remember, "remember", "", "with yes: do not ask again: task, session, workspace (this folder) or always")
	fs.StringVar(&f.pattern, "pattern", "", "with --remember: for commands like this, such as 'go test *' (default as the question offers)")
	fs.BoolVar(&f.decline, "decline", false, "give no answer to a question that asks for a value")
	return cmd
}

// plainAnswers are no question's id.
var plainAnswers = []string{"yes", "no", "skip"}

// onlyQuestion is the one that is open, if there is just one.
func onlyQuestion(ctx context.Context, c *env.Rest) (client.InboxItem, error) {
	page, err := c.API().Inbox(ctx, "", 10)
	switch {
	case err != nil:
		return client.InboxItem{}, err
	case len(page.Items) == 0:
		return client.InboxItem{}, errors.New("no question is open")
	case len(page.Items) == 1:
		return page.Items[0], nil
	}
	text := fmt.Sprintf("%s are open; say which one:", term.Count(max(page.Counts.Total, len(page.Items)), "question"))
	for _, it := range page.Items {
		text += "\n  " + c.Line("answer", string(it.Question.RequestID())) + "   " + env.Cut(env.Plain(ask.Line(it.Question)), 40)
	}
	return client.InboxItem{}, env.Usagef("%s", text)
}

// requestPrefix begins the ids of questions; it need not be typed.
const requestPrefix = "req_"

// openQuestion finds a question among those that wait for the caller, by its id or
// how that begins.
func openQuestion(ctx context.Context, c *env.Rest, name string) (client.InboxItem, error) {
	var fit []client.InboxItem
	begun := strings.TrimPrefix(name, requestPrefix)
	for cursor := ""; ; {
		page, err := c.API().Inbox(ctx, cursor, 200)
		if err != nil {
			return client.InboxItem{}, err
		}
		for _, it := range page.Items {
			id := string(it.Question.RequestID())
			if id == name {
				return it, nil
			}
			if begun != "" && strings.HasPrefix(strings.TrimPrefix(id, requestPrefix), begun) {
				fit = append(fit, it)
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	switch {
	case len(fit) == 0:
		return client.InboxItem{}, clew.Errorf(clew.HitlRequestExpired, "no question %s waits for you: it is answered already, or somebody else's; %s lists what does", env.Plain(name), c.Line("inbox")).Advised()
	case len(begun) < env.LeastPrefix:
		return client.InboxItem{}, env.Usagef("%s is too short: give more of the id, %d characters or more behind %s", env.Plain(name), env.LeastPrefix, requestPrefix)
	case len(fit) > 1:
		return client.InboxItem{}, env.Usagef("%s is how %d questions begin: give more of the id. %s lists them", env.Plain(name), len(fit), c.Line("inbox"))
	}
	return fit[0], nil
}

// answer reads ANSWER as the question wants it.
func (f answerFlags) answer(q clew.Question, text string) (client.InboxAnswer, error) {
	out := client.InboxAnswer{Comment: f.reason}
	_, plain := client.PlainYesNo(text)
	switch {
	case f.pattern != "" && f.remember == "":
		return out, env.Usagef("--pattern is for --remember task or --remember session")
	case ask.Options(q) == nil:
		return f.value(q, text, out)
	case f.decline:
		return out, env.Usagef("--decline is for questions that ask for a value: here it is no")
	}
	switch strings.ToLower(text) {
	case "y", "yes", "approve":
		out.Action = clew.ChoiceApprove
	case "n", "no", "reject":
		out.Action = clew.ChoiceReject
	case "s", "skip":
		out.Action = clew.ChoiceSkip
	default:
		if !ask.May(q, clew.ChoiceModify) {
			return out, env.Usagef("%q is no answer to this: yes or no, and --reason for words", text)
		}
		if plain || strings.TrimSpace(text) == "" {
			return out, env.Usagef("%q does not say what should change in the plan: say yes, no, or that", text)
		}
		out.Action, out.Instruction = clew.ChoiceModify, text
	}
	if !ask.May(q, out.Action) {
		return out, env.Usagef("this question takes %s", orList(ask.Options(q)))
	}
	if f.remember != "" {
		return f.remembering(q, out)
	}
	return out, nil
}

func (f answerFlags) value(q clew.Question, text string, out client.InboxAnswer) (client.InboxAnswer, error) {
	if f.remember != "" {
		return out, env.Usagef("--remember is for approvals")
	}
	if f.decline {
		out.Action = clew.ChoiceReject
		return out, nil
	}
	value, err := ask.ParseValue(q, text)
	if err != nil {
		return out, env.Usagef("%s", err)
	}
	out.Value = value
	return out, nil
}

func (f answerFlags) remembering(q clew.Question, out client.InboxAnswer) (client.InboxAnswer, error) {
	o, scope := ask.Offer(q), clew.RememberScope(f.remember)
	switch {
	case out.Action != clew.ChoiceApprove:
		return out, env.Usagef("--remember goes with an approval")
	case o == nil:
		return out, env.Usagef("this needs approval each time: there is nothing to remember")
	}
	offered := false
	for _, s := range o.Scopes {
		offered = offered || s == scope
	}
	if !offered {
		return out, env.Usagef("--remember %q is not offered here: %s", f.remember, orList(o.Scopes))
	}
	out.Remember = &clew.Remember{Scope: scope, Pattern: env.FirstOf(f.pattern, o.Pattern)}
	return out, nil
}

// orList names some words.
func orList[T ~string](words []T) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return strings.Join(list, " or ")
}

func sendAnswer(ctx context.Context, a *env.App, c *env.Rest, it client.InboxItem, answer client.InboxAnswer) error {
	got, err := c.API().AnswerQuestion(ctx, it.Question.RequestID(), answer)
	if err != nil {
		return explained(c, err)
	}
	out := map[string]any{"request_id": it.Question.RequestID(), "session_id": it.SessionID, "records": records(got.Records)}
	return a.Print(out, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "Answered. Watch what comes of it with %s\n", c.Line("attach", string(it.SessionID)))
		return err
	})
}

// askFor shows all of a question and, on a terminal, asks it. What was typed
// before it was shown is dropped.
func askFor(ctx context.Context, a *env.App, c *env.Rest, it client.InboxItem) error {
	if a.JSON {
		return env.Usagef("what is the answer? clew answer %s yes", it.Question.RequestID())
	}
	s := follow.NewScreen(a, a.Out)
	inboxItem(s, c, it, "")
	if s.Err != nil {
		return s.Err
	}
	if !history.OnTerminal(a) {
		return env.Usagef("there is nobody to ask: say the answer on the line, as in %s", c.Line(follow.AnswerWords(it.Question)...))
	}
	in, _ := a.In.(*os.File)
	k, lines := &follow.Ask{Q: it.Question, Seen: true}, afresh(a, in)
	for {
		_, _ = fmt.Fprint(a.Err, env.Plain(k.Prompt()))
		line, err := lines.ReadString('\n')
		if err != nil {
			_, _ = fmt.Fprintln(a.Err)
			return env.ExitWith(env.ExitQuestion)
		}
		heard := k.Take(line)
		if heard.More {
			s.Question(it.Question, time.Now(), "")
			lines = afresh(a, in)
		}
		if heard.Tell != "" {
			s.Block(follow.PlainInk, "    ", heard.Tell)
		}
		if heard.Answer != nil {
			return sendAnswer(ctx, a, c, it, *heard.Answer)
		}
	}
}

// afresh reads what is typed from now on.
func afresh(a *env.App, in *os.File) *bufio.Reader {
	follow.Forget(in)
	return bufio.NewReader(a.In)
}
