package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"sync/atomic"
	"time"
)

func readFull(r io.Reader, b []byte) (int, error) { return io.ReadFull(r, b) }

// connecting says how clients connect.
type connecting struct {
	Addr     string `json:"addr"`
	Progress string `json:"progress"`
	Path     string `json:"path"`
	Hello    string `json:"hello"`
	Settle   int64  `json:"settle"` // messages that each gets at first
	Count    int    `json:"count"`
	// Sessions spreads the clients: the path has a %d for the session's number.
	// 0 = the path has none.
	Sessions int `json:"sessions"`
}

// A manyClients is many clients in one process.
type manyClients struct {
	sockets []*socket
	base    []int64
	tell    net.Conn // to the server: how far the slowest of us is
	gone    atomic.Int64
}

// roleClients is the process of the clients.
func roleClients() error {
	var c *manyClients
	return answer(ops{
		"connect": op(func(how connecting) (any, error) {
			var err error
			c, err = connect(how)
			return nil, err
		}),
		"arm":   op(func(struct{}) (any, error) { c.arm(); return nil, nil }),
		"await": op(func(count int64) (any, error) { return nil, c.await(count) }),
		"alive": op(func(struct{}) (any, error) { return len(c.sockets) - int(c.gone.Load()), nil }),
		"close": op(func(struct{}) (any, error) { c.close(); return nil, nil }),
	})
}

// connect brings all clients in and waits until each has heard what it hears at
// first.
func connect(how connecting) (*manyClients, error) {
	c := &manyClients{sockets: make([]*socket, how.Count), base: make([]int64, how.Count)}
	err := many(how.Count, 32, func(i int) error {
		from := ""
		if how.Count > 5000 { // one address has too few ports in a row
			from = fmt.Sprintf("127.0.0.%d", 1+i%4)
		}
		s, err := dial(how.Addr, from)
		if err != nil {
			return err
		}
		path := how.Path
		if how.Sessions > 0 {
			path = fmt.Sprintf(how.Path, i%how.Sessions)
		}
		if err := s.upgrade(path, how.Hello); err != nil {
			return err
		}
		if err := s.until(how.Settle); err != nil {
			return err
		}
		s.buf = nil
		c.sockets[i] = s
		return nil
	})
	if err != nil {
		return nil, err
	}
	if how.Progress != "" {
		if c.tell, err = net.Dial("tcp", how.Progress); err != nil {
			return nil, err
		}
	}
	for _, s := range c.sockets {
		go func() {
			for s.read() == nil {
			}
			c.gone.Add(1)
		}()
	}
	return c, nil
}

// arm makes the counts start from here.
func (c *manyClients) arm() {
	for i, s := range c.sockets {
		c.base[i] = s.count.Load()
	}
}

// slowest is the count of the client that has the fewest messages.
func (c *manyClients) slowest() int64 {
	low := int64(math.MaxInt64)
	for i, s := range c.sockets {
		low = min(low, s.count.Load()-c.base[i])
	}
	return low
}

// await waits until every client has that many messages, and tells the server
// meanwhile how far the slowest is.
func (c *manyClients) await(count int64) error {
	var told int64
	deadline := time.Now().Add(60 * time.Second)
	for {
		low := c.slowest()
		if low != told && c.tell != nil {
			told = low
			if _, err := c.tell.Write(binary.LittleEndian.AppendUint64(nil, uint64(low))); err != nil { //nolint:gosec // a count
				return err
			}
		}
		switch {
		case low >= count:
			return nil
		case c.gone.Load() > 0:
			return fmt.Errorf("%d clients were cut off, the slowest had %d of %d messages", c.gone.Load(), low, count)
		case time.Now().After(deadline):
			return fmt.Errorf("the slowest client stands at %d of %d messages", low, count)
		}
		time.Sleep(time.Millisecond)
	}
}

func (c *manyClients) close() {
	if c.tell != nil {
		_ = c.tell.Close()
	}
	for _, s := range c.sockets {
		s.close()
	}
}
