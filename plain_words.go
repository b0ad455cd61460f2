package clew

import "strings"

// What people type who mean nothing but yes or nothing but no, in the languages of
// those who use clew most. Of two phrases that begin alike the longer one comes
// first. Clients have these lists from here: such words must not go out as a
// message while a question is open, because words deny an act and change a plan.
var (
	PlainYes = phrases(`yes do it | yes | y | yeah | yep | yup | ok | okay | k | sure | fine |
	go ahead | go on | go for it | go | do it | proceed | continue | looks good to me | looks good |
	looks great | sounds good | good | great | perfect | approve it | approve | approved | allow it | allow |
	accept | accepted | agreed | correct | right | confirm | confirmed | lgtm | 👍 | ✅ |
	네 | 넵 | 넹 | 예 | 응 | 어 | 좋아요 | 좋아 | 좋습니다 | 그래요 | 그래 | 그렇게 해 | 그렇게 하세요 | 승인 | 승인해 | 승인합니다 |
	허용 | 진행해 | 진행 | 계속해 | 계속 | 해 | 하세요 | ㅇㅇ | ㅇㅋ | 오케이 |
	ja | oui | sí | si | да | はい | 好的 | 好 | 是`)

	PlainNo = phrases(`no way | no | n | nope | nah | not now | don t do it | don t | do not | deny it | deny | denied | reject it | reject |
	rejected | refuse | decline | never | 👎 | ❌ |
	아니요 | 아니오 | 아니 | 아뇨 | 안돼요 | 안돼 | 안 돼요 | 안 돼 | 안됩니다 | 싫어요 | 싫어 | 거절 | 거부 | 하지 마 | 하지마 | ㄴㄴ |
	nein | non | нет | いいえ | 不行 | 不`)

	// PlainCourtesy may stand beside them.
	PlainCourtesy = phrases(`please | thanks | then | 주세요`)
)

// phrases reads a list: each phrase is its words with one space between them.
func phrases(list string) []string {
	var out []string
	for p := range strings.SplitSeq(list, "|") {
		out = append(out, strings.Join(strings.Fields(p), " "))
	}
	return out
}
