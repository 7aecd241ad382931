import type { AuditRow } from "../../home/identity/audit-chain.ts";
import { isoTime } from "../../lib/time/clock.ts";
import type { AuditEntry } from "../../wire/audit/audit.ts";

/** Returns the form of an entry in answers and in the output of commands: from it, its hash can be computed again. */
export const toAuditEntry = (row: AuditRow): AuditEntry => ({
  number: row.number,
  time: isoTime(row.time),
  event: row.event,
  actorId: row.actorId,
  actor: row.actor,
  keyId: row.keyId,
  address: row.address,
  addressDigest: row.addressDigest,
  target: JSON.parse(row.target) as AuditEntry["target"],
  details: JSON.parse(row.details) as AuditEntry["details"],
  count: row.count,
  hash: row.hash,
});
