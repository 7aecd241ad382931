import { randomHex } from "../../lib/ids.ts";
import type { HomeDatabase } from "../database.ts";
import {
  AUDIT_COLUMNS,
  type AuditFilter,
  type NumberBounds,
  type NumberRange,
  rangeOf,
  type ScannedEntries,
  type ScanOptions,
  scanEntries,
} from "./audit-queries.ts";
import { type AuditRow, CHAIN_START, type ChainLink, digestOfAddress, hashOfEntry } from "./audit-chain.ts";

/** An entry before it is in the chain. Plain values, which can be sent to another server as JSON. */
export interface NewAuditEntry {
  readonly time: number;
  readonly event: string;
  readonly actorId: number | null;
  readonly actor: string | null;
  readonly keyId: number | null;
  readonly address: string | null;
  /** Ids and names. */
  readonly target: AuditTarget;
  readonly details: AuditDetails;
  /** Number of coalesced events. */
  readonly count: number;
}

/** Ids and names by kind, such as `document`. */
export type AuditTarget = Readonly<Record<string, { readonly id: number | string; readonly name: string }>>;

export type AuditValue = string | number | boolean | null;
export type AuditDetails = Readonly<Record<string, AuditValue | readonly AuditValue[]>>;

/** Ids of what an entry is about. */
export interface AuditSubject {
  readonly userId?: number;
  readonly orgId?: number;
  readonly workspaceId?: number;
  /** The integer id. */
  readonly documentId?: number;
}

export interface AuditStore {
  /** As `rangeOf`. */
  rangeOf(bounds: NumberBounds): NumberRange;
  /** As `scanEntries`. */
  scan(range: NumberRange, filter: AuditFilter, options: ScanOptions): ScannedEntries;
  /** Appends entries to the chain. */
  append(entries: readonly NewAuditEntry[]): void;
  /** Appends an entry whose number is at least `minNumber`. */
  appendFrom(minNumber: number, entry: NewAuditEntry): void;
  /** Returns the last entry, or what the next one continues. */
  last(): ChainLink;
  /**
   * Returns the id of the user who caused an event about something, at most a second after a time; null for a command, and
   * if the entry is deleted.
   */
  userBehind(
    event: string,
    target: { readonly kind: string; readonly id: number | string },
    time: number,
  ): number | null;
  /** Returns the names of what an entry is about, with the workspace and site of a document. Skips what does not exist. */
  describe(subject: AuditSubject): AuditTarget;
  /**
   * Deletes at most `limit` of the oldest entries, up to the first one that is not older than a time, and writes a
   * checkpoint. Returns the number of deleted entries.
   */
  prune(beforeTime: number, limit: number): number;
  /** Drops the addresses of at most `limit` entries that are older than a time. Returns the number of entries. */
  dropAddresses(beforeTime: number, limit: number): number;
}

/** For readers of the file: all entries after a number, oldest first. */
export const ENTRIES_AFTER = `select ${AUDIT_COLUMNS} from audit_entries where number > ? order by number limit ?`;
export const LAST_CHECKPOINT = "select number, hash from audit_checkpoints order by number desc limit 1";

const USER_BEHIND = `select actor_id as actorId from audit_entries
  where time between ? and ? and event = ? and json_extract(target, ?) = ? order by number limit 1`;

const SALT_BYTES = 16;

