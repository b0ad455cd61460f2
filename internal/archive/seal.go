package archive

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"github.com/clew-run/clew"
)

// A Seal is a session as the archive holds it: everything up to Head. It is
// immutable and stays readable after newer seals have replaced it.
type Seal struct {
	Session clew.SessionID
	Epoch   string
	Head    clew.Head
	Mark    uint64 // position in the engine up to which records are sealed
	Created int64  // Unix ms
	State   []byte // the fold of all records up to Head; must not be changed
	Base    Base   // zero if the session wrote all its records itself

	key   string
	rev   uint16
	table []byte // segmentRefs, fixed size, so that nothing is unpacked
	open  index  // the records after the last full segment
	data  []byte // the frames of open
}

// Size is about what it takes in memory.
func (s *Seal) Size() int { return len(s.State) + len(s.table) + len(s.data) }

// A Base is the end of another session's history that a session begins with.
// The records up to Head are that session's and stay with it.
type Base struct {
	Session clew.SessionID
	Head    clew.Head
}

// A seal is a preamble and five sections. The preamble has the length and the
// SHA-256 of each section and, at its end, its own.
const (
	secMeta   = iota // what is fixed, and the names
	secTable         // the full segments
	secState         // the folded state
	secIndex         // the open segment's index
	secFrames        // the open segment's frames
	sections
)

const (
	sealMagic   = "CLEWSEAL"
	sealVersion = 1 // without a base, so that older programs read it
	baseVersion = 2

	preambleSums = len(sealMagic) + 4 + sections*4
	preambleLen  = preambleSums + sections*sha256.Size + sha256.Size
	metaFixed    = 8 + 8 + 8 + 8 + 32 + 4 + 2 + 2 + 2
	baseFixed    = 8 + 8 + 32

	// Below this a state is kept as it is: compressing gains no disk block.
	plainState = 512
)

// encode writes the seal's object and points the seal's parts into it, so that
// one allocation holds all.
func (s *Seal) encode() []byte {
	buf := scratch.Get().(*[]byte)
	defer scratch.Put(buf)
	state, raw := s.State, 0
	if len(state) > plainState {
		raw = len(state)
		*buf = compress((*buf)[:0], state)
		state = *buf
	}
	size := preambleLen + metaFixed + len(s.Session) + len(s.Epoch) + baseFixed + len(s.Base.Session) + len(s.table) + len(state) +
		indexLen(len(s.open.frames)) + len(s.data)
	b := make([]byte, preambleLen, size)
	var at [sections + 1]int
	for i := range sections {
		at[i] = len(b)
		switch i {
		case secMeta:
			b = s.appendMeta(b, raw)
		case secTable:
			b = append(b, s.table...)
		case secState:
			b = append(b, state...)
		case secIndex:
			b = s.open.append(b)
		case secFrames:
			b = append(b, s.data...)
		}
	}
	at[sections] = len(b)
	version := uint32(sealVersion)
	if s.Base != (Base{}) {
		version = baseVersion
	}
	writePreamble(b, version, at)
	s.table = b[at[secTable]:at[secState]:at[secState]]
	s.data = b[at[secFrames]:]
	return b
}

func writePreamble(b []byte, version uint32, at [sections + 1]int) {
	p := b[:0]
	p = append(p, sealMagic...)
	p = binary.LittleEndian.AppendUint32(p, version)
	for i := range sections {
		p = binary.LittleEndian.AppendUint32(p, uint32(at[i+1]-at[i]))
	}
	for i := range sections {
		sum := sha256.Sum256(b[at[i]:at[i+1]])
		p = append(p, sum[:]...)
	}
	sum := sha256.Sum256(p)
	copy(b[len(p):preambleLen], sum[:])
}

func (s *Seal) appendMeta(b []byte, rawState int) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, uint64(s.Created))
	b = le.AppendUint64(b, s.Mark)
	b = le.AppendUint64(b, s.Head.Seq)
	b = le.AppendUint64(b, uint64(s.Head.TS))
	b = append(b, s.Head.Hash[:]...)
	b = le.AppendUint32(b, uint32(rawState))
	b = le.AppendUint16(b, s.rev)
	b = le.AppendUint16(b, uint16(len(s.Session)))
	b = append(b, s.Session...)
	b = le.AppendUint16(b, uint16(len(s.Epoch)))
	b = append(b, s.Epoch...)
	if s.Base == (Base{}) {
		return b
	}
	b = le.AppendUint64(b, s.Base.Head.Seq)
	b = le.AppendUint64(b, uint64(s.Base.Head.TS))
	b = append(b, s.Base.Head.Hash[:]...)
	return append(b, s.Base.Session...)
}

// parseSeal reads and verifies a seal's object. The seal refers to data.
func parseSeal(id clew.SessionID, key string, data []byte) (*Seal, error) {
	s := &Seal{key: key}
	err := s.parse(data)
	if err == nil && (s.Session != id || sealKey(s.Session, s.Head.Seq, s.rev) != key) {
		err = errors.New("its name does not fit its content")
	}
	if errors.Is(err, ErrTooNew) {
		return nil, fmt.Errorf("archive: %s: %w", key, err)
	}
	if err != nil {
		return nil, &DamagedError{Session: id, Object: key, Reason: err.Error()}
	}
	return s, nil
}

