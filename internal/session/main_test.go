package session_test

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"

	"github.com/clew-run/clew/internal/nightly"
)

// TestMain has properties tried less often than at night, unless -rapid.checks says how
// often. The heap of these tests is small and made anew all the time: with the usual
// setting a tenth of their time goes into collecting it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	if err := flag.Set("rapid.checks", nightly.Size("50", "100")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
