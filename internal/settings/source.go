package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// envPrefix stands before the upper-cased key in the environment.
const envPrefix = "CLEW_SET_"

// environmentNames are names of the environment that have always been those of a key,
// beside the one with the prefix, which wins.
var environmentNames = map[string]string{
	"MONITOR_MAX_CONCURRENT":      "monitor_max_concurrent",
	"MONITOR_MAX_ACTIONS_PER_MIN": "monitor_max_actions_per_min",
	"MONITOR_MAX_OUTPUT_PER_MIN":  "monitor_max_output_per_min",
}

const maxFile = 4 << 20

// readFile reads the file layer: YAML if the name says so, JSON otherwise. No
// file is the same as an empty one. A file that cannot be read at all is an
// error: going on without an operator's rules would be worse than not starting.
func readFile(name string) (raw, error) {
	if name == "" {
		return raw{}, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return raw{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxFile {
		return nil, fmt.Errorf("settings file %s is longer than %d bytes", name, maxFile)
	}
	ext := strings.ToLower(filepath.Ext(name))
	values, err := parseFile(b, ext == ".yaml" || ext == ".yml")
	if err != nil {
		return nil, fmt.Errorf("settings file %s: %w", name, err)
	}
	return values, nil
}

func parseFile(b []byte, isYAML bool) (raw, error) {
	if strings.TrimSpace(string(b)) == "" {
		return raw{}, nil
	}
	if !isYAML {
		values := raw{}
		if err := json.Unmarshal(b, &values); err != nil {
			return nil, syntaxOnly(err)
		}
		return values, nil
	}
	var decoded map[string]any
	if err := yaml.Unmarshal(b, &decoded); err != nil {
		return nil, errors.New("not valid YAML with an object at the top")
	}
	values := raw{}
	for name, v := range decoded {
		encoded, err := json.Marshal(v)
		if err != nil {
			// Such as a number for a name inside: the key is then reported.
			encoded = json.RawMessage(`"?"`)
		}
		values[name] = encoded
	}
	return values, nil
}

// syntaxOnly keeps the place of an error and leaves out what stands there.
func syntaxOnly(err error) error {
	var s *json.SyntaxError
	if errors.As(err, &s) {
		return fmt.Errorf("not valid JSON at byte %d", s.Offset)
	}
	return errors.New("must be a JSON object")
}

// readEnvironment reads the environment layer. A value is JSON, or plain text
// where the key takes text. An empty value is the same as none.
func readEnvironment(keys index, environ []string) raw {
	values := raw{}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		if key := environmentNames[name]; key != "" && value != "" && values[key] == nil {
			if values[key] = quote(value); json.Valid([]byte(value)) {
				values[key] = json.RawMessage(value)
			}
			continue
		}
		name, ok := strings.CutPrefix(name, envPrefix)
		if !ok || name == "" || value == "" {
			continue
		}
		name = strings.ToLower(name)
		k := keys[name]
		if k != nil && k.field >= 0 && k.goType().Kind() == reflect.String {
			values[name] = textValue(value)
			continue
		}
		if json.Valid([]byte(value)) {
			values[name] = json.RawMessage(value)
		} else {
			values[name] = quote(value)
		}
	}
	return values
}

// textValue takes a JSON text as it is and anything else as the text itself, so
// that 42 is a fine profile name.
func textValue(value string) json.RawMessage {
	var s string
	if json.Unmarshal([]byte(value), &s) == nil && strings.HasPrefix(value, `"`) {
		return json.RawMessage(value)
	}
	return quote(value)
}

func quote(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return b
}
