package settings

import "reflect"

// A Kind says how a setting is edited. What exactly is valid, Allowed says for
// people.
type Kind string

// The kinds.
const (
	KindSwitch   Kind = "switch"
	KindChoice   Kind = "choice" // one of Choices
	KindNumber   Kind = "number"
	KindText     Kind = "text"      // one line
	KindLongText Kind = "long_text" // of several lines
	KindLines    Kind = "lines"     // a list of texts, one to a line
	KindJSON     Kind = "json"      // objects, and lists of them
)

// Kind gives the key's kind, "" for a secret.
func (k *Key) Kind() Kind {
	value := k.Default()
	switch {
	case value == nil:
		return ""
	case len(k.Choices) > 0:
		return KindChoice
	case k.long:
		return KindLongText
	}
	switch t := reflect.TypeOf(value); t.Kind() {
	case reflect.Bool:
		return KindSwitch
	case reflect.Int, reflect.Int64, reflect.Float64:
		return KindNumber
	case reflect.String:
		return KindText
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return KindLines
		}
	}
	return KindJSON
}

// choosing makes a key one whose value is one of a few names.
func (k Key) choosing(names ...string) *Key {
	k.Choices, k.check = names, oneOf(names...)
	return &k
}

// between makes a key one for a number with a least and a greatest value.
func (k Key) between(low, high float64) *Key {
	k.Min, k.Max, k.check = &low, &high, between(low, high)
	return &k
}

// writing makes a key one for a text of several lines.
func (k Key) writing(limit int) *Key {
	k.long, k.check = true, textUpTo(limit)
	return &k
}
