import type { Home } from "../../home/home.ts";
import type { QueuedEmail } from "../../home/identity/emails.ts";
import type { User } from "../../home/users.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import { safeName } from "../../lib/text/mailbox.ts";
import { invitationPath, isPending, issueInvitationToken } from "../invitations/tokens.ts";
import { type EmailContents, type EmailKind, nameOfOwned } from "./enqueue.ts";
import { renderMessage, type RenderedMessage } from "./render-message.ts";
import { failedBackupText, failingWebhookText, invitationText, resetText } from "./texts.ts";

/** A message that is ready to be sent. */
export interface PreparedMessage extends RenderedMessage {
  readonly recipient: string;
  /** The token of its link, which is valid as soon as the message is prepared; null for none. */
  readonly tokenHash: string | null;
}

export interface PrepareOptions {
  readonly home: Home;
  /** The only source of links: a header of a request could lead them elsewhere. */
  readonly publicUrl: string;
}

/** Lifetime of a link that users request themselves. */
const RESET_LIFETIME_MS = 60 * 60 * 1000;

/**
 * Prepares a queued message, for use in a transaction: looks up whom it concerns now, and creates the token of its link, so
 * that the queue holds no tokens. Returns null if there is nothing to send any more.
 */
export function prepareMessage(options: PrepareOptions, email: QueuedEmail): PreparedMessage | null {
  const kind = email.kind as EmailKind;
  const content: unknown = JSON.parse(email.content);
  switch (kind) {
    case "invitation":
      return prepareInvitation(options, content as EmailContents["invitation"]);
    case "passwordReset":
      return prepareReset(options, email.recipient);
    case "webhookFailing":
      return prepareFailingWebhook(options, email.recipient, content as EmailContents["webhookFailing"]);
    case "backupFailed":
      return prepareFailedBackup(options, email.recipient, content as EmailContents["backupFailed"]);
    default:
      // Queued by another version.
      return (kind satisfies never, null);
  }
}

function prepareInvitation(options: PrepareOptions, content: EmailContents["invitation"]): PreparedMessage | null {
  const { home, publicUrl } = options;
  const { userId, inviterId, resource, name } = content;
  const user = home.users.byId(userId);
  const inviter = inviterId === null ? null : home.users.byId(inviterId);
  // A disabled user does not invite.
  if (!user || !isPending(user) || user.disabledAt !== null || (inviterId !== null && !isActive(inviter))) return null;
  const issued = issueInvitationToken(home, userId, "invitation");
  if (!issued) return null;
  const text = invitationText({
    inviter: inviter ? nameOf(inviter) : "",
    inviterAddress: inviter?.displayEmail ?? "",
    resource: resource && { kind: resource.kind, name: safeName(resource.name) },
    address: user.displayEmail,
    host: hostOf(publicUrl),
    url: publicUrl + invitationPath(issued.token, name),
    expires: formatTime(issued.expiresAt),
  });
  return { ...renderMessage(text), recipient: user.displayEmail, tokenHash: sha256Hex(issued.token) };
}

function prepareReset({ home, publicUrl }: PrepareOptions, address: string): PreparedMessage | null {
  const user = home.users.byEmail(address);
  if (!user || user.kind !== "person" || user.disabledAt !== null) return null;
  if (isPending(user)) {
    const invitation = home.invitations.find(user.id);
    const content = { userId: user.id, inviterId: invitation?.invitedBy ?? null, resource: null };
    return prepareInvitation({ home, publicUrl }, content);
  }
  const token = randomHex(32);
  const tokenHash = sha256Hex(token);
  const expiresAt = home.clock.now() + RESET_LIFETIME_MS;
  home.tokens.add({ hash: tokenHash, purpose: "password-reset", userId: user.id, expiresAt });
  const url = `${publicUrl}/reset-password?token=${token}`;
  const text = resetText({ address: user.displayEmail, host: hostOf(publicUrl), url });
  return { ...renderMessage(text), recipient: user.displayEmail, tokenHash };
}

function prepareFailingWebhook(
  { home, publicUrl }: PrepareOptions,
  recipient: string,
  { uuid, webhook, since }: EmailContents["webhookFailing"],
): PreparedMessage | null {
  const user = home.users.byEmail(recipient);
  const name = user && isActive(user) ? nameOfOwned(home, uuid, user.id) : null;
  if (name === null) return null;
  const text = failingWebhookText({
    document: safeName(name),
    webhook,
    since: formatTime(since),
    host: hostOf(publicUrl),
    url: `${publicUrl}/docs/${uuid}/webhooks`,
  });
  return { ...renderMessage(text), recipient, tokenHash: null };
}

function prepareFailedBackup(
  { home, publicUrl }: PrepareOptions,
  recipient: string,
  { at }: EmailContents["backupFailed"],
): PreparedMessage | null {
  const user = home.users.byEmail(recipient);
  if (!user?.isAdmin || !isActive(user)) return null;
  const text = failedBackupText({ at: formatTime(at), host: hostOf(publicUrl), url: `${publicUrl}/admin/backups` });
  return { ...renderMessage(text), recipient, tokenHash: null };
}

const isActive = (user: User | null): user is User => user !== null && user.disabledAt === null;

const nameOf = (user: User): string => safeName(user.name) || user.displayEmail;

export const hostOf = (publicUrl: string): string => new URL(publicUrl).host;

/** 2026-03-04 05:06 UTC. */
const formatTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
