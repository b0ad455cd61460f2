package core

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// ExactMax bounds the input that a question repeats as a text: it has to fit a
// record beside the input itself.
const ExactMax = 64 << 10

// ExactText is the text of an input for faces that read numbers as doubles, ""
// where those show what is meant. A person must not say yes to another number
// than the tool gets.
func ExactText(input json.RawMessage) string {
	if len(input) > ExactMax || !losesPrecision(input) {
		return ""
	}
	var b bytes.Buffer
	if err := json.Indent(&b, input, "", "  "); err != nil || b.Len() > ExactMax { // deeply nested, it is mostly spaces
		return string(input)
	}
	return b.String()
}

// losesPrecision reports whether JSON has a number that a double shows as another one.
func losesPrecision(input json.RawMessage) bool {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		if n, ok := token.(json.Number); ok && roundsAsDouble(n.String()) {
			return true
		}
	}
}

func roundsAsDouble(number string) bool {
	f, err := strconv.ParseFloat(number, 64)
	return err != nil || decimalOf(number) != decimalOf(strconv.FormatFloat(f, 'e', -1, 64))
}

// A decimal is 0.digits times ten to the power; the digits neither begin nor end
// with a zero. It is what a text says, with no arithmetic that could round or
// take long.
type decimal struct {
	digits   string
	power    int
	negative bool
}

func decimalOf(number string) decimal {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	power, _ := strconv.Atoi(exponent)
	unsigned := strings.TrimPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	power += len(whole) - (len(whole+fraction) - len(digits))
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return decimal{}
	}
	return decimal{digits, power, unsigned != mantissa}
}