func (s *Seal) parse(data []byte) error {
	sec, version, err := splitSections(data)
	if err != nil {
		return err
	}
	rawState, err := s.parseMeta(sec[secMeta], version)
	if err != nil {
		return err
	}
	s.State = sec[secState]
	if rawState > 0 {
		if s.State, err = decompress(make([]byte, 0, rawState), sec[secState], rawState); err != nil {
			return err
		}
	}
	s.table, s.data = sec[secTable], sec[secFrames]
	if s.open, err = parseIndex(sec[secIndex]); err != nil {
		return err
	}
	return s.check()
}

// splitSections cuts a seal in its sections and verifies each.
func splitSections(data []byte) (sec [sections][]byte, version uint32, err error) {
	if len(data) < preambleLen {
		return sec, 0, errors.New("it is cut short")
	}
	body := preambleLen - sha256.Size
	if sha256.Sum256(data[:body]) != [sha256.Size]byte(data[body:preambleLen]) {
		return sec, 0, errors.New("the preamble does not match its checksum")
	}
	if string(data[:len(sealMagic)]) != sealMagic {
		return sec, 0, errors.New("it is not a seal")
	}
	version = binary.LittleEndian.Uint32(data[len(sealMagic):])
	if version > baseVersion {
		return sec, 0, fmt.Errorf("%w: a seal of version %d", ErrTooNew, version)
	}
	if version != sealVersion && version != baseVersion {
		return sec, 0, errors.New("it is of a version that never was")
	}
	rest := data[preambleLen:]
	for i := range sections {
		n := uint64(binary.LittleEndian.Uint32(data[len(sealMagic)+4+4*i:]))
		if n > uint64(len(rest)) {
			return sec, 0, errors.New("it is cut short")
		}
		sec[i], rest = rest[:n:n], rest[n:]
		sum := data[preambleSums+i*sha256.Size:]
		if sha256.Sum256(sec[i]) != [sha256.Size]byte(sum[:sha256.Size]) {
			return sec, 0, errors.New("a section does not match its checksum")
		}
	}
	if len(rest) != 0 {
		return sec, 0, errors.New("something was added at its end")
	}
	return sec, version, nil
}

var errHeader = errors.New("the header is malformed")

func (s *Seal) parseMeta(b []byte, version uint32) (rawState int, err error) {
	if len(b) < metaFixed {
		return 0, errHeader
	}
	le := binary.LittleEndian
	s.Created = int64(le.Uint64(b))
	s.Mark = le.Uint64(b[8:])
	s.Head.Seq = le.Uint64(b[16:])
	s.Head.TS = int64(le.Uint64(b[24:]))
	copy(s.Head.Hash[:], b[32:])
	raw := le.Uint32(b[64:])
	s.rev = le.Uint16(b[68:])
	b = b[70:]
	n := int(le.Uint16(b))
	if len(b) < 2+n+2 {
		return 0, errHeader
	}
	s.Session = clew.SessionID(b[2 : 2+n])
	b = b[2+n:]
	n = int(le.Uint16(b))
	if len(b) < 2+n || raw > maxRaw {
		return 0, errHeader
	}
	s.Epoch = string(b[2 : 2+n])
	return int(raw), s.parseBase(b[2+n:], version)
}

// parseBase reads what follows the names: nothing, or the base.
func (s *Seal) parseBase(b []byte, version uint32) error {
	if version == sealVersion {
		if len(b) > 0 {
			return errHeader
		}
		return nil
	}
	if len(b) < baseFixed {
		return errHeader
	}
	le := binary.LittleEndian
	s.Base.Head.Seq = le.Uint64(b)
	s.Base.Head.TS = int64(le.Uint64(b[8:]))
	copy(s.Base.Head.Hash[:], b[16:])
	s.Base.Session = clew.SessionID(b[baseFixed:])
	return s.Base.check(s.Session)
}

// check refuses what cannot be the base of the session.
func (b Base) check(id clew.SessionID) error {
	if b != (Base{}) && (!b.Session.Valid() || b.Session == id || b.Head.Seq == 0) {
		return errors.New("its base is no session's end")
	}
	return nil
}

// check makes sure that the parts add up to the head without a gap.
func (s *Seal) check() error {
	if len(s.table)%segmentRefLen != 0 {
		return errors.New("the table has an odd length")
	}
	next := s.Base.Head.Seq + 1
	for i := range s.segments() {
		r := s.segment(i)
		if r.first != next || r.count == 0 || int64(r.size) < int64(r.frames)*frameLen+int64(indexFixed) {
			return errors.New("the table has a gap")
		}
		next += uint64(r.count)
	}
	records, _, size := s.open.totals()
	switch {
	case s.Base.Head.Seq > s.Head.Seq || s.Base.Head.Seq == s.Head.Seq && s.Base.Head != s.Head:
		return errors.New("the base is after the head")
	case s.segments() == 0 && s.open.before != s.Base.Head.Hash:
		return errors.New("the first record does not follow the base")
	case s.open.first != next || next+records != s.Head.Seq+1:
		return errors.New("the segments do not reach the head")
	case s.open.end() != s.Head.Hash:
		return errors.New("the last record is not the head")
	case size != uint64(len(s.data)):
		return errors.New("the frames do not match their index")
	}
	return nil
}

func (s *Seal) segments() int { return len(s.table) / segmentRefLen }

func (s *Seal) segment(i int) segmentRef { return parseSegmentRef(s.table[i*segmentRefLen:]) }

// segmentWith gives the number of the full segment that holds seq; the open
// one is after the last.
func (s *Seal) segmentWith(seq uint64) int {
	return sort.Search(s.segments(), func(i int) bool {
		r := s.segment(i)
		return seq < r.first+uint64(r.count)
	})
}
