package sessiontest

import "github.com/clew-run/clew/internal/session"

// Record has an agent of a test record what it likes, in the session's goroutine.
func Record(desk *session.TurnContext, script session.Script) (session.Result, error) {
	return desk.Do(script)
}
