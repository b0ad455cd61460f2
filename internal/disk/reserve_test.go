package disk

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

func TestSize(t *testing.T) {
	const mb, gb = uint64(1 << 20), uint64(1 << 30)
	tests := []struct {
		size        string
		total, want uint64
	}{
		{"5%", 100 * gb, 5 * gb},
		{"5%", 2 * gb, 256 * mb}, // at least so much
		{"5%", 64 * mb, 16 * mb}, // at most a quarter
		{"1GB", 100 * gb, gb},
		{"1GB", 2 * gb, gb / 2},
		{"0", 100 * gb, 0},
	}
	for _, tt := range tests {
		s, err := ParseSize(tt.size)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Of(tt.total); got != tt.want {
			t.Errorf("%s of %d is %d, want %d", tt.size, tt.total, got, tt.want)
		}
	}
	for _, bad := range []string{"", "30%", "-1%", "x%", "some", "NaN%"} {
		if s, err := ParseSize(bad); err == nil {
			t.Errorf("%q was read as %+v", bad, s)
		}
	}
}

func TestReserve(t *testing.T) {
	if err := NewReserve(t.TempDir(), Size{}).Room(); err != nil {
		t.Errorf("without a reserve: %v", err)
	}
	r := NewReserve(t.TempDir(), Size{Share: 0.05})
	r.asked = r.asked.AddDate(9999, 0, 0) // what was seen counts
	r.free, r.total = 10<<20, 100<<30
	if err := r.Room(); clew.CodeOf(err) != clew.StorageFailed || !strings.Contains(err.Error(), "10 MB left") {
		t.Errorf("below the reserve: %v", err)
	}
	if err := NewReserve("/nowhere/at/all", Size{Share: 0.05}).Room(); err != nil {
		t.Errorf("what cannot be known stops nobody: %v", err)
	}
}
