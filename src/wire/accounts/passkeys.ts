import { z } from "../common/schema.ts";
import { nullableUnion, time } from "../common/fields.ts";
import { recoveryCodes } from "./second-factor.ts";

/** Bytes in base64url. */
const bytes = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[\w-]*$/, "must be base64url");

const credentialId = bytes(1400).min(1);
const transports = z.array(z.string().max(30)).max(10);

const credential = {
  id: credentialId.openapi({ example: "dGhlLWNyZWRlbnRpYWwtaWQ" }),
  rawId: credentialId.openapi({ example: "dGhlLWNyZWRlbnRpYWwtaWQ" }),
  type: z.literal("public-key"),
};

/** The answer of an authenticator that has created a passkey: `PublicKeyCredential.toJSON()`. */
export const Attestation = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes(10_000),
      attestationObject: bytes(20_000),
      transports: transports.default([]),
    }),
  })
  .transform((value) => ({ ...value, clientExtensionResults: {} }))
  .openapi("Attestation");
export type Attestation = z.infer<typeof Attestation>;

/** The answer of an authenticator that has used a passkey: `PublicKeyCredential.toJSON()`. */
export const Assertion = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes(10_000),
      authenticatorData: bytes(10_000),
      signature: bytes(2000),
      userHandle: bytes(200)
        .nullish()
        .transform((text) => text ?? ""),
    }),
  })
  .transform((value) => ({ ...value, clientExtensionResults: {} }));
export type Assertion = z.infer<typeof Assertion>;

const listedCredential = z.object({ id: z.string(), type: z.literal("public-key"), transports: transports.optional() });

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const CreationOptions = z
  .looseObject({
    rp: z.object({ id: z.string().optional(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    challenge: z.string(),
    pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.int() })),
    excludeCredentials: z.array(listedCredential).optional(),
  })
  .openapi("PasskeyCreationOptions");
export type CreationOptions = z.infer<typeof CreationOptions>;

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export interface AssertionOptions {
  readonly challenge: string;
  readonly rpId?: string;
}

export const ListedPasskey = z.object({
  id: z.string().openapi({ description: "The credential id, base64url.", example: "dGhlLWNyZWRlbnRpYWwtaWQ" }),
  name: z.string().openapi({ example: "Laptop" }),
  createdAt: time,
  lastUsedAt: nullableUnion(time),
});
export type ListedPasskey = z.infer<typeof ListedPasskey>;

export const ListedPasskeys = z
  .object({
    passkeys: z.array(ListedPasskey),
    unavailable: z.enum(["address", "insecure", "host"]).nullable().openapi({
      description:
        "Why passkeys cannot be used at this address of the server: it is an IP address, does not use https, or is not named by the settings. Null if they can.",
    }),
  })
  .openapi("ListedPasskeys");

const name = z.string().trim().min(1).max(100).openapi({ description: "A name for the list.", example: "Laptop" });

export const NewPasskey = z.object({ name, credential: Attestation }).openapi("NewPasskey");

export const PasskeyAdded = z.object({ id: z.string(), recoveryCodes }).openapi("PasskeyAdded");

export const PasskeyName = z.object({ name }).openapi("PasskeyName");

export const PasskeyParams = z.object({
  passkeyId: z.string().openapi({ description: "The `id` of the passkey in the list.", example: "dGhlLWNyZWRl" }),
});
