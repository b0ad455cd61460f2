package journal

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// An engine that is silent for a while when a node starts is asked again; what
// it refuses is not.
func TestPatiently(t *testing.T) {
	for _, silence := range []error{context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, engineError(jetstream.ErrNoStreamResponse)} {
		asked := 0
		v, err := patiently(t.Context(), nil, func() (int, error) {
			if asked++; asked < 4 {
				return 0, fmt.Errorf("ask: %w", silence)
			}
			return asked, nil
		})
		if v != 4 || err != nil {
			t.Errorf("after %v: %d, %v", silence, v, err)
		}
	}
	asked, refused := 0, errors.New("refused")
	if _, err := patiently(t.Context(), nil, func() (int, error) { asked++; return 0, refused }); !errors.Is(err, refused) || asked != 1 {
		t.Errorf("asked %d times, and heard %v", asked, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	_, err := patiently(ctx, nil, func() (int, error) { stop(); return 0, context.DeadlineExceeded })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a start that was called off goes on: %v", err)
	}
}
