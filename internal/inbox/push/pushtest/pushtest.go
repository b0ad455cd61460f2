// Package pushtest has the other side of Web Push for tests: a push service with
// browsers behind it, which check and decrypt what they get.
package pushtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// A Service is a push service on loopback, over TLS.
type Service struct {
	*httptest.Server
	t testing.TB

	mu       sync.Mutex
	browsers map[string]*Browser // by path
	public   string
}

// New starts a push service.
func New(t testing.TB) *Service {
	s := &Service{t: t, browsers: map[string]*Browser{}}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// Address is the service's address and port.
func (s *Service) Address() string { return strings.TrimPrefix(s.URL, "https://") }

// CertFile writes the service's certificate where SSL_CERT_FILE can point to.
func (s *Service) CertFile() string {
	path := filepath.Join(s.t.TempDir(), "push.pem")
	b := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(path, b, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// Expect says which key the messages must be signed with.
func (s *Service) Expect(public string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.public = public
}

// A Browser has one subscription.
type Browser struct {
	t       testing.TB
	service *Service
	path    string
	private *ecdh.PrivateKey
	auth    []byte
	got     chan Delivery

	mu     sync.Mutex
	status int
	header http.Header
}

// A Delivery is a message as it came.
type Delivery struct {
	Header http.Header
	Status int    // what it was answered with
	Plain  string // decrypted
	Kind   string
	Body   map[string]any
}

// Browser makes a browser. Its secret path has a word that must be in no log.
func (s *Service) Browser() *Browser {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	b := &Browser{t: s.t, service: s, private: key, auth: make([]byte, 16), got: make(chan Delivery, 1000), status: http.StatusCreated}
	_, _ = rand.Read(b.auth)
	b.path = "/wpush/ENDPOINT-CANARY-" + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.browsers[b.path] = b
	return b
}

// Endpoint is the browser's secret address.
func (b *Browser) Endpoint() string { return b.service.URL + b.path }

// P256dh is the browser's public key as a page gives it.
func (b *Browser) P256dh() string {
	return base64.RawURLEncoding.EncodeToString(b.private.PublicKey().Bytes())
}

// Auth is the browser's secret as a page gives it.
func (b *Browser) Auth() string { return base64.RawURLEncoding.EncodeToString(b.auth) }

// Subscription is what a page posts.
func (b *Browser) Subscription(name string) map[string]any {
	return map[string]any{
		"endpoint": b.Endpoint(), "expirationTime": nil, "name": name,
		"keys": map[string]any{"p256dh": b.P256dh(), "auth": b.Auth()},
	}
}

// Answer sets what the service says to messages for this browser.
func (b *Browser) Answer(status int, header http.Header) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status, b.header = status, header
}

// Next waits for a message.
func (b *Browser) Next() Delivery {
	b.t.Helper()
	select {
	case d := <-b.got:
		return d
	case <-time.After(time.Minute):
		b.t.Fatal("the browser heard nothing")
		return Delivery{}
	}
}

// Waiting is how many messages nobody has taken yet.
func (b *Browser) Waiting() int { return len(b.got) }

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	b, public := s.browsers[r.URL.Path], s.public
	s.mu.Unlock()
	if b == nil {
		s.t.Errorf("a message to %s", r.URL.Path)
		w.WriteHeader(http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 4097))
	if err == nil && len(body) > 4096 {
		err = errors.New("longer than 4096 bytes")
	}
	d := Delivery{Header: r.Header}
	if err == nil {
		err = s.proven(r, public)
	}
	if err == nil {
		d.Plain, err = b.open(body)
	}
	if err == nil {
		err = json.Unmarshal([]byte(d.Plain), &d.Body)
	}
	if err != nil {
		s.t.Errorf("a message that a push service or browser refuses: %v", err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	d.Kind, _ = d.Body["kind"].(string)
	b.mu.Lock()
	d.Status = b.status
	for name, values := range b.header {
		w.Header()[name] = values
	}
	b.mu.Unlock()
	w.WriteHeader(d.Status)
	b.got <- d
}

// proven checks who sends: RFC 8292.
func (s *Service) proven(r *http.Request, public string) error {
	if r.Method != http.MethodPost || r.Header.Get("Content-Encoding") != "aes128gcm" || r.Header.Get("Ttl") == "" {
		return fmt.Errorf("%s with %v", r.Method, r.Header)
	}
	fields, ok := strings.CutPrefix(r.Header.Get("Authorization"), "vapid t=")
	token, key, both := strings.Cut(fields, ", k=")
	if !ok || !both || public != "" && key != public {
		return errors.New("it is not signed with the installation's key")
	}
	raw, err := base64.RawURLEncoding.DecodeString(key)
	if err != nil {
		return err
	}
	pub, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), raw)
	if err != nil {
		return err
	}
	claims := jwt.MapClaims{}
	_, err = jwt.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return pub, nil },
		jwt.WithValidMethods([]string{"ES256"}), jwt.WithAudience(s.URL), jwt.WithExpirationRequired())
	if err != nil {
		return err
	}
	exp, err := claims.GetExpirationTime()
	if err != nil || time.Until(exp.Time) > 24*time.Hour {
		return fmt.Errorf("it expires %v, %w", exp, err)
	}
	if sub, err := claims.GetSubject(); err != nil || !strings.HasPrefix(sub, "https://") {
		return fmt.Errorf("its subject is %q, %w", sub, err)
	}
	return nil
}

// open decrypts as a browser does: RFC 8291 and RFC 8188.
func (b *Browser) open(body []byte) (string, error) {
	if len(body) < 21 || len(body) < 21+int(body[20]) {
		return "", errors.New("no header")
	}
	salt, size, id := body[:16], binary.BigEndian.Uint32(body[16:20]), body[21:21+int(body[20])]
	sealed := body[21+len(id):]
	if int(size) < len(sealed) {
		return "", errors.New("more than one record")
	}
	theirs, err := ecdh.P256().NewPublicKey(id)
	if err != nil {
		return "", err
	}
	shared, err := b.private.ECDH(theirs)
	if err != nil {
		return "", err
	}
	secret, err := hkdf.Key(sha256.New, shared, b.auth, "WebPush: info\x00"+string(b.private.PublicKey().Bytes())+string(id), 32)
	if err != nil {
		return "", err
	}
	key, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return "", err
	}
	nonce, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return "", err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return "", err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return "", err
	}
	plain, err := gcm.Open(nil, nonce, sealed, nil)
	if err != nil {
		return "", err
	}
	text, last := strings.CutSuffix(strings.TrimRight(string(plain), "\x00"), "\x02")
	if !last {
		return "", errors.New("the record is not the last")
	}
	return text, nil
}
