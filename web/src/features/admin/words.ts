import { words } from "@/i18n";

export const adminWords = words({
  en: {
    peopleHelp: "Who can use this server, and what they may do.", people: "People", openToAll: "Sign-in is off: whoever reaches this server is an admin.", keys: (n: number) => (n === 1 ? "1 key" : `${n} keys`),
    sessions: "Everyone's sessions", watchOnly: "You can view them. Only their owners can answer or steer.", filter: "Which", everyone: "All", running: "Running", waiting: "Waiting for an answer", search: "Search titles and IDs", more: "Show more", nothing: "No matches", none: "No sessions yet",
    storageHelp: "What the server keeps, and for how long.", health: "Health", server: "Server", ready: "Ready", notReady: "Not ready", version: "Version",
    space: "Space you use", spaces: { workspaces: "Folders made by the server", blobs: "Images, long outputs and reports", checkpoints: "Checkpoints" }, usedOf: (used: string, limit: string) => `${used} of ${limit}`, used: (used: string) => `${used}, no limit`,
    limits: "Limits", retention: "Retention",
    backup: "Backup", backupHelp: "Run this on the server's computer. It copies what is new and checks that it can be restored.", lastBackup: "Last backup:", noBackup: "No backup since the server started", backupRunning: "A backup is running", backupFailed: "The last backup failed", failed: "Failed", copyCommand: "Copy the command",
  },
  ko: {
    peopleHelp: "이 서버를 쓸 수 있는 사람과 할 수 있는 일입니다.", people: "사람", openToAll: "로그인이 꺼져 있어 이 서버에 접속하는 사람은 모두 관리자입니다.", keys: (n: number) => `키 ${n}개`,
    sessions: "모든 사람의 세션", watchOnly: "볼 수만 있습니다. 답변과 지시는 소유자만 할 수 있습니다.", filter: "범위", everyone: "전체", running: "실행 중", waiting: "답변 대기", search: "제목이나 ID 검색", more: "더 보기", nothing: "일치하는 항목이 없습니다", none: "아직 세션이 없습니다",
    storageHelp: "서버가 무엇을 얼마나 오래 보관하는지 정합니다.", health: "상태", server: "서버", ready: "준비됨", notReady: "준비 안 됨", version: "버전",
    space: "내가 쓰는 공간", spaces: { workspaces: "서버가 만든 폴더", blobs: "이미지, 긴 출력, 보고서", checkpoints: "체크포인트" }, usedOf: (used: string, limit: string) => `${limit} 중 ${used}`, used: (used: string) => `${used}, 제한 없음`,
    limits: "한도", retention: "보관 기간",
    backup: "백업", backupHelp: "서버 컴퓨터에서 실행하세요. 새로운 것을 복사하고 복원할 수 있는지 확인합니다.", lastBackup: "마지막 백업:", noBackup: "서버가 시작된 뒤로 백업이 없습니다", backupRunning: "백업하는 중입니다", backupFailed: "마지막 백업이 실패했습니다", failed: "실패", copyCommand: "명령 복사",
  },
});
