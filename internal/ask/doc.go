// Package ask says what a question is about and what an answer to it sends, for
// everything that shows questions as text: the command line and the screen of
// clew attach. It draws nothing. Texts that strangers wrote are handed on as they
// are, unless it is said otherwise: whoever draws them makes them safe.
package ask