export function createAuditStore({
  raw,
  clock,
  transaction,
}: Pick<HomeDatabase, "raw" | "clock" | "transaction">): AuditStore {
  const last = (): ChainLink =>
    raw.get<ChainLink>("select number, hash from audit_entries order by number desc limit 1") ??
    raw.get<ChainLink>(LAST_CHECKPOINT) ??
    CHAIN_START;
  const appendTo = (previous: ChainLink, number: number, entry: NewAuditEntry): ChainLink => {
    const addressSalt = entry.address === null ? null : randomHex(SALT_BYTES);
    const fields = {
      ...entry,
      number,
      addressDigest:
        entry.address === null || addressSalt === null ? null : digestOfAddress(addressSalt, entry.address),
      target: JSON.stringify(entry.target),
      details: JSON.stringify(entry.details),
    };
    const row: AuditRow = { ...fields, addressSalt, hash: hashOfEntry(previous.hash, fields) };
    raw.run(
      `insert into audit_entries (number, time, event, actor_id, actor, key_id, address, address_salt, address_digest,
         target, details, count, hash) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      row.number,
      row.time,
      row.event,
      row.actorId,
      row.actor,
      row.keyId,
      row.address,
      row.addressSalt,
      row.addressDigest,
      row.target,
      row.details,
      row.count,
      row.hash,
    );
    return row;
  };
  return {
    append(entries) {
      transaction(() => {
        let previous = last();
        for (const entry of entries) previous = appendTo(previous, previous.number + 1, entry);
      });
    },
    appendFrom(minNumber, entry) {
      transaction(() => {
        const previous = last();
        appendTo(previous, Math.max(previous.number + 1, minNumber), entry);
      });
    },
    last,
    rangeOf: (bounds) => rangeOf(raw, bounds),
    scan: (range, filter, options) => scanEntries(raw, range, filter, options),
    userBehind: (event, { kind, id }, time) =>
      raw.get<{ actorId: number | null }>(USER_BEHIND, time, time + 1000, event, `$.${kind}.id`, id)?.actorId ?? null,
    describe: (subject) => describeSubject(raw, subject),
    prune(beforeTime, limit) {
      return transaction(() => {
        const kept = raw.get<{ number: number }>(
          "select number from audit_entries where time >= ? order by number limit 1",
          beforeTime,
        );
        const end = raw.all<ChainLink>(
          "select number, hash from audit_entries where number < ? order by number limit ?",
          kept?.number ?? Number.MAX_SAFE_INTEGER,
          limit,
        );
        const checkpoint = end.at(-1);
        if (!checkpoint) return 0;
        raw.run(
          "insert into audit_checkpoints (number, time, hash) values (?, ?, ?)",
          checkpoint.number,
          clock.now(),
          checkpoint.hash,
        );
        raw.run("delete from audit_entries where number <= ?", checkpoint.number);
        return end.length;
      });
    },
    dropAddresses(beforeTime, limit) {
      return transaction(() => {
        const found = raw.all<{ number: number }>(
          "select number from audit_entries where time < ? and address is not null limit ?",
          beforeTime,
          limit,
        );
        for (const { number } of found) {
          raw.run("update audit_entries set address = null, address_salt = null where number = ?", number);
        }
        return found.length;
      });
    },
  };
}

const DOCUMENT = `select d.uuid, d.name, w.id as workspaceId, w.name as workspace, o.id as orgId, o.name as org
  from documents d join workspaces w on w.id = d.workspace_id join orgs o on o.id = w.org_id where d.id = ?`;
const WORKSPACE = `select w.name as workspace, o.id as orgId, o.name as org
  from workspaces w join orgs o on o.id = w.org_id where w.id = ?`;

function describeSubject(raw: HomeDatabase["raw"], subject: AuditSubject): AuditTarget {
  const { userId, orgId, workspaceId, documentId } = subject;
  const target: Record<string, AuditTarget[string]> = {};
  if (userId !== undefined) {
    const user = raw.get<{ email: string }>("select email from users where id = ?", userId);
    if (user) target["user"] = { id: userId, name: user.email };
  }
  if (documentId !== undefined) {
    const found = raw.get<{ uuid: string; name: string } & Places>(DOCUMENT, documentId);
    if (found) {
      target["document"] = { id: found.uuid, name: found.name };
      Object.assign(target, placesOf(found));
    }
  }
  if (workspaceId !== undefined) {
    const found = raw.get<Omit<Places, "workspaceId">>(WORKSPACE, workspaceId);
    if (found) Object.assign(target, placesOf({ workspaceId, ...found }));
  }
  if (orgId !== undefined) {
    const org = raw.get<{ name: string }>("select name from orgs where id = ?", orgId);
    if (org) target["site"] = { id: orgId, name: org.name };
  }
  return target;
}

interface Places {
  readonly workspaceId: number;
  readonly workspace: string;
  readonly orgId: number;
  readonly org: string;
}

const placesOf = ({ workspaceId, workspace, orgId, org }: Places): AuditTarget => ({
  workspace: { id: workspaceId, name: workspace },
  site: { id: orgId, name: org },
});
