package e2e

import (
	"testing"

	"github.com/clew-run/clew/internal/transcript"
)

// Each file of testdata/transcripts names what it covers.
func TestTranscripts(t *testing.T) {
	srv := startServer(t, options{env: withUsers(t, map[string]string{
		"LIMITS_MESSAGES_PER_MINUTE": "100", "LIMITS_HITL_PER_MINUTE": "20",
	})})
	transcript.RunDir(t, "testdata/transcripts", func(*testing.T) transcript.Server { return srv })
}
