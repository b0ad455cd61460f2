package client

import (
	"slices"
	"strings"
)

// PlainYesNo reports that a text says nothing but yes or nothing but no, and
// which of the two. At an open approval or plan review such words must not be
// sent as a message: words deny the one and change the other, so a yes would be
// taken for its opposite. A face says how to answer instead.
func PlainYesNo(text string) (yes, plain bool) {
	words := strings.Fields(strings.Map(withoutMarks, strings.ToLower(text)))
	if len(words) == 0 || len(words) > 6 {
		return false, false
	}
	switch {
	case only(words, yesPhrases):
		return true, true
	case only(words, noPhrases):
		return false, true
	}
	return false, false
}

// withoutMarks turns punctuation into spaces: "Yes, go ahead!" is plain. A
// question mark stays, for a question is no answer.
func withoutMarks(r rune) rune {
	switch r {
	case '.', '!', ',', '~', '…', '。', '！', '，', '、', '"', '\'', '’', '`':
		return ' '
	}
	return r
}

// only reports that words are made of such phrases, with nothing left but
// courtesy.
func only(words []string, phrases [][]string) bool {
	found := false
	for len(words) > 0 {
		if found && slices.Contains(courtesy, words[0]) {
			words = words[1:]
			continue
		}
		at := slices.IndexFunc(phrases, func(p []string) bool { return len(words) >= len(p) && slices.Equal(words[:len(p)], p) })
		if at < 0 {
			return false
		}
		found, words = true, words[len(phrases[at]):]
	}
	return found
}

var courtesy = []string{"please", "thanks", "then", "주세요"}

// The longer of two that begin alike comes first.
var yesPhrases = phrases(`yes do it | yes | y | yeah | yep | yup | ok | okay | k | sure | fine |
	go ahead | go on | go for it | go | do it | proceed | continue | looks good to me | looks good |
	looks great | sounds good | good | great | perfect | approve it | approve | approved | allow it | allow |
	accept | accepted | agreed | correct | right | confirm | confirmed | lgtm | 👍 | ✅ |
	네 | 넵 | 넹 | 예 | 응 | 어 | 좋아요 | 좋아 | 좋습니다 | 그래요 | 그래 | 그렇게 해 | 그렇게 하세요 | 승인 | 승인해 | 승인합니다 |
	허용 | 진행해 | 진행 | 계속해 | 계속 | 해 | 하세요 | ㅇㅇ | ㅇㅋ | 오케이 |
	ja | oui | sí | si | да | はい | 好的 | 好 | 是`)

var noPhrases = phrases(`no way | no | n | nope | nah | not now | don t do it | don t | do not | deny it | deny | denied | reject it | reject |
	rejected | refuse | decline | never | 👎 | ❌ |
	아니요 | 아니오 | 아니 | 아뇨 | 안돼요 | 안돼 | 안 돼요 | 안 돼 | 안됩니다 | 싫어요 | 싫어 | 거절 | 거부 | 하지 마 | 하지마 | ㄴㄴ |
	nein | non | нет | いいえ | 不行 | 不`)

func phrases(list string) [][]string {
	var out [][]string
	for p := range strings.SplitSeq(list, "|") {
		out = append(out, strings.Fields(p))
	}
	return out
}
