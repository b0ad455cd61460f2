package kernel

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/clew-run/clew"
)

const (
	maxConnectionFile = 64 << 10
	// maxSocketPath is the longest path of a Unix socket on Linux.
	maxSocketPath = 107
)

// A Connection says where a kernel listens, and with which key messages are
// signed. It is the content of a connection file. With the transport "ipc" IP is the
// start of a path, and port 1 of IP "/run/k" is the socket "/run/k-1".
type Connection struct {
	Transport       string `json:"transport"`
	IP              string `json:"ip"`
	ShellPort       int    `json:"shell_port"`
	IOPubPort       int    `json:"iopub_port"`
	StdinPort       int    `json:"stdin_port"`
	ControlPort     int    `json:"control_port"`
	HBPort          int    `json:"hb_port"`
	Key             string `json:"key"`
	SignatureScheme string `json:"signature_scheme"`
	KernelName      string `json:"kernel_name,omitempty"`
}

// ReadConnection reads a connection file and checks it.
func ReadConnection(path string) (Connection, error) {
	f, err := os.Open(path)
	if err != nil {
		return Connection{}, clew.WrapError(clew.ConnectionFailed, err, "the connection file of the kernel cannot be read")
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxConnectionFile+1))
	if err != nil {
		return Connection{}, clew.WrapError(clew.ConnectionFailed, err, "the connection file of the kernel cannot be read")
	}
	if len(b) > maxConnectionFile {
		return Connection{}, clew.Errorf(clew.MessageTooLarge, "the file is too long for a connection file of a kernel")
	}
	var c Connection
	if depth(b) > maxDepth || json.Unmarshal(b, &c) != nil {
		return Connection{}, clew.Errorf(clew.InvalidMessage, "the file is not a connection file of a kernel")
	}
	return c, c.Check()
}

// Check says what is wrong with a connection.
func (c Connection) Check() error {
	if c.Key == "" {
		return clew.Errorf(clew.InvalidMessage, "the connection file has no key, so nobody can tell who speaks; start the kernel with one")
	}
	if c.SignatureScheme != "hmac-sha256" {
		return clew.Errorf(clew.InvalidMessage, "messages must be signed with hmac-sha256, not %q", c.SignatureScheme)
	}
	for _, port := range []int{c.ShellPort, c.IOPubPort, c.StdinPort, c.ControlPort, c.HBPort} {
		if port < 1 || port > 65535 {
			return clew.Errorf(clew.InvalidMessage, "the connection file has the port %d", port)
		}
		if _, address := c.address(port); c.Transport == "ipc" && len(address) > maxSocketPath {
			return clew.Errorf(clew.InvalidMessage, "the path of the kernel's sockets is too long: a socket has at most %d bytes", maxSocketPath)
		}
	}
	return c.checkPlace()
}

func (c Connection) checkPlace() error {
	switch c.Transport {
	case "ipc":
		if !filepath.IsAbs(c.IP) {
			return clew.Errorf(clew.InvalidMessage, "the kernel's sockets must have an absolute path")
		}
	case "tcp":
		// Messages are signed and not encrypted.
		if ip := net.ParseIP(c.IP); ip == nil || !ip.IsLoopback() {
			return clew.Errorf(clew.InvalidMessage, "only kernels of this machine can be joined, and %q is not an address of it alone", c.IP)
		}
	default:
		return clew.Errorf(clew.InvalidMessage, "the connection file has the transport %q; ipc and tcp are known", c.Transport)
	}
	return nil
}

// address says where a port is, for net.Dial.
func (c Connection) address(port int) (network, address string) {
	if c.Transport == "ipc" {
		return "unix", c.IP + "-" + strconv.Itoa(port)
	}
	return "tcp", net.JoinHostPort(c.IP, strconv.Itoa(port))
}

// Sockets gives the paths of the kernel's sockets, none with TCP.
func (c Connection) Sockets() []string {
	if c.Transport != "ipc" {
		return nil
	}
	var paths []string
	for _, port := range []int{c.ShellPort, c.IOPubPort, c.StdinPort, c.ControlPort, c.HBPort} {
		_, path := c.address(port)
		paths = append(paths, path)
	}
	return paths
}

// Write makes a connection file that only its owner can read. The file must not exist.
func (c Connection) Write(path string) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}
