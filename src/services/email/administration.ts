import type { UserGrant } from "../../authorization.ts";
import { guardAdmin } from "../access/guards.ts";
import type { Context } from "../context.ts";
import type { EmailStatus } from "./email.ts";

/** Returns whether email is sent, and the state of the queue. For administrators. @throws AppError `forbidden` */
export function describeEmail(ctx: Context, grant: UserGrant): EmailStatus {
  guardAdmin(grant, "manage email");
  return ctx.email.status();
}

/** The result of a test message. */
export interface TestMessageResult {
  /** The caller's own address: a test reaches no one else. */
  readonly recipient: string;
  readonly isSent: boolean;
  /** What the SMTP server or the connection to it answered. */
  readonly error: string | null;
}

/**
 * Sends a message to the caller, to check the settings. For administrators.
 * @throws AppError `forbidden`; `invalid` when email is off
 */
export async function sendTestMessage(ctx: Context, grant: UserGrant): Promise<TestMessageResult> {
  guardAdmin(grant, "manage email");
  const recipient = ctx.home.users.byId(grant.actor.userId)?.displayEmail ?? grant.actor.email;
  const error = await ctx.email.sendTest(recipient);
  return { recipient, isSent: error === null, error };
}
