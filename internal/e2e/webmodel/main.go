// Command webmodel serves the scripted model to the browser tests in web/e2e. It
// prints its address and runs until its standard input ends, so that it never
// outlives the test that started it.
//
// Besides the vendors' paths it has a few for the test:
//
//	PUT  /control/script    plays the script of the body from now on
//	POST /control/release   lets the waits of an hour or more go on, now and later
//	POST /control/hold      lets them wait again
//	POST /control/open/NAME opens a gate of the script (wait: NAME)
//	GET  /control/requests  how many requests came to the script, and what was refused
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "webmodel:", err)
		os.Exit(1)
	}
}

func run(stdin io.Reader, stdout io.Writer) error {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: newStage().routes(), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	if _, err := fmt.Fprintf(stdout, "webmodel: ready http://%s\n", l.Addr()); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, stdin) // an error is an end as well
	_ = srv.Close()
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
