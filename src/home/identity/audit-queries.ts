/** Reads of the audit log by administrators. */
import type { Database } from "../../sqlite/database.ts";
import type { AuditRow } from "./audit-chain.ts";

/** All conditions must hold. */
export interface AuditFilter {
  /** An event, or the part of its name before a dot. */
  readonly event?: string;
  /** Id or name. */
  readonly actor?: string;
  /** Id or name of the user that entries are about. */
  readonly user?: string;
  /** UUID. */
  readonly document?: string;
  readonly site?: number;
  /** Milliseconds since the epoch. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
}

export interface NumberBounds {
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly sinceMs?: number | undefined;
}

/** Numbers of entries, both excluded. */
export interface NumberRange {
  readonly after: number;
  readonly before: number;
}

export interface ScanOptions {
  readonly order: "newest" | "oldest";
  /** The number of entries to compare with the filter. */
  readonly limit: number;
}

export interface ScannedEntries {
  readonly rows: AuditRow[];
  /** The entries that were not compared; null if there are none. */
  readonly rest: NumberRange | null;
}

export const AUDIT_COLUMNS = `number, time, event, actor_id as actorId, actor, key_id as keyId, address, address_salt as addressSalt,
  address_digest as addressDigest, target, details, count, hash`;

/** Returns the range to scan. The time leaves out what the clock says is older, which is found by an index. */
export function rangeOf(
  raw: Database,
  { after = 0, before = Number.MAX_SAFE_INTEGER, sinceMs }: NumberBounds,
): NumberRange {
  if (sinceMs === undefined) return { after, before };
  const first = raw.get<{ number: number | null }>(
    "select min(number) as number from audit_entries where time >= ?",
    sinceMs,
  )?.number;
  return { after: Math.max(after, first === null || first === undefined ? before : first - 1), before };
}

/** Compares a number of entries with a filter. */
export function scanEntries(
  raw: Database,
  { after, before }: NumberRange,
  filter: AuditFilter,
  { order, limit }: ScanOptions,
): ScannedEntries {
  const direction = order === "newest" ? "desc" : "asc";
  // The last entry of this part, if entries follow it.
  const last = raw.get<{ number: number }>(
    `select number from audit_entries where number > ? and number < ? order by number ${direction} limit 1 offset ?`,
    after,
    before,
    limit - 1,
  )?.number;
  const part =
    last === undefined
      ? { after, before }
      : order === "newest"
        ? { after: last - 1, before }
        : { after, before: last + 1 };
  const rows = raw.all<AuditRow>(
    `select ${AUDIT_COLUMNS} from audit_entries where number > ?1 and number < ?2 and ${CONDITIONS}
     order by number ${direction}`,
    part.after,
    part.before,
    filter.event ?? null,
    filter.actor?.toLowerCase() ?? null,
    filter.user?.toLowerCase() ?? null,
    filter.document?.toLowerCase() ?? null,
    filter.site ?? null,
    filter.sinceMs ?? null,
    filter.untilMs ?? null,
  );
  if (last === undefined) return { rows, rest: null };
  return { rows, rest: order === "newest" ? { after, before: last } : { after: last, before } };
}

const CONDITIONS = `(?3 is null or event = ?3 or substr(event, 1, length(?3) + 1) = ?3 || '.')
  and (?4 is null or actor = ?4 or cast(actor_id as text) = ?4)
  and (?5 is null or ?5 in (target ->> '$.user.name', cast(target ->> '$.user.id' as text)))
  and (?6 is null or ?6 in (target ->> '$.document.id', target ->> '$.source.id'))
  and (?7 is null or target ->> '$.site.id' = ?7)
  and (?8 is null or time >= ?8)
  and (?9 is null or time < ?9)`;
