package push

import (
	"crypto/ecdh"
	"encoding/base64"
	"strings"
	"testing"
)

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The example of RFC 8291, appendix A.
func TestTheExampleOfTheStandard(t *testing.T) {
	own, err := ecdh.P256().NewPrivateKey(decoded(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	s := Subscription{
		P256dh: decoded(t, "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
		Auth:   decoded(t, "BTBZMqHH6r4Tts7J_aSIgg"),
	}
	plain := []byte("When I grow up, I want to be a watermelon")
	got, err := seal(plain, 0, s, own, decoded(t, "DGv6ra1nlYgDCS1FRnbzlw"))
	if err != nil {
		t.Fatal(err)
	}
	want := "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_" +
		"yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
	if text := base64.RawURLEncoding.EncodeToString(got); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// Messages of about the same length look the same from outside, and none is
// longer than what every push service takes.
func TestLengths(t *testing.T) {
	s := Subscription{
		P256dh: decoded(t, "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
		Auth:   decoded(t, "BTBZMqHH6r4Tts7J_aSIgg"),
	}
	length := func(n int) int {
		b, err := encrypt([]byte(strings.Repeat("x", n)), s)
		if err != nil {
			t.Fatal(err)
		}
		return len(b)
	}
	if short, long := length(1), length(255); short != long {
		t.Errorf("%d and %d bytes", short, long)
	}
	for _, n := range []int{0, 256, 3840, 3992, 3993} {
		if got := length(n); got > 4096 || got < n {
			t.Errorf("%d bytes become %d", n, got)
		}
	}
	if _, err := encrypt(make([]byte, 3994), s); err == nil {
		t.Error("a message was made that is too long")
	}
}

// The private part is read back, and nothing else is a key.
func TestKey(t *testing.T) {
	private, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	one, err := ReadKey(private)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ReadKey(private); err != nil || again.public != one.public || len(one.public) != 87 {
		t.Errorf("%q and %q, %v", one.public, again.public, err)
	}
	for _, bad := range []string{"", "x", "!!", strings.Repeat("A", 43), private + private} {
		if _, err := ReadKey(bad); err == nil || len(bad) > 8 && strings.Contains(err.Error(), bad) {
			t.Errorf("%q is read, or in the error: %v", bad, err)
		}
	}
}
