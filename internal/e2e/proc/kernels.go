package proc

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew/internal/supervisor"
)

// EndKernels ends the kernels that a server which was killed left below its data, and
// waits until they are gone: what they still write there would be in the way of a test
// that removes its directory.
func EndKernels(t testing.TB, data string) {
	t.Helper()
	for _, f := range supervisor.List(supervisor.LookForRoot(data)) {
		held, err := supervisor.Find(context.Background(), f.Dir)
		if err != nil {
			t.Errorf("a kernel is left in %s: %v", filepath.Base(f.Dir), err)
			continue
		}
		if _, ended := held.Ended(); !ended {
			_ = held.Kill()
			<-held.Done()
		}
		_ = held.Forget()
	}
}
