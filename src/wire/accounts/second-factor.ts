import { z } from "../common/schema.ts";
import { nullableUnion, time } from "../common/fields.ts";

/** The second factors of a user. */
export const SecondFactorState = z
  .object({
    isOn: z.boolean().openapi({
      description: "True if signing in with the password also requires a code or a passkey.",
    }),
    isRequired: z.boolean().openapi({ description: "True if the server requires a second factor from the caller." }),
    authenticator: nullableUnion(z.object({ addedAt: time })).openapi({
      description: "The authenticator app; null if there is none.",
    }),
    passkeys: z.int().openapi({ description: "The number of passkeys." }),
    recoveryCodesLeft: z.int().openapi({ description: "The number of recovery codes that have not been used." }),
    confirmedUntil: nullableUnion(time).openapi({
      description: "Until when the factors can be changed without a further confirmation; null if one is needed.",
    }),
  })
  .openapi("SecondFactorState");
export type SecondFactorState = z.infer<typeof SecondFactorState>;

/** The input of a user who confirms who they are. */
export const Confirmation = z
  .object({
    password: z.string().max(1000).optional(),
    code: z
      .string()
      .max(100)
      .optional()
      .openapi({ description: "A code of the authenticator app, or a recovery code.", example: "123456" }),
  })
  .refine(({ password, code }) => (password === undefined) !== (code === undefined), "needs password or code")
  .openapi("Confirmation");

export const NewAuthenticator = z
  .object({
    secret: z.string().openapi({ description: "The secret in base32, for typing.", example: "JBSWY3DPEHPK3PXP" }),
    uri: z.string().openapi({ description: "The content of a QR code.", example: "otpauth://totp/Quern:ann" }),
  })
  .openapi("NewAuthenticator");

export const AuthenticatorCode = z
  .object({ code: z.string().min(1).max(100).openapi({ example: "123456" }) })
  .openapi("AuthenticatorCode");

export const recoveryCodes = z.array(z.string()).openapi({
  description: "Recovery codes. They cannot be retrieved later.",
  example: ["k2fw-9hdr-4mzc-7tqx"],
});

export const RecoveryCodes = z.object({ recoveryCodes }).openapi("RecoveryCodes");

export const FactorChanged = z.object({ success: z.literal(true) }).openapi("FactorChanged");
