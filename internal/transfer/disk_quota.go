package transfer

import (
	"sync/atomic"

	"github.com/clew-run/clew"
)

// A diskQuota is the disk that all imports of a server take for themselves while they
// are on their way. It is safe for concurrent use; nil has no end.
type diskQuota struct{ used atomic.Int64 }

// take asks for room. What was refused is not given back.
func (y *diskQuota) take(bytes, limit int64) error {
	if y == nil || y.used.Add(bytes) <= limit {
		return nil
	}
	y.used.Add(-bytes)
	e := clew.Errorf(clew.RateLimited, "the server has no room for more files that are on their way; try again later")
	e.RetryAfterMS = 30_000
	return e
}

func (y *diskQuota) give(bytes int64) {
	if y != nil {
		y.used.Add(-bytes)
	}
}
