import type { UserGrant } from "../../authorization.ts";
import type { AuditFilter } from "../../home/identity/audit-queries.ts";
import { yieldToEventLoop } from "../../lib/time/timers.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import type { AuditEntry, AuditPage, AuditQuery } from "../../wire/audit/audit.ts";
import { guardAdmin } from "../access/guards.ts";
import type { Context } from "../context.ts";
import { toAuditEntry } from "./audit-entry.ts";

export type AuditListOptions = Omit<AuditQuery, "limit">;

/** Entries that are read before other requests run: a few milliseconds. */
const SCANNED_ENTRIES = 5000;

const DEFAULT_LIMIT = 100;

/**
 * Returns entries of the audit log, the newest first. For administrators.
 * @throws AppError `forbidden`
 */
export async function listAudit(
  ctx: Context,
  grant: UserGrant,
  { limit = DEFAULT_LIMIT, ...query }: AuditQuery,
): Promise<AuditPage> {
  guardAdmin(grant, "read the audit log");
  const entries: AuditEntry[] = [];
  for await (const entry of scan(ctx, query, "newest")) {
    if (entries.length === limit) return { entries, next: entries.at(-1)?.number ?? null };
    entries.push(entry);
  }
  return { entries, next: null };
}

/**
 * Returns the entries that follow one: the newest first, and at most `limit` of those closest to it. For administrators.
 * @throws AppError `forbidden`
 */
export async function listAuditAfter(
  ctx: Context,
  grant: UserGrant,
  { limit = DEFAULT_LIMIT, ...query }: AuditQuery & { readonly after: number },
): Promise<AuditEntry[]> {
  guardAdmin(grant, "read the audit log");
  const entries: AuditEntry[] = [];
  for await (const entry of scan(ctx, query, "oldest")) if (entries.push(entry) >= limit) break;
  return entries.toReversed();
}

/**
 * Returns all entries that match, as lines of JSON, the oldest first. For administrators.
 * @throws AppError `forbidden`
 */
export function streamAudit(ctx: Context, grant: UserGrant, query: AuditListOptions): ReadableStream<Uint8Array> {
  guardAdmin(grant, "read the audit log");
  const entries = scan(ctx, query, "oldest");
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await entries.next();
      if (done) controller.close();
      else controller.enqueue(Buffer.from(`${JSON.stringify(value)}\n`));
    },
    async cancel() {
      await entries.return(undefined);
    },
  });
}

/** Reads entries in parts, between which other requests run and entries may be appended and deleted. */
async function* scan(
  { home }: Context,
  { since, until, after, before, ...rest }: AuditListOptions,
  order: "newest" | "oldest",
): AsyncGenerator<AuditEntry, undefined, undefined> {
  const filter: AuditFilter = omitUndefined({
    ...rest,
    sinceMs: since === undefined ? undefined : Date.parse(since),
    untilMs: until === undefined ? undefined : Date.parse(until),
  });
  let range = home.audit.rangeOf({ after, before, sinceMs: filter.sinceMs });
  while (true) {
    const { rows, rest: next } = home.audit.scan(range, filter, { order, limit: SCANNED_ENTRIES });
    for (const row of rows) yield toAuditEntry(row);
    if (!next) return undefined;
    range = next;
    await yieldToEventLoop();
  }
}
