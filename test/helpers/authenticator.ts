import { createHash, createSign, generateKeyPairSync, randomBytes, type KeyObject } from "node:crypto";
import type { Assertion, Attestation } from "../../src/wire/accounts/passkeys.ts";

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const sha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest();

/** What a test can make wrong. */
export interface Deviations {
  readonly challenge?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly isUserVerified?: boolean;
  readonly isUserPresent?: boolean;
  readonly userHandle?: string;
  readonly counter?: number;
  /** Signs with another key. */
  readonly signsWrongly?: boolean;
}

export interface PageOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly origin: string;
}

/** An authenticator in software, with one ES256 credential. */
export class SoftwareAuthenticator {
  readonly id = base64url(randomBytes(32));
  /** Increased with every use; null for one without a counter. */
  counter: number | null;
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #userHandle: string;

  constructor({ userHandle, counter = 0 }: { userHandle: string; counter?: number | null }) {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#key = privateKey;
    this.#publicKey = publicKey;
    this.#userHandle = userHandle;
    this.counter = counter;
  }

  /** Answers `navigator.credentials.create`. */
  create(page: PageOptions, wrong: Deviations = {}): Attestation {
    const authenticatorData = Buffer.concat([this.#authenticatorData(page, wrong, true), this.#credentialData()]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      cborText("fmt"),
      cborText("none"),
      cborText("attStmt"),
      Buffer.from([0xa0]),
      cborText("authData"),
      cborBytes(authenticatorData),
    ]);
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: base64url(clientData("webauthn.create", page, wrong)),
        attestationObject: base64url(attestationObject),
        transports: ["internal"],
      },
    };
  }

  /** Answers `navigator.credentials.get`. */
  get(page: PageOptions, wrong: Deviations = {}): Assertion {
    if (this.counter !== null) this.counter++;
    const authenticatorData = this.#authenticatorData(page, wrong, false);
    const client = clientData("webauthn.get", page, wrong);
    const key = wrong.signsWrongly ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : this.#key;
    const signature = createSign("sha256")
      .update(Buffer.concat([authenticatorData, sha256(client)]))
      .sign(key);
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(signature),
        userHandle: base64url(Buffer.from(wrong.userHandle ?? this.#userHandle)),
      },
    };
  }

  #credential() {
    return { id: this.id, rawId: this.id, type: "public-key" as const, clientExtensionResults: {} };
  }

  #authenticatorData({ rpId }: PageOptions, wrong: Deviations, hasCredential: boolean): Buffer {
    const isPresent = wrong.isUserPresent ?? true;
    const isVerified = wrong.isUserVerified ?? true;
    const flags = (isPresent ? 1 : 0) | (isVerified ? 4 : 0) | (hasCredential ? 0x40 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(wrong.counter ?? this.counter ?? 0);
    return Buffer.concat([sha256(wrong.rpId ?? rpId), Buffer.from([flags]), counter]);
  }

  #credentialData(): Buffer {
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const { x = "", y = "" } = this.#publicKey.export({ format: "jwk" });
    const coseKey = Buffer.concat([
      // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      cborBytes(Buffer.from(x, "base64url")),
      Buffer.from([0x22]),
      cborBytes(Buffer.from(y, "base64url")),
    ]);
    return Buffer.concat([Buffer.alloc(16), length, id, coseKey]);
  }
}

const clientData = (type: string, page: PageOptions, wrong: Deviations): Buffer =>
  Buffer.from(
    JSON.stringify({
      type: wrong.type ?? type,
      challenge: wrong.challenge ?? page.challenge,
      origin: wrong.origin ?? page.origin,
      crossOrigin: false,
    }),
  );

const cborText = (text: string): Buffer => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

/** Of up to 65,535 bytes. */
function cborBytes(bytes: Uint8Array): Buffer {
  const head =
    bytes.length < 24
      ? [0x40 + bytes.length]
      : bytes.length < 256
        ? [0x58, bytes.length]
        : [0x59, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from(head), bytes]);
}
