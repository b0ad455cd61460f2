// Package auth says who is calling and whether the door is open to them.
//
// An Authenticator turns a token into a clew.Principal: the owner token of this
// installation, an API key, or a JWT of an outside issuer. SignIns exchanges any
// of them, or a ticket, for a key that a browser keeps as a cookie; Cookies says
// when such a cookie counts. Doors checks the Host and Origin of a request before
// anything else looks at it. Limiter keeps one caller from taking what belongs to
// all.
//
// No function here logs a secret or puts one into an error.
package auth
