import type { UserGrant } from "../../authorization.ts";
import { forbidden } from "../../errors.ts";
import { normaliseEmail } from "../../lib/text/email.ts";

export interface ProvisioningRight {
  /** The address of a user who may provision without being an administrator; null for none. */
  readonly email: string | null;
}

/** Returns true for administrators of the installation, and for the user that the settings name. */
export const mayProvision = ({ actor }: UserGrant, { email }: ProvisioningRight): boolean =>
  actor.isAdmin || (email !== null && actor.email === normaliseEmail(email));

/** @throws AppError `forbidden` */
export function guardProvisioning(grant: UserGrant, right: ProvisioningRight): void {
  if (!mayProvision(grant, right))
    throw forbidden("Only administrators of the installation can provision users", "access.admin_required");
}
