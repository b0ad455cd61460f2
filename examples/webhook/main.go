// Webhook is a receiver of clew's notices. It prints a line for each question
// that waits, with the link to answer it, and refuses what clew did not sign.
//
//	WEBHOOK_SECRET=… go run ./examples/webhook --listen 127.0.0.1:9000
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv("WEBHOOK_SECRET"), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "webhook:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, secret string, out io.Writer) error {
	flags := flag.NewFlagSet("webhook", flag.ContinueOnError)
	listen := flags.String("listen", "127.0.0.1:9000", "address to listen on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	key, err := keyOf(secret)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: &receiver{key: key, out: out, now: time.Now, seen: map[string]time.Time{}}, ReadHeaderTimeout: 10 * time.Second}
	stopped := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stopped()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// receiver answers deliveries. A notice may come twice, so it keeps the ids of
// those it has seen for as long as their signatures hold.
type receiver struct {
	key []byte
	out io.Writer
	now func() time.Time

	mu   sync.Mutex
	seen map[string]time.Time
}

// notice is what clew sends; there is more in it than this.
type notice struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	User      string `json:"user"`
	AnswerURL string `json:"answer_url"`
	Question  struct {
		Type     string `json:"type"`
		Reason   string `json:"reason"`
		Question string `json:"question"`
		Message  string `json:"message"`
	} `json:"question"`
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, 8<<20))
	if err != nil {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		return
	}
	if err := verify(r.key, req.Header, body, r.now()); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	var n notice
	if err := json.Unmarshal(body, &n); err != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	if r.fresh(req.Header.Get("Webhook-Id")) {
		// %q, because titles and questions may hold anything.
		fmt.Fprintf(r.out, "%s for %s in %q: %q\n  %s\n", n.Type, n.User, n.Title, n.Question.Reason+n.Question.Question+n.Question.Message, n.AnswerURL)
	}
	w.WriteHeader(http.StatusNoContent)
}

// fresh reports whether an id is new, and forgets those that are too old to be
// taken anyway.
func (r *receiver) fresh(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	for old, at := range r.seen {
		if now.Sub(at) > 2*tolerance {
			delete(r.seen, old)
		}
	}
	_, known := r.seen[id]
	r.seen[id] = now
	return !known
}
