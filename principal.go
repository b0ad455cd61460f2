package clew

// A Role is what a principal may do. Roles come from the server's own records,
// never from what a client says of itself.
type Role string

// The roles, from least to most.
const (
	RoleNone     Role = ""
	RoleViewer   Role = "viewer"   // watch
	RoleApprover Role = "approver" // watch and answer questions
	RoleOwner    Role = "owner"    // everything in the session
	RoleAdmin    Role = "admin"    // watch every session, manage keys
)

// A Principal is an authenticated caller.
type Principal struct {
	User UserID
	Role Role // RoleAdmin, or RoleOwner for an ordinary user: owner of what is theirs
	// KeyID names the API key the caller came with, "" otherwise. When the key
	// is revoked, the caller's live connections are closed.
	KeyID string
	// ExpiresMS is when the credentials end (Unix ms), 0 = never.
	ExpiresMS int64
}
