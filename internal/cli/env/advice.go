package env

import (
	"errors"

	"github.com/clew-run/clew"
)

// said marks codes whose messages say themselves what is wrong with what was
// sent, or tell how somebody's work ended.
const said = ""

// Next says for each code what a person can do next.
var Next = map[clew.Code]string{
	clew.ConnectionFailed:  "Is a server running? clew serve --detach starts one, --server or CLEW_SERVER names another, and clew doctor says what is missing.",
	clew.ConnectionTimeout: "The server is busy or out of reach. Try again; clew doctor says what is missing.",
	clew.InvalidMessage:    said,
	clew.RateLimited:       "Too much at once. Try again in a minute.",
	clew.MessageTooLarge:   "Send less at once: limits.frame of the server is the limit.",

	clew.AuthRequired: "Set CLEW_TOKEN, or name the server's data directory with --data.",
	clew.AuthFailed:   "The token is wrong, revoked, or of another server. Check CLEW_TOKEN or --data; clew token create makes a new key.",
	clew.TokenExpired: "Get a new key: clew token create, by somebody who may.",
	clew.Forbidden:    "Your key does not allow it. Ask the session's owner, or an administrator of the server.",

	clew.SessionNotFound:     "clew ls lists your sessions.",
	clew.SessionExpired:      "It is gone. clew ls lists those that are there.",
	clew.SessionInvalidState: said,
	clew.SessionExists:       said,
	clew.MessageNotFound:     "clew show SESSION lists the messages with their ids.",
	clew.TaskNotFound:        "clew show SESSION says what happened there.",
	clew.CursorLost:          "Start from the beginning, without the cursor.",
	clew.SessionTooNew:       "A newer server wrote this session. Run that version of clew again, or a later one.",
	clew.SessionDamaged:      "Stop the server, and clew doctor says what is damaged. Restore it from a backup.",

	clew.ExecutionFailed:     said,
	clew.TodoFailedCode:      said,
	clew.ToolTimeout:         said,
	clew.ToolExecutionFailed: said,
	clew.QueueFull:           "It has much to do already. Try again when it has done some of it.",
	clew.AgentLimit:          "Try again when one of the others is done.",
	clew.BudgetExceeded:      "The budget is used up: clew settings shows the settings that begin with budget.",
	clew.ProviderError:       "clew doctor --online says whether the provider can be reached and has a key.",

	clew.HitlTimeout:         "clew inbox lists what is still open.",
	clew.HitlInvalidResponse: "clew inbox shows the question and its choices.",
	clew.HitlRequestExpired:  "It is settled already. clew inbox lists what is still open.",

	clew.StorageFailed:    "Try again; clew doctor on the server's machine looks at its disk.",
	clew.CheckpointFailed: "clew checkpoint fsck on the server's machine verifies what is kept.",
	clew.SettingsInvalid:  "clew settings list shows the settings; docs/settings.md says what each takes.",
	clew.Unavailable:      "The server starts, stops, or moves the session. Try again in a moment.",
	clew.Internal:         "The server's log says more.",
}

// Advice is what to do about an error, "" if its words say so already.
func Advice(err error) string {
	var e *clew.Error
	if !errors.As(err, &e) {
		return ""
	}
	if e.HasAdvice {
		return ""
	}
	return Next[e.Code]
}
