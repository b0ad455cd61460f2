// Package disk watches the room on a file system.
package disk

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew"
)

// A Reserve is the room that a server keeps for ending things: below it nothing
// new is begun, while answers, stops, rewinds and deletes still find room. Safe
// for concurrent use.
type Reserve struct {
	dir  string
	size Size

	mu    sync.Mutex
	asked time.Time
	free  uint64
	total uint64
	err   error
}

// A Size is an amount of room: bytes, or a share of the file system.
type Size struct {
	Bytes uint64
	Share float64 // 0 to 1, in place of Bytes
}

// The reserve is kept within these bounds when it is a share: on a large disk a
// share is much, on a small one it is nothing.
const (
	leastReserve = 256 << 20
	mostShare    = 0.25
)

// ParseSize reads "5%", "10GB" or "0".
func ParseSize(s string) (Size, error) {
	if part, ok := strings.CutSuffix(strings.TrimSpace(s), "%"); ok {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || n < 0 || n > 100*mostShare || math.IsNaN(n) {
			return Size{}, fmt.Errorf("%q is not a share from 0%% to 25%%", s)
		}
		return Size{Share: n / 100}, nil
	}
	number := strings.TrimRight(strings.TrimSpace(s), "KMGTB")
	unit, ok := units[strings.TrimSpace(s)[len(number):]]
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil || !ok {
		return Size{}, fmt.Errorf("%q is not an amount such as 5%%, 10GB or 0", s)
	}
	return Size{Bytes: n * unit}, nil
}

var units = map[string]uint64{"": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}

// amount tells people a number of bytes.
func amount(n uint64) string {
	if n < 10<<30 {
		return strconv.FormatUint(n>>20, 10) + " MB"
	}
	return strconv.FormatUint(n>>30, 10) + " GB"
}

// Of is the room in bytes on a file system of so many bytes.
func (s Size) Of(total uint64) uint64 {
	most := uint64(float64(total) * mostShare)
	if s.Share == 0 {
		return min(s.Bytes, most)
	}
	return min(max(uint64(float64(total)*s.Share), leastReserve), most)
}

// NewReserve keeps room on the file system of a directory.
func NewReserve(dir string, size Size) *Reserve { return &Reserve{dir: dir, size: size} }

// lookEvery is how old an answer may be: statfs is cheap, but not free for every
// command. In 100 ms a quick command fills the reserve of a small disk.
const lookEvery = 20 * time.Millisecond

// Room is nil if something new may be begun, else an error that says why not.
func (r *Reserve) Room() error {
	free, reserve, err := r.Look()
	if err != nil || free >= reserve { // what cannot be known stops nobody
		return nil
	}
	return clew.Errorf(clew.StorageFailed, "the server is low on disk space: %s left, %s are kept in reserve. Nothing new is begun until there is room; you can still answer, stop, rewind, delete and export",
		amount(free), amount(reserve))
}

// RoomAt is Room for somebody who writes into a directory: what is on another disk
// does not use this one up.
func (r *Reserve) RoomAt(dir string) error {
	if !sameDisk(r.dir, dir) {
		return nil
	}
	return r.Room()
}

// Look gives the room that is left and the room that is kept.
func (r *Reserve) Look() (free, reserve uint64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.asked) >= lookEvery {
		r.free, r.total, r.err = Free(r.dir)
		r.asked = time.Now()
	}
	return r.free, r.size.Of(r.total), r.err
}
