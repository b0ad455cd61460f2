package shell

import (
	"os/exec"
	"runtime"
)

// A spawner starts processes, all from one thread that lives as long as the
// spawner. The kernel's "die with the parent" means the thread that forked, and
// the threads that goroutines run on come and go.
type spawner struct {
	starts chan start
	done   chan struct{}
}

type start struct {
	cmd *exec.Cmd
	err chan error
}

func newSpawner() *spawner {
	s := &spawner{starts: make(chan start), done: make(chan struct{})}
	go s.run()
	return s
}

func (s *spawner) run() {
	defer close(s.done)
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	for st := range s.starts {
		st.err <- st.cmd.Start()
	}
}

func (s *spawner) Start(cmd *exec.Cmd) error {
	st := start{cmd, make(chan error, 1)}
	s.starts <- st
	return <-st.err
}

// Close may be called once nothing is started any more.
func (s *spawner) Close() {
	close(s.starts)
	<-s.done
}
