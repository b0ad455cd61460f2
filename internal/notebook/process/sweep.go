package process

import (
	"context"
	"encoding/json"
	"os"

	"github.com/clew-run/clew/internal/supervisor"
)

// EndOthers ends the kernels that nobody wants, and removes what is left of those that
// ended. A server that starts calls it once it knows its notebooks: a kernel that was
// started just before a crash may stand in no record. It says how many it ended.
func (s *Starter) EndOthers(ctx context.Context, wanted func(id string) bool) (ended int) {
	for _, f := range s.All() {
		if id := idOf(f); id != "" && wanted(id) {
			continue
		}
		held, err := supervisor.Find(ctx, f.Dir)
		if err != nil {
			continue // another server's, or gone meanwhile
		}
		if held.Kill() == nil {
			ended++
		}
		select {
		case <-held.Done():
			_ = held.Forget() // what cannot be removed now is tried again at the next start
		case <-ctx.Done():
			held.Release()
			return ended
		}
	}
	return ended
}

// idOf is the id of a kernel, also of one that never ran.
func idOf(f supervisor.Found) string {
	var a about
	b, err := os.ReadFile(aboutFile(f.Dir))
	if err != nil || json.Unmarshal(b, &a) != nil {
		return f.ID
	}
	return a.ID
}
