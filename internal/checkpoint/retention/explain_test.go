package retention

import (
	"errors"
	"syscall"
	"testing"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// A session hears from files in the middle of a return that they are there,
// whatever put them there: it must not take the return for settled.
func TestUnsettledIsTold(t *testing.T) {
	err := clew.WrapError(clew.CheckpointFailed, errors.Join(checkpoint.ErrQuota, checkpoint.ErrUnsettled), "no room")
	got := explain(explain(err))
	if !errors.Is(got, rewind.ErrUnsettled) || !errors.Is(got, checkpoint.ErrQuota) || clew.AsError(got).Message != "no room" {
		t.Errorf("told: %v", got)
	}
	if errors.Is(explain(checkpoint.ErrQuota), rewind.ErrUnsettled) {
		t.Error("a full quota alone counts as unsettled")
	}
	unopened := explain(explain(clew.WrapError(clew.CheckpointFailed, errors.Join(syscall.EMFILE, checkpoint.ErrUnopened), "closed")))
	if !errors.Is(unopened, rewind.ErrUnseen) || !errors.Is(unopened, syscall.EMFILE) || clew.AsError(unopened).Message != "closed" {
		t.Errorf("told: %v", unopened)
	}
}
