package settings

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/clew-run/clew"
)

// secretReference stands before the name of a secret in a setting.
const secretReference = "$SECRET:"

// secretKeys are the secrets that clew knows by name. Any other valid name can
// be stored too.
var secretKeys = []struct{ name, doc string }{
	{"anthropic_api_key", "Key of the provider `anthropic`. Falls back to the variable `ANTHROPIC_API_KEY`."},
	{"openai_api_key", "Key of the provider `openai`. Falls back to the variable `OPENAI_API_KEY`."},
	{"openrouter_api_key", "Key of the provider `openrouter`. Falls back to the variable `OPENROUTER_API_KEY`."},
	{"azure_api_key", "Key of the provider `azure`. Falls back to the variable `AZURE_OPENAI_API_KEY`."},
	{"gemini_api_key", "Key for Gemini. Falls back to the variables `GEMINI_API_KEY` and `GOOGLE_API_KEY`."},
	{"aws_access_key", "Access key for AWS."},
	{"aws_secret_key", "Secret key for AWS."},
	{"gcp_key_file", "Contents of a key file for Google Cloud."},
	{"webhook_secret", "Signs what `notify_webhook` is sent."},
	{"api_key", "Key for a profile that names no other."},
}

// secretEndings are what the names of secrets end in. They are compared with
// names that went through snake.
var secretEndings = []string{
	"api_key", "apikey", "secret_key", "access_key", "private_key", "key_file",
	"token", "password", "passwd", "secret", "credentials", "authorization", "cookie",
}

// looksSecret reports whether a name is that of a secret. Known settings are
// never asked about.
func looksSecret(name string) bool {
	s := snake(name)
	for _, end := range secretEndings {
		if s == end || strings.HasSuffix(s, "_"+end) {
			return true
		}
	}
	return slices.ContainsFunc(secretKeys, func(k struct{ name, doc string }) bool { return k.name == s })
}

// snake turns camelCase, KEBAB-case and SCREAMING_CASE into snake_case.
func snake(name string) string {
	var b strings.Builder
	before := ' '
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case r == '-' || r == '.' || r == ' ':
			r = '_'
		case unicode.IsUpper(r):
			next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(before) || unicode.IsDigit(before) || unicode.IsUpper(before) && next {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
		before = runes[i]
	}
	return b.String()
}

var keyNamePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,99}$`)

// errSecretKey is the answer to a secret among plain settings.
func errSecretKey(name string) error {
	return clew.Errorf(clew.SettingsInvalid, "%s is a secret and not kept in settings: use `clew secret set %s`", name, snake(name)).Advised()
}

// unknownKey checks a key that is not in the table: it is kept, unless it or a
// field inside it is named like a secret.
func unknownKey(name string, value any) error {
	if !keyNamePattern.MatchString(name) {
		return errors.New("is no name for a setting: letters, digits, dot, dash and underscore, up to 100")
	}
	if field := secretField(value); field != "" {
		return errSecretInside(field)
	}
	return nil
}

func errSecretInside(field string) error {
	return errors.New("has a field " + field + ", which is a secret: use `clew secret set`")
}

// secretField finds a field with a secret's name inside a decoded JSON value.
func secretField(value any) string {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if looksSecret(name) && inner != nil {
				return name
			}
			if found := secretField(inner); found != "" {
				return found
			}
		}
	case []any:
		for _, inner := range v {
			if found := secretField(inner); found != "" {
				return found
			}
		}
	}
	return ""
}
