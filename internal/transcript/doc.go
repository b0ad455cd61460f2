// Package transcript runs conversations with a clew server that are written
// down as text files.
//
// A transcript is a txtar archive. The comment at its top says in a sentence
// what it shows, and names the requirements in a line "# Covers: WS-007". The
// sections are the steps, carried out in order:
//
//	-- setup --
//	create s1 as=alice title=First    makes a session and names its id s1
//	-- connect a --
//	GET /ws/{s1}?client_id=tab1 as=alice
//	Origin: http://evil.example       header lines, as many as wanted
//	status 401                        only if the handshake must be refused
//	-- server a --                    what the server must send to a, in order
//	{"type":"session_state","message_id":"snap_*","...":"..."}
//	-- client a --                    what a sends, one frame a line
//	{"type":"ping"}
//	-- close a --                     the server must close a like this
//	1008 TAKEN_OVER
//	-- leave a --                     a closes its connection
//	-- request --                     an HTTP request, its body below
//	POST /api/v1/sessions/{s1}/commands as=alice
//	{"type":"user_message","data":{"text":"hi"}}
//	-- response --                    its status, the body's pattern below
//	200
//	{"records":["*","..."],"...":"..."}
//	-- kill --                        the server dies without warning
//	-- restart --                     and comes back on the same data
//	-- wait --                        only where time itself matters
//	2s
//
// as=NAME sends the token that the Server gives for that user; without it no
// credentials are sent.
//
// # Patterns
//
// Frames and bodies are compared as JSON. In a pattern:
//
//	"*"          any value; inside a longer string any run of characters
//	"{name}"     any value the first time, which is kept; later that value.
//	             Inside a longer string it stands for one or more characters
//	"...":"..."  further fields are allowed; otherwise every field must be named
//	"..."        as the last element of a list: further elements are allowed
//	...          as a line of its own among frames: any number of frames
//
// The server's ping and presence frames are skipped unless the pattern is one, and
// so is growing text that is recorded on the way (message_updated with partial):
// they come by the clock.
//
// # What is sent
//
// In lines that are sent, {name} is replaced by the kept value, {x*500} by 500
// times x, {token_alice} by alice's token, and a line "repeat 3 TEXT" sends TEXT three times with {n} counting
// from 1. A line need not be JSON.
//
// # Updating
//
// With -update the server and response sections that do not fit are written
// anew from what was heard. Parts of the old pattern that still fit stay; kept
// values are written as their {name}, and what differs from run to run as *.
package transcript
