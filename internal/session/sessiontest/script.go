package sessiontest

import (
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/decide"
)

// Record has an agent of a test record what it likes, in the session's goroutine.
func Record(desk *session.TurnContext, script decide.Script) (decide.Result, error) {
	return desk.Do(script)
}
