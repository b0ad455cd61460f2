package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is how far the clocks of the two sides may be apart.
const tolerance = 5 * time.Minute

var errRefused = errors.New("not signed by whom it should be")

// keyOf reads the secret. Behind whsec_ it is base64, otherwise it is the key
// itself.
func keyOf(secret string) ([]byte, error) {
	if secret == "" {
		return nil, errors.New("WEBHOOK_SECRET is missing")
	}
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		return base64.StdEncoding.DecodeString(encoded)
	}
	return []byte(secret), nil
}

// verify checks a delivery as Standard Webhooks has it: the signature covers the
// id, the time and the body, and the time must be near. Several signatures may
// be given, so that a key can be changed without a break.
func verify(key []byte, h http.Header, body []byte, now time.Time) error {
	id, stamp := h.Get("Webhook-Id"), h.Get("Webhook-Timestamp")
	sec, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || now.Sub(time.Unix(sec, 0)).Abs() > tolerance {
		return errRefused
	}
	m := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(m, "%s.%s.%s", id, stamp, body)
	want := m.Sum(nil)
	for _, s := range strings.Fields(h.Get("Webhook-Signature")) {
		encoded, ok := strings.CutPrefix(s, "v1,")
		if !ok {
			continue
		}
		if got, err := base64.StdEncoding.DecodeString(encoded); err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return errRefused
}
