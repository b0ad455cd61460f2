//go:build !linux

package limit

import "errors"

// Apply sets the limits of a process: on Linux.
func Apply(int, Limits, Held, bool) error { return nil }

func machineMemory() int64 { return 0 }

// OpenGroups divides the control group of this process: on Linux.
func OpenGroups() (Groups, error) { return nil, LookForGroups() }

// LookForGroups says why there is no control group to divide.
func LookForGroups() error { return errors.New("control groups need Linux") }
