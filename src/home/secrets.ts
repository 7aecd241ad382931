import { randomBytes } from "node:crypto";
import type { HomeDatabase } from "./database.ts";

/**
 * What a secret is for: `hop` signs requests between the nodes of a cluster, `cursor` encrypts positions in lists of
 * records, `device` signs cookies of browsers that have signed in, `flow` encrypts cookies of sign-ins in progress,
 * `token` signs tokens of end users.
 */
export type SecretName = "hop" | (typeof INSTALLATION_SECRETS)[number];

/** The secrets that every installation has, created by the first owner of its home database. */
export const INSTALLATION_SECRETS = ["cursor", "device", "flow", "token"] as const;

/** Secrets of the installation. */
export interface Secrets {
  /** Returns a secret; null until the first owner of the home database has created it. */
  find(name: SecretName): Buffer | null;
  /** Creates a secret unless it exists. */
  create(name: SecretName): void;
}

const SECRET_BYTES = 32;

export function createSecrets({ raw }: HomeDatabase): Secrets {
  return {
    find(name) {
      const row = raw.get<{ value: Uint8Array }>("select value from installation_secrets where name = ?", name);
      return row && Buffer.from(row.value);
    },
    create(name) {
      if (raw.get("select 1 from installation_secrets where name = ?", name)) return;
      raw.run(
        "insert or ignore into installation_secrets (name, value) values (?, ?)",
        name,
        randomBytes(SECRET_BYTES),
      );
    },
  };
}
