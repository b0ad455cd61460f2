package env

import (
	"testing"
)

// What a socket says of the server's address is taken only for this machine's own.
func TestThisMachine(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1:8000": true, "http://localhost:1": true, "https://[::1]:8000": true,
		"http://203.0.113.7:8000": false, "http://example.org": false, "": false, "http://%": false,
	} {
		if got := thisMachine(address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}
