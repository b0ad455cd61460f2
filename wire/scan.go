package wire

// depthOK reports whether brackets are nested at most limit deep. It looks at
// each byte once and keeps no stack, so a hostile frame costs no more than its
// length. It does not check the grammar.
func depthOK(b []byte, limit int) bool {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
		case '{', '[':
			if depth++; depth > limit {
				return false
			}
		case '}', ']':
			depth--
		}
	}
	return true
}

// stringEnd gives the index of the quote that ends the string starting at i,
// or len(b).
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(b)
}

// A member is one name and value of a JSON object, as spelled.
type member struct {
	name  []byte // without quotes, escapes not resolved
	value []byte
}

// members appends the members of the object b to list. It checks the grammar
// of this level only: what a value holds is for the decoder to judge. ok is
// false if b is not an object.
func members(b []byte, list []member) (out []member, ok bool) {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return nil, false
	}
	i = skipSpace(b, i+1)
	for more := false; i < len(b) && (b[i] != '}' || more); {
		var m member
		if m, i, ok = nextMember(b, i); !ok {
			return nil, false
		}
		list = append(list, m)
		if more = i < len(b) && b[i] == ','; more {
			i = skipSpace(b, i+1)
		} else if i < len(b) && b[i] != '}' {
			return nil, false
		}
	}
	return list, i < len(b) && skipSpace(b, i+1) == len(b)
}

// nextMember reads the member at i and gives the index of what follows it.
func nextMember(b []byte, i int) (m member, next int, ok bool) {
	if b[i] != '"' {
		return m, i, false
	}
	end := stringEnd(b, i)
	colon := skipSpace(b, end+1)
	if colon >= len(b) || b[colon] != ':' {
		return m, i, false
	}
	start := skipSpace(b, colon+1)
	stop := valueEnd(b, start)
	if start == stop {
		return m, i, false
	}
	return member{name: b[i+1 : end], value: b[start:stop]}, skipSpace(b, stop), true
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// valueEnd gives the index after the value that starts at i.
func valueEnd(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return len(b)
}
