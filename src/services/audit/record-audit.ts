import { type AnonymousActor, ANONYMOUS, type EndUserActor, type UserActor } from "../../authorization.ts";
import type { AuditDetails, AuditSubject, AuditTarget, NewAuditEntry } from "../../home/identity/audit-log.ts";
import type { Context } from "../context.ts";
import type { AuditEventName } from "./audit-events.ts";

/** The caller; `server` for what no user caused, `command` for commands on the machine. */
export type AuditActor =
  | AnonymousActor
  | Pick<EndUserActor, "kind" | "email" | "keyId" | "address">
  | Pick<UserActor, "kind" | "userId" | "email" | "via" | "keyId" | "address">
  | "server"
  | "command";

export interface AuditEvent extends AuditSubject {
  readonly event: AuditEventName;
  readonly actor: AuditActor;
  /** Ids and names of what the ids of `AuditSubject` do not name, such as keys. */
  readonly target?: AuditTarget;
  /** Never values of cells, keys, tokens, passwords, or text that an unknown caller has sent. */
  readonly details?: AuditDetails;
  /** The client's address, where the actor has none. */
  readonly address?: string;
  readonly count?: number;
}

type AuditContext = Pick<Context, "home" | "clock">;

/**
 * Appends an entry to the audit log, in the transaction of the change that it is about: neither exists without the other.
 * For operations that write the home database.
 */
export function recordAudit(ctx: AuditContext, event: AuditEvent): void {
  ctx.home.audit.append([entryOf(ctx, event)]);
}

/**
 * Appends an entry about something that does not change the home database, within a second. Works on every node of a
 * cluster.
 */
export function recordAuditSoon(ctx: AuditContext & Pick<Context, "audit">, event: AuditEvent): void {
  ctx.audit.add(entryOf(ctx, event));
}

/** Like `recordAuditSoon`, for failures: repeated ones are counted instead of recorded. */
export function recordFailure(ctx: AuditContext & Pick<Context, "audit">, event: AuditEvent): void {
  ctx.audit.addFailure(entryOf(ctx, event));
}

/** Returns the entry of an event. */
export function entryOf({ home, clock }: AuditContext, event: AuditEvent): NewAuditEntry {
  const { target, details = {}, count = 1 } = event;
  return {
    time: clock.now(),
    event: event.event,
    ...actorFields(event.actor),
    ...(event.address !== undefined && { address: event.address || null }),
    target: { ...home.audit.describe(event), ...target },
    details,
    count,
  };
}

type ActorFields = Pick<NewAuditEntry, "actorId" | "actor" | "keyId" | "address">;

/** Users are named by their email addresses, which are unique. */
function actorFields(actor: AuditActor): ActorFields {
  if (typeof actor === "string") return { actorId: null, actor, keyId: null, address: null };
  const address = actor.address || null;
  if (actor.kind === "anonymous") return { actorId: ANONYMOUS.id, actor: "anonymous", keyId: null, address };
  if (actor.kind === "endUser") return { actorId: null, actor: actor.email, keyId: actor.keyId, address };
  if (actor.via === "command") return { actorId: null, actor: "command", keyId: null, address: null };
  return { actorId: actor.userId, actor: actor.email, keyId: actor.keyId ?? null, address };
}

/** Returns a user who has just authenticated, as the actor of an entry. */
export function auditActorOf({ home }: Pick<Context, "home">, userId: number, address: string): AuditActor {
  const email = home.users.byId(userId)?.email ?? "";
  return { kind: "user", userId, email, via: "session", address };
}
