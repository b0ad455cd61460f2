package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A value is what may follow an option, or stand as an operand.
type value struct {
	allows   func(string) bool // nil for a flag, which takes none
	optional bool
	glued    bool // a short option may have it in the same word: -n5
}

var flag = &value{}

// types are the kinds of values that the table knows by name.
var types = map[string]func(string) bool{
	"number":   matches(`[0-9]{1,9}`),
	"size":     matches(`\+?[0-9]{1,12}[bkKMGT]?`),
	"duration": matches(`([0-9]{1,9}(\.[0-9]{1,9})?(ns|us|ms|s|m|h))+|0`),
	"words":    nameWord,
	"text":     plainText,
	"filters":  func(s string) bool { return plainText(s) && !readsMore(s) },
	"objects":  func(s string) bool { return nameWord(s) && !strings.Contains(strings.ToLower(s), "secret") },
	"paths":    insidePath,
	"revs":     func(s string) bool { return insidePath(s) || ownRevision(s) },
	"packages": func(s string) bool { return packageWord(s) && insidePath(s) },
}

var (
	nameWord    = matches(`[A-Za-z0-9_][A-Za-z0-9_.,:/=+-]*`)
	ownRevision = matches(`@([~^{.][A-Za-z0-9_./~^@{} -]*)?`)                    // git's @ is HEAD
	readsMore   = regexp.MustCompile(`\b(import|include|env|ENV)\b`).MatchString // jq: other files, the environment
	packageWord = matches(`[A-Za-z0-9_.][A-Za-z0-9_./~+,-]*`)
)

// plainText is neither an option nor a file of arguments.
func plainText(s string) bool { return !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "@") }

func matches(pattern string) func(string) bool {
	return regexp.MustCompile(`^(?:` + pattern + `)$`).MatchString
}

// insidePath reports whether a word, as a path, leads to nothing outside of the directory
// that a command runs in. What a link in it leads to is not known here. A name with ::
// would be an address that starts a program, for git.
func insidePath(s string) bool {
	switch {
	case s == "/dev/null":
		return true
	case s == "" || strings.ContainsRune("-@~/", rune(s[0])) || strings.Contains(s, "::") || strings.ContainsAny(s, "\\\n"):
		return false
	case len(s) > 1 && s[1] == ':' && s[0] != '.': // C:
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == ".." {
			return false
		}
	}
	return true
}

// A valueFile is a value as it is written: the name of a type, or a list or pattern of
// its own.
type valueFile struct {
	Type     string
	Oneof    []string
	Pattern  string
	Optional bool
}

// UnmarshalYAML reads a name alone as a type.
func (v *valueFile) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		v.Type = n.Value
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 { // KnownFields does not reach here
		if key := n.Content[i].Value; !slices.Contains([]string{"oneof", "pattern", "optional"}, key) {
			return fmt.Errorf("%q is not known of a value", key)
		}
	}
	type plain valueFile
	return n.Decode((*plain)(v))
}

func (v valueFile) value() (*value, error) {
	out := &value{optional: v.Optional, glued: v.Optional || v.Type == "number" || v.Type == "size"}
	switch {
	case v.Type != "":
		if out.allows = types[v.Type]; out.allows == nil {
			return nil, fmt.Errorf("no type of values is called %q", v.Type)
		}
	case len(v.Oneof) > 0 && v.Pattern == "":
		out.allows = func(s string) bool { return slices.Contains(v.Oneof, s) }
	case v.Pattern != "" && len(v.Oneof) == 0:
		re, err := regexp.Compile(`^(?:` + v.Pattern + `)$`)
		if err != nil {
			return nil, err
		}
		out.allows = re.MatchString
	default:
		return nil, errors.New("a value needs a type, a list or a pattern")
	}
	return out, nil
}

// A valueList is one value, or several.
type valueList []valueFile

// UnmarshalYAML reads a value alone as a list of one.
func (l *valueList) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		*l = make(valueList, 1)
		return n.Decode(&(*l)[0])
	}
	return n.Decode((*[]valueFile)(l))
}
