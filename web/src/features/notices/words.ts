import { words } from "@/i18n";

export const noticeWords = words({
  en: { notices: "Notices", dismiss: "Dismiss" },
  ko: { notices: "알림", dismiss: "닫기" },
});
