package shell

import "time"

// While the disk has no more room than its reserve, a command that still writes is
// ended: the reserve is for the records of all.
const (
	roomEvery  = 100 * time.Millisecond
	roomWrites = 64 << 10 // bytes in that time that count as writing
)

// watchRoom stops the command if it writes while there is no room, until done is
// closed.
func (p *process) watchRoom(done <-chan struct{}) {
	t := time.NewTicker(roomEvery)
	defer t.Stop()
	for before := int64(-1); ; {
		select {
		case <-done:
			return
		case <-t.C:
		}
		if p.plan.opts.Room(p.plan.dir) == nil {
			before = -1
			continue
		}
		now := p.written()
		if before >= 0 && now-before >= roomWrites {
			p.Stop(stoppedByDisk)
			return
		}
		before = now
	}
}

// written is what the command's processes have written so far.
func (p *process) written() int64 {
	if p.group != nil {
		return written(p.group.Processes())
	}
	return written(below(p.cmd.Process.Pid, 0))
}
