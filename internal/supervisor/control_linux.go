package supervisor

import (
	"bufio"
	"encoding/json"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The orders that a supervisor takes, a line each, and answers with a line:
//
//	hold        this server holds the lock
//	signal N    sends a signal to the program
//	kill        ends it, with all that it started
//
// Who connects is greeted with a line of JSON: see state.

// maxConns bounds the connections at once.
const maxConns = 16

// A request is a line of a connection, or its beginning.
type request struct {
	conn  net.Conn
	line  string // "" when the connection begins
	reply chan string
}

func (s *supervisor) accept() {
	for {
		c, err := s.listen.Accept()
		if err != nil {
			return
		}
		go s.serve(c)
	}
}

func (s *supervisor) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	r := request{conn: c, reply: make(chan string, 1)}
	lines := bufio.NewScanner(c)
	lines.Buffer(make([]byte, 64), 64)
	write := func(line string) bool {
		_ = c.SetWriteDeadline(time.Now().Add(answerLimit))
		_, err := c.Write([]byte(line + "\n"))
		return err == nil
	}
	for {
		s.requests <- r
		switch answer := <-r.reply; {
		case answer == "":
			return
		case r.line == "kill": // answered below
		case !write(answer):
			s.gone <- c
			return
		}
		if !lines.Scan() {
			s.gone <- c
			return
		}
		// The end of the program ends the connection, so this is answered before.
		if r.line = lines.Text(); r.line == "kill" {
			write("ok")
		}
	}
}

// answer does what a line asks for. "" refuses the connection.
func (s *supervisor) answer(r request) {
	word, value, _ := strings.Cut(r.line, " ")
	switch word {
	case "":
		if len(s.conns) >= maxConns {
			r.reply <- ""
			return
		}
		s.conns[r.conn] = true
		greeting, _ := json.Marshal(s.state) // it has nothing that cannot be
		r.reply <- string(greeting)
	case "hold":
		s.lookForServer()
		r.reply <- "ok"
	case "signal":
		n, err := strconv.Atoi(value)
		if err == nil {
			err = s.signal(syscall.Signal(n))
		}
		r.reply <- said(err)
	case "kill":
		if s.ending == "" {
			s.ending = WhyKilled
		}
		s.killAll()
		r.reply <- "ok"
	default:
		r.reply <- "unknown"
	}
}

func said(err error) string {
	if err != nil {
		return strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return "ok"
}
