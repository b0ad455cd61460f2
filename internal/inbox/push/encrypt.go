package push

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

const (
	saltLen    = 16
	recordSize = 4096
	// padTo is what lengths are rounded up to, so that a push service does not
	// learn them.
	padTo = 256
	// maxPlain is what every push service takes: RFC 8291, section 4.
	maxPlain = 3993
)

// encrypt seals a message for one subscription: RFC 8291, with the content
// coding aes128gcm of RFC 8188 in a single record.
func encrypt(plain []byte, s Subscription) ([]byte, error) {
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	var salt [saltLen]byte
	_, _ = rand.Read(salt[:]) // never fails
	padded := min((len(plain)/padTo+1)*padTo, maxPlain)
	return seal(plain, padded, s, own, salt[:])
}

// seal is encrypt with everything given that is not the same each time. The
// plain text is filled up to a length; what is longer stays as it is.
func seal(plain []byte, padded int, s Subscription, own *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	if len(plain) > maxPlain {
		return nil, errors.New("the message is too long to push")
	}
	key, nonce, err := contentKeys(s, own, salt)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	record := append(append(make([]byte, 0, maxPlain+1), plain...), 2) // 2 marks the last record
	if fill := padded - len(plain); fill > 0 {
		record = append(record, make([]byte, fill)...)
	}
	public := own.PublicKey().Bytes()
	out := append([]byte{}, salt...)
	out = binary.BigEndian.AppendUint32(out, recordSize)
	out = append(out, byte(len(public)))
	out = append(out, public...)
	return gcm.Seal(out, nonce, record, nil), nil
}

// contentKeys derives the key and the nonce: RFC 8291, section 3.4.
func contentKeys(s Subscription, own *ecdh.PrivateKey, salt []byte) (key, nonce []byte, err error) {
	theirs, err := ecdh.P256().NewPublicKey(s.P256dh)
	if err != nil {
		return nil, nil, err
	}
	shared, err := own.ECDH(theirs)
	if err != nil {
		return nil, nil, err
	}
	info := "WebPush: info\x00" + string(s.P256dh) + string(own.PublicKey().Bytes())
	secret, err := hkdf.Key(sha256.New, shared, s.Auth, info, 32)
	if err != nil {
		return nil, nil, err
	}
	if key, err = hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16); err != nil {
		return nil, nil, err
	}
	nonce, err = hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	return key, nonce, err
}
