/** Passkeys in the browser. Options and answers have the JSON form of the Web Authentication API. */

/** Whether this browser can use passkeys with options as JSON. */
export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential !== "undefined" && typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function";

/** Asks the user to use a passkey. @throws DOMException when they cancel */
export async function usePasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return toJson(await navigator.credentials.get({ publicKey }));
}

/** Asks the user to create a passkey. @throws DOMException when they cancel */
export async function createPasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return toJson(await navigator.credentials.create({ publicKey }));
}

/** Whether the user cancelled, or let the browser's dialog expire: browsers do not tell these from a refusal. */
export const isCancelled = (error: unknown): boolean =>
  error instanceof DOMException && (error.name === "NotAllowedError" || error.name === "AbortError");

function toJson(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new TypeError("no credential");
  return credential.toJSON();
}
