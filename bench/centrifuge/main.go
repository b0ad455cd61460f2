// Command centrifuge is a small server on the Centrifuge library, the heart of
// Centrifugo, with its memory engine. The bench measures clew beside it.
//
// It is a module of its own, so that what it needs stays out of clew's module.
// It speaks the bench's child protocol: one JSON request a line on stdin, one
// answer a line on stdout.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/centrifugal/centrifuge"
)

const channel = "bench"

type request struct {
	Op   string          `json:"op"`
	Args json.RawMessage `json:"args"`
}

type reply struct {
	Error string `json:"error,omitempty"`
	Value any    `json:"value,omitempty"`
}

type publishing struct {
	Count  int `json:"count"`
	Size   int `json:"size"`
	Window int `json:"window"`
}

type position struct {
	Offset uint64 `json:"offset"`
	Epoch  string `json:"epoch"`
}

// server is the node and what it needs to be driven.
type server struct {
	node     *centrifuge.Node
	listener net.Listener
	meter    net.Listener
	slowest  atomic.Int64
}

func main() {
	log.SetFlags(0)
	s, err := start()
	if err != nil {
		log.Fatal(err)
	}
	in := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		var req request
		var r reply
		if err := json.Unmarshal(line, &req); err != nil {
			log.Fatal(err)
		}
		if r.Value, err = s.do(req); err != nil {
			r.Error = err.Error()
		}
		if err := out.Encode(r); err != nil {
			log.Fatal(err)
		}
	}
}

func start() (*server, error) {
	node, err := centrifuge.New(centrifuge.Config{
		LogLevel:           centrifuge.LogLevelNone,
		ClientQueueMaxSize: 64 << 20, // the bench holds the publisher back itself
	})
	if err != nil {
		return nil, err
	}
	node.OnConnecting(func(context.Context, centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
		return centrifuge.ConnectReply{
			Credentials: &centrifuge.Credentials{UserID: "bench"},
			Subscriptions: map[string]centrifuge.SubscribeOptions{
				channel: {EnableRecovery: true, EnablePositioning: true},
			},
		}, nil
	})
	node.OnConnect(func(*centrifuge.Client) {})
	if err := node.Run(); err != nil {
		return nil, err
	}
	s := &server{node: node}
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	if s.meter, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	handler := centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{
		CheckOrigin: func(*http.Request) bool { return true }, WriteTimeout: 10 * time.Second,
	})
	go func() { _ = http.Serve(s.listener, handler) }()
	go s.listen()
	return s, nil
}

func (s *server) do(req request) (any, error) {
	switch req.Op {
	case "where":
		return map[string]string{"addr": s.listener.Addr().String(), "progress": s.meter.Addr().String()}, nil
	case "publish":
		var p publishing
		if err := json.Unmarshal(req.Args, &p); err != nil {
			return nil, err
		}
		return s.publish(p)
	}
	return nil, fmt.Errorf("no operation %s", req.Op)
}

// publish sends messages to all clients and gives the position after them.
func (s *server) publish(p publishing) (position, error) {
	s.slowest.Store(0)
	data, err := json.Marshal(strings.Repeat("x", p.Size-68))
	if err != nil {
		return position{}, err
	}
	var at position
	for i := range p.Count {
		for p.Window > 0 && s.slowest.Load() < int64(i-p.Window) {
			time.Sleep(200 * time.Microsecond)
		}
		r, err := s.node.Publish(channel, data, centrifuge.WithHistory(2000, time.Hour))
		if err != nil {
			return at, err
		}
		at = position{r.Offset, r.Epoch}
	}
	return at, nil
}

// listen hears from the clients how far the slowest of them is.
func (s *server) listen() {
	for {
		conn, err := s.meter.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			var b [8]byte
			for {
				if _, err := io.ReadFull(conn, b[:]); err != nil {
					return
				}
				s.slowest.Store(int64(binary.LittleEndian.Uint64(b[:])))
			}
		}()
	}
}
