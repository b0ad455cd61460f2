// What is on the disk of the server.

export interface DiskQuota {
  bytes: number;
  /** 0 is no limit. */
  quota_bytes: number;
}

/** What the caller has on the server's disk. */
export interface DiskUsage {
  workspaces: DiskQuota;
  blobs: DiskQuota;
  checkpoints: DiskQuota;
}

/** How the last backup goes or went since the server started. */
export interface BackupState {
  to?: string;
  running: boolean;
  started_ms?: number;
  ended_ms?: number;
  /** For people. */
  problem?: string;
  number?: number;
  sessions?: number;
  bytes?: number;
}
