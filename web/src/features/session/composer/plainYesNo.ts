/**
 * Whether a text says nothing but yes or nothing but no. At an open approval or
 * plan review such words are not sent: words deny the one and change the other,
 * so a yes would be taken for its opposite. As client.PlainYesNo in Go.
 */
export function plainYesNo(text: string): "yes" | "no" | null {
  const said = text.toLowerCase().replace(marks, " ").split(/\s+/).filter(Boolean);
  if (said.length === 0 || said.length > 6) return null;
  return only(said, yes) ? "yes" : only(said, no) ? "no" : null;
}

/** "Yes, go ahead!" is plain. A question mark stays, for a question is no answer. */
const marks = /[.!,~…。！，、"'’`]/gu;

/** Whether words are made of such phrases, with nothing left but courtesy. */
function only(said: readonly string[], phrases: readonly (readonly string[])[]): boolean {
  let found = false;
  for (let at = 0; at < said.length; ) {
    if (found && courtesy.has(said[at]!)) {
      at++;
      continue;
    }
    const phrase = phrases.find((p) => p.every((word, i) => said[at + i] === word));
    if (!phrase) return false;
    found = true;
    at += phrase.length;
  }
  return found;
}

const courtesy = new Set(["please", "thanks", "then", "주세요"]);

const phrasesOf = (list: string): string[][] => list.split("|").map((p) => p.trim().split(/\s+/));

// The longer of two that begin alike comes first.
const yes = phrasesOf(`yes do it | yes | y | yeah | yep | yup | ok | okay | k | sure | fine |
  go ahead | go on | go for it | go | do it | proceed | continue | looks good to me | looks good |
  looks great | sounds good | good | great | perfect | approve it | approve | approved | allow it | allow |
  accept | accepted | agreed | correct | right | confirm | confirmed | lgtm | 👍 | ✅ |
  네 | 넵 | 넹 | 예 | 응 | 어 | 좋아요 | 좋아 | 좋습니다 | 그래요 | 그래 | 그렇게 해 | 그렇게 하세요 | 승인 | 승인해 | 승인합니다 |
  허용 | 진행해 | 진행 | 계속해 | 계속 | 해 | 하세요 | ㅇㅇ | ㅇㅋ | 오케이 |
  ja | oui | sí | si | да | はい | 好的 | 好 | 是`);

const no = phrasesOf(`no way | no | n | nope | nah | not now | don t do it | don t | do not | deny it | deny | denied | reject it | reject |
  rejected | refuse | decline | never | 👎 | ❌ |
  아니요 | 아니오 | 아니 | 아뇨 | 안돼요 | 안돼 | 안 돼요 | 안 돼 | 안됩니다 | 싫어요 | 싫어 | 거절 | 거부 | 하지 마 | 하지마 | ㄴㄴ |
  nein | non | нет | いいえ | 不行 | 不`);
