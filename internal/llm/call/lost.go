package call

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"syscall"
)

// called is how people hear of a provider.
func called(host string) string {
	if host == "" {
		return "the model provider"
	}
	return "the model provider " + host
}

// lost says what became of a connection: to which host, and why. It is made of
// known words only, as the text of an error may hold an address with a key.
func lost(err error) string {
	who := called("")
	if link, ok := errors.AsType[*linkError](err); ok {
		who = called(link.host)
	}
	switch {
	case errors.Is(err, ErrStalled):
		return who + " fell silent in the middle of the call"
	case errors.Is(err, errTooMuch):
		return who + " sent more than a call may read"
	}
	if why := distrust(err); why != "" {
		return "the connection to " + who + " is not safe: " + why
	}
	if why := unreached(err); why != "" {
		return who + " did not answer: " + why
	}
	return "the connection to " + who + " broke off"
}

// distrust says why TLS failed, "" if it did not.
func distrust(err error) string {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "it does not speak TLS; is its address http, not https?"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "its certificate is not from an authority that this machine trusts"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "its certificate is for another host"
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if e.Reason == x509.Expired {
			return "its certificate has expired, or the clock here is wrong"
		}
		return "its certificate is not valid"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate cannot be verified"
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return "TLS was refused"
	}
	return ""
}

// unreached says why a host was not reached, "" if it was.
func unreached(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return "no host has this name"
		}
		return "its name could not be looked up"
	}
	op, ok := errors.AsType[*net.OpError](err)
	if !ok || op.Op != "dial" && op.Op != "proxyconnect" {
		return ""
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, os.ErrDeadlineExceeded) || op.Timeout():
		return "it took too long to connect"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "the network does not lead there"
	}
	return "it cannot be reached"
}
