/** Operations that queue email. Each is called in the transaction of what causes the message. */
import type { Home } from "../../home/home.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import { isSendable } from "../../lib/text/mailbox.ts";
import { normaliseEmail } from "../../lib/text/email.ts";

/** What the messages of each kind say; names are as stored, and made safe when the message is rendered. */
export interface EmailContents {
  invitation: {
    readonly userId: number;
    /** Null for a command. */
    readonly inviterId: number | null;
    readonly resource: { readonly kind: "document" | "workspace" | "site"; readonly name: string } | null;
    /** The name that the form of the invitation suggests. */
    readonly name?: string | undefined;
  };
  passwordReset: Record<string, never>;
  webhookFailing: { readonly uuid: string; readonly webhook: string; readonly since: number };
  backupFailed: { readonly at: number };
}

export type EmailKind = keyof EmailContents;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long the server tries to send a message. */
const LIFETIME_MS: Readonly<Record<EmailKind, number>> = {
  invitation: 2 * DAY_MS,
  passwordReset: HOUR_MS,
  webhookFailing: DAY_MS,
  backupFailed: DAY_MS,
};

/** Bounds what requests of callers who are not signed in can write. */
const MAX_WAITING_RESETS = 1000;
const MAX_RESETS_PER_HOUR = 3;

/** Queues a message. The sender finds it within seconds. */
export function enqueueEmail<K extends EmailKind>(
  { emails, clock }: Home,
  { kind, recipient, content }: { kind: K; recipient: string; content: EmailContents[K] },
): void {
  if (!isSendable(recipient)) return;
  const expiresAt = clock.now() + LIFETIME_MS[kind];
  emails.add({ kind, recipient, content: JSON.stringify(content), messageId: randomHex(16), expiresAt });
}

/**
 * Queues a password reset for an address, whether or not it belongs to an account: only the sender looks. Ignored when too
 * many were requested for the address.
 */
export function enqueuePasswordReset(home: Home, address: string): void {
  const recipient = normaliseEmail(address);
  const limit = { key: `reset ${sha256Hex(recipient)}`, max: MAX_RESETS_PER_HOUR, windowMs: HOUR_MS };
  if (home.emails.countOf("passwordReset") >= MAX_WAITING_RESETS || !home.emails.take(limit)) return;
  enqueueEmail(home, { kind: "passwordReset", recipient, content: {} });
}

/** A webhook whose deliveries have failed for a day. */
export interface FailingWebhook {
  readonly uuid: string;
  readonly webhook: string;
  /** The first failure since the last success, in milliseconds since the epoch. */
  readonly since: number;
}

/** Notifies the owners of the document, at most once a day for each webhook. */
export function enqueueWebhookFailing(home: Home, failing: FailingWebhook): void {
  const key = `webhook ${failing.uuid} ${failing.webhook}`;
  if (!home.emails.take({ key, max: 1, windowMs: DAY_MS })) return;
  for (const recipient of ownersOf(home, failing.uuid))
    enqueueEmail(home, { kind: "webhookFailing", recipient, content: { ...failing } });
}

/** Notifies the administrators, at most once a day. */
export function enqueueBackupFailed(home: Home): void {
  const administrators = home.users.list().filter(({ isAdmin, disabledAt }) => isAdmin && disabledAt === null);
  if (administrators.length === 0 || !home.emails.take({ key: "backup", max: 1, windowMs: DAY_MS })) return;
  const content = { at: home.clock.now() };
  for (const { displayEmail } of administrators) {
    enqueueEmail(home, { kind: "backupFailed", recipient: displayEmail, content });
  }
}

/** At most so many owners of a document are notified. */
const MAX_OWNERS = 20;

/** Returns the addresses of the users who own a document, directly or by inheritance. */
function ownersOf(home: Home, uuid: string): string[] {
  return home.users
    .list()
    .filter(({ kind, disabledAt, name }) => kind === "person" && disabledAt === null && name !== "")
    .filter(({ id }) => nameOfOwned(home, uuid, id) !== null)
    .slice(0, MAX_OWNERS)
    .map(({ displayEmail }) => displayEmail);
}

/** Returns the name of a document that the user owns; null otherwise, and for a document in the trash. */
export function nameOfOwned(home: Home, uuid: string, userId: number): string | null {
  const found = home.reach.document(uuid, { userId, domain: null });
  if (!found || found.isRemoved || found.role !== "owners") return null;
  return home.documents.byId(found.documentId)?.name ?? null;
}
