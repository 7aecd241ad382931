import { invalid } from "../../errors.ts";
import { isEmail } from "../../lib/text/email.ts";
import { networkPrefixOf } from "../../lib/network/networks.ts";
import type { Context } from "../context.ts";
import { enqueuePasswordReset } from "../email/enqueue.ts";

/** True if users can have a password reset sent to them. */
export const canRequestReset = ({ email, identity }: Context): boolean => email.isOn && identity.acceptsPasswords;

/**
 * Has a password reset sent to an address, if it belongs to an account. The same for every address: whether there is an account
 * is looked up when the message is sent, which does not depend on the request. Beyond the limits of the caller's network
 * and of the address, nothing is sent, without telling the caller.
 * @throws AppError `invalid` if it is not an address, or resets are off
 */
export function requestReset(ctx: Context, { email, address }: { email: string; address: string }): void {
  const { home, identity, clock } = ctx;
  if (!canRequestReset(ctx)) throw invalid("This server does not send password resets");
  if (!isEmail(email)) throw invalid(`${JSON.stringify(email.slice(0, 254))} is not an email address`);
  if (identity.attempts.resetsByAddress.take(networkPrefixOf(address), clock.elapsed()) > 0) return;
  home.transaction(() => enqueuePasswordReset(home, email));
}
