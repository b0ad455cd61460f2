package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
)

// An opened is what came of opening a page. URL has a ticket in it unless the
// browser got it, which has used it up then.
type opened struct {
	URL       string `json:"url"`
	Opened    bool   `json:"opened"`
	ExpiresMS int64  `json:"expires_ms,omitempty"`
}

func (a *app) openCommand() *cobra.Command {
	var r remote
	var closed bool
	cmd := &cobra.Command{
		Use:   "open [SESSION]",
		Short: "Open the web UI in a browser, signed in",
		Long: "Open the web UI of a running server in a browser, at a session if one is named. The\n" +
			"browser is signed in by a ticket that works once and for a minute. Where there is no\n" +
			"browser to open, the address is printed.",
		Example: "clew open\nclew open sess_1\nclew open --no-open    # print the address, for a browser elsewhere",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := clew.SessionID("")
			if len(args) > 0 {
				if id = clew.SessionID(args[0]); !id.Valid() {
					return usagef("%q is not a session id", args[0])
				}
			}
			c, err := a.connect(r)
			var none *noTokenError // which is fine if the server lets everybody in
			if err != nil && !errors.As(err, &none) {
				return err
			}
			page, err := c.page(cmd, id)
			if none != nil && clew.CodeOf(err) == clew.AuthRequired {
				return none
			}
			if err != nil {
				return err
			}
			if !closed {
				page = a.show(page)
			}
			return a.print(page, page.say)
		},
	}
	r.flags(cmd)
	cmd.Flags().BoolVar(&closed, "no-open", false, "print the address and open nothing")
	return cmd
}

// page asks the server for a ticket and puts it behind the # of an address,
// where no server and no log gets to see it.
func (c *rest) page(cmd *cobra.Command, id clew.SessionID) (opened, error) {
	u := c.base.JoinPath("/")
	if id != "" {
		u = u.JoinPath("s", string(id))
	}
	var me struct {
		Auth string `json:"auth"`
	}
	if err := c.call(cmd.Context(), http.MethodGet, "me", nil, &me); err != nil {
		return opened{}, err
	}
	if me.Auth == "off" {
		return opened{URL: u.String()}, nil
	}
	var made struct {
		Ticket    string `json:"ticket"`
		ExpiresMS int64  `json:"expires_ms"`
	}
	if err := c.call(cmd.Context(), http.MethodPost, "tickets", nil, &made); err != nil {
		return opened{}, err
	}
	u.Fragment = "ticket=" + made.Ticket
	return opened{URL: u.String(), ExpiresMS: made.ExpiresMS}, nil
}

// show opens a page if there is a browser. Then the ticket is gone from what is
// said of it.
func (a *app) show(page opened) opened {
	browse := a.browse
	if browse == nil {
		browse = a.openBrowser
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
func (a *app) showOwn(page, instead string) {
	o := a.show(opened{URL: page})
	o.URL = withoutTicket(o.URL)
	switch {
	case a.json:
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
func (a *app) openBrowser(address string) error {
	name, args := a.opener()
	if name == "" {
		return errors.New("there is no screen")
	}
	cmd := exec.Command(name, append(args, address)...)
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

func (a *app) opener() (name string, args []string) {
	if browser := a.getenv("BROWSER"); browser != "" {
		return browser, nil
	}
	switch runtime.GOOS {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	if a.getenv("DISPLAY") == "" && a.getenv("WAYLAND_DISPLAY") == "" {
		return "", nil
	}
	return "xdg-open", nil
}
