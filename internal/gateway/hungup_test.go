package gateway

import (
	"net"
	"testing"
	"time"
)

// Covers: C-25
func TestHungUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if hungUp(server) {
		t.Error("an open, silent socket counts as closed")
	}
	if _, err := client.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if hungUp(server) {
		t.Error("a socket with something to read counts as closed")
	}
	var b [1]byte
	if _, err := server.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	_ = client.Close()
	for deadline := time.Now().Add(time.Minute); !hungUp(server); { // the kernel carries it over
		if time.Now().After(deadline) {
			t.Fatal("a closed socket counts as open")
		}
	}
}
