package settings

import (
	"fmt"
	"log/slog"
	"regexp"

	"github.com/clew-run/clew"
)

// hidden is what stands where a secret would.
const hidden = "[secret]"

// A Secret is a text that does not show itself: printed, logged or encoded it
// is [secret]. The zero value is an empty secret.
type Secret struct {
	// A pointer, because fmt looks into unexported fields of other structs
	// without asking their methods, and then shows an address only.
	text *string
}

// NewSecret hides a text.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal gives the text. The caller keeps it out of logs, errors and records.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// String gives [secret].
func (Secret) String() string { return hidden }

// GoString gives [secret].
func (Secret) GoString() string { return hidden }

// Format writes [secret], whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, hidden) }

// MarshalJSON gives "[secret]".
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// MarshalText gives [secret].
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue gives [secret].
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// maxSecret bounds a secret; key files are a few KiB.
const maxSecret = 64 << 10

var secretNamePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,127}$`)

// CheckSecretName says whether a secret can have this name.
func CheckSecretName(name string) error {
	if !secretNamePattern.MatchString(name) {
		return clew.Errorf(clew.SettingsInvalid, "the name of a secret has letters, digits, dot, dash and underscore, up to 128, and starts with a letter")
	}
	return nil
}

func checkSecretValue(value string) error {
	if value == "" || len(value) > maxSecret {
		return clew.Errorf(clew.SettingsInvalid, "a secret has 1 to %d bytes", maxSecret)
	}
	return nil
}
