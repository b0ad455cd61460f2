package auth

import (
	"errors"
	"net/http"
	"strings"
)

// CredentialsOf takes the caller's token from the header Authorization, or
// else, only with allowQuery, from ?token=. A request without any gives empty
// Credentials. A header that is there and not understood is an error: falling
// back to something weaker would hide a mistake.
func CredentialsOf(r *http.Request, allowQuery bool) (Credentials, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) > 1 {
		return Credentials{}, refused(errors.New("more than one Authorization header"))
	}
	if len(headers) == 1 {
		scheme, token, _ := strings.Cut(headers[0], " ")
		token = strings.TrimSpace(token)
		if !strings.EqualFold(scheme, "Bearer") || token == "" {
			return Credentials{}, refused(errors.New("the Authorization header has no bearer token"))
		}
		return Credentials{Token: token}, nil
	}
	if allowQuery {
		return Credentials{Token: r.URL.Query().Get("token")}, nil
	}
	return Credentials{}, nil
}
