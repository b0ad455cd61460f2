package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// An opened is what came of opening a page. URL has a ticket in it unless the
// browser got it, which has used it up then.
type opened struct {
	URL       string `json:"url"`
	Opened    bool   `json:"opened"`
	ExpiresMS int64  `json:"expires_ms,omitempty"`
}

func openCommand(a *env.App) *cobra.Command {
	r := env.Remote{Start: true}
	var closed, desktop bool
	cmd := &cobra.Command{
		Use:   "open [SESSION]",
		Short: "Open the web UI in a browser, signed in",
		Long: "Open the web UI of a running server in a browser, at a session if one is named. - is the newest one. The\n" +
			"browser is signed in by a ticket that works once and for a minute. Where there is no\n" +
			"browser to open, the address is printed.",
		Example: "clew open\nclew open sess_1\nclew open sess_1 --desktop\nclew open --no-open    # print the address, for a browser elsewhere",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := env.Argument(args, 0)
			if err := env.CheckName(name); err != nil {
				return err
			}
			var part []string
			if desktop {
				name, part = env.FirstOf(name, "-"), []string{"desktop"}
			}
			c, err := a.Connect(r)
			var none *env.NoTokenError // which is fine if the server lets everybody in
			if err != nil && !errors.As(err, &none) {
				return err
			}
			page, err := page(cmd.Context(), c, name, part...)
			if none != nil && clew.CodeOf(err) == clew.AuthRequired {
				return none
			}
			if err != nil {
				return err
			}
			if !closed {
				page = show(a, page)
			}
			return a.Print(page, page.say)
		},
	}
	r.Flags(cmd)
	cmd.Flags().BoolVar(&desktop, "desktop", false, "open the session's desktop, with its monitors and windows")
	cmd.Flags().BoolVar(&closed, "no-open", false, "print the address and open nothing")
	return cmd
}

// page asks the server for a ticket and puts it behind the # of an address,
// where no server and no log gets to see it. A part of a session's pages may be named.
func page(ctx context.Context, c *env.Rest, session string, part ...string) (opened, error) {
	u := c.Base.JoinPath("/")
	if session != "" {
		s, err := c.Session(ctx, session)
		if err != nil {
			return opened{}, err
		}
		u = u.JoinPath("s", string(s.ID)).JoinPath(part...)
	}
	var me struct {
		Auth string `json:"auth"`
	}
	if err := c.Call(ctx, http.MethodGet, "me", nil, &me); err != nil {
		return opened{}, err
	}
	if me.Auth == "off" {
		return opened{URL: u.String()}, nil
	}
	var made struct {
		Ticket    string `json:"ticket"`
		ExpiresMS int64  `json:"expires_ms"`
	}
	if err := c.Call(ctx, http.MethodPost, "tickets", nil, &made); err != nil {
		return opened{}, err
	}
	u.Fragment = "ticket=" + made.Ticket
	return opened{URL: u.String(), ExpiresMS: made.ExpiresMS}, nil
}

// show opens a page if there is a browser. Then the ticket is gone from what is
// said of it.
func show(a *env.App, page opened) opened {
	browse := a.Browse
	if browse == nil {
		browse = func(url string) error { return openBrowser(a, url) }
	}
	if browse(page.URL) != nil {
		return page
	}
	return opened{URL: withoutTicket(page.URL), Opened: true}
}

func withoutTicket(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.Fragment = ""
	return u.String()
}

// showOwn opens a page of a server that this program runs. Its stderr is a log,
// so the ticket is not printed: the line instead, a command, makes another one.
func showOwn(a *env.App, page, instead string) {
	o := show(a, opened{URL: page})
	o.URL = withoutTicket(o.URL)
	switch {
	case a.JSON:
		_ = json.NewEncoder(a.Err).Encode(o)
	case o.Opened:
		_ = o.say(a.Err) // if it is closed, so be it
	default:
		_, _ = fmt.Fprintf(a.Err, "There is no browser to open here. This prints an address for one elsewhere:\n  %s\n", instead)
	}
}

// say tells a person what happened.
func (o opened) say(w io.Writer) error {
	text := "Open this in a browser:\n  %s\n"
	switch {
	case o.Opened:
		text = "The browser opens %s\n"
	case o.ExpiresMS != 0:
		text = "Open this in a browser within a minute. It works once:\n  %s\n"
	}
	_, err := fmt.Fprintf(w, text, o.URL)
	return err
}

// openerWithin is how long an opener may take to say that it failed. Some live
// as long as the browser.
const openerWithin = 3 * time.Second

// openBrowser hands an address to the system's way of opening one.
func openBrowser(a *env.App, address string) error {
	name, args := opener(a)
	if name == "" {
		return errors.New("there is no screen")
	}
	cmd := exec.Command(name, withAddress(args, address)...)
	cmd.Env = a.Environ
	cmd.SysProcAttr = detached() // Ctrl-C here is not meant for the browser
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }() // ends with the opener, or with us
	select {
	case err := <-done:
		return err
	case <-time.After(openerWithin):
		return nil
	}
}

// withAddress puts the address in the place of %s, or at the end.
func withAddress(args []string, address string) []string {
	out, placed := slices.Clone(args), false
	for i, arg := range out {
		if strings.Contains(arg, "%s") {
			out[i], placed = strings.ReplaceAll(arg, "%s", address), true
		}
	}
	if placed {
		return out
	}
	return append(out, address)
}

func opener(a *env.App) (name string, args []string) {
	for _, browser := range filepath.SplitList(a.Getenv("BROWSER")) { // a list, as other programs take it
		words := []string{browser}
		if _, err := exec.LookPath(browser); err != nil {
			words = strings.Fields(browser)
		}
		if len(words) == 0 {
			continue
		}
		if _, err := exec.LookPath(words[0]); err == nil {
			return words[0], words[1:]
		}
	}
	switch runtime.GOOS {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	if a.Getenv("DISPLAY") == "" && a.Getenv("WAYLAND_DISPLAY") == "" {
		return "", nil
	}
	return "xdg-open", nil
}
