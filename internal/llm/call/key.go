package call

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

// Key reads the key of a call. A missing key is an error only if it is needed:
// servers at home often have none.
func Key(ctx context.Context, read func(context.Context) (string, error), needed bool) (string, error) {
	var key string
	if read != nil {
		var err error
		if key, err = read(ctx); err != nil {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			message := "the provider's key cannot be read"
			var said *clew.Error
			if errors.As(err, &said) { // words for people, safe to show
				message += ": " + said.Message
			}
			return "", &llm.Error{Kind: llm.KindAuth, Message: message, Err: err}
		}
	}
	key = strings.TrimSpace(key)
	if key == "" && needed {
		return "", &llm.Error{Kind: llm.KindAuth, Message: "the provider's key is not set"}
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", &llm.Error{Kind: llm.KindAuth, Message: "the provider's key holds characters that no key has"}
	}
	return key, nil
}

// KnownSecrets lists what no text of the call may hold: the key, and the values
// of the further headers, which should hold none but may.
func KnownSecrets(key string, headers map[string]string) Secrets {
	secrets := Secrets{key}
	for name, value := range headers {
		if len(value) >= 16 && http.CanonicalHeaderKey(name) != "User-Agent" {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// ToolCallID gives an id that both vendors take: letters, digits, _ and -, at
// most 40 of them. Another server's id becomes one of those, the same each time.
func ToolCallID(id string) string {
	good := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	}
	if id != "" && len(id) <= 40 && strings.Trim(id, "_-") != "" && !strings.ContainsFunc(id, func(r rune) bool { return !good(r) }) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:12])
}
