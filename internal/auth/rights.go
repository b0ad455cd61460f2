package auth

import "github.com/clew-run/clew"

// Cap lowers a role in a session to what the caller's credentials allow: an
// owner who comes with a viewer's key may watch, no more.
func Cap(role clew.Role, p clew.Principal) clew.Role {
	switch p.Role {
	case clew.RoleOwner, clew.RoleAdmin:
		return role
	case clew.RoleApprover:
		if role == clew.RoleOwner {
			return clew.RoleApprover
		}
		return role
	case clew.RoleViewer:
		if role == clew.RoleOwner || role == clew.RoleApprover {
			return clew.RoleViewer
		}
		return role
	}
	return clew.RoleNone
}
