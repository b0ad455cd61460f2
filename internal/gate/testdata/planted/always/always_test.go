// Package always has a test that always fails.
package always

import "testing"

func TestAlways(t *testing.T) { t.Error("as ever") }
