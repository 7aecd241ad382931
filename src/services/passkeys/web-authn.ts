/** Loads the library of passkeys on first use. */
export async function loadWebAuthn() {
  // The library of certificates expects this extension of the runtime.
  await import("reflect-metadata");
  return import("@simplewebauthn/server");
}
