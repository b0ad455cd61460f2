package client

import "testing"

// A socket of another user is not the server: it would be given the owner token.
func TestOnlyOnesOwnServer(t *testing.T) {
	for _, c := range []struct {
		uid, own int
		may      bool
	}{{1000, 1000, true}, {0, 1000, true}, {1001, 1000, false}, {65534, 1000, false}, {1000, 0, true}} {
		if err := mayServe(c.uid, c.own); (err == nil) != c.may {
			t.Errorf("user %d to user %d: %v", c.uid, c.own, err)
		}
	}
}
