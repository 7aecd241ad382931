export type CheckpointMode = "passive" | "full" | "truncate";

export type Durability = "full" | "normal" | "off";

export interface OpenOptions {
  /** Refuses writes. The file must exist. */
  readonly?: boolean;
  /** With `readonly`, for a file that no process has open: reads it without locks and without files beside it. */
  immutable?: boolean;
  /** Creates the file if it does not exist. */
  create?: boolean;
  /** `wal` for files that the server uses; `keep` leaves the file's journal mode. */
  journal?: "wal" | "keep";
  /**
   * `full`: an acknowledged commit survives a power failure. `normal`: it survives a crash of the process. `off`: the
   * same, and a power failure may damage the file.
   */
  durability?: Durability;
  /** With `journal: "wal"`: only `checkpoint` moves the log into the file, also when the file is closed. */
  keepsLog?: boolean;
  /** Timeout for locks of other processes. */
  busyTimeoutMs?: number;
  foreignKeys?: boolean;
  /** Measures its transactions under this name. */
  measuredAs?: "home" | "document";
  /** Reports slow statements. Their text holds no bound values. */
  slowQueries?: SlowQueryReport;
}

export interface SlowQueryReport {
  /** Statements that take at least this long are reported; 0 reports none. */
  readonly ms: number;
  readonly report: (query: SlowQuery) => void;
}

export interface SlowQuery {
  readonly sql: string;
  readonly ms: number;
}
