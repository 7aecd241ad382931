import { createHmac } from "node:crypto";
import { callerKey, type DocumentGrant } from "../../authorization.ts";
import type { Context } from "../context.ts";

/**
 * Returns the secret with which cursors of a caller in a document are encrypted; undefined on a node of a cluster that
 * has not yet got the secret of the installation.
 */
export function cursorKey({ home }: Context, { actor, uuid }: DocumentGrant): Uint8Array | undefined {
  const secret = home.secrets.find("cursor");
  return secret
    ? createHmac("sha256", secret)
        .update(`${uuid}\n${callerKey(actor)}`)
        .digest()
    : undefined;
}
