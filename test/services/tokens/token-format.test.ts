import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { EndUserClaims } from "../../../src/authorization.ts";
import { isToken, readToken, writeToken } from "../../../src/services/tokens/token-format.ts";

const SECRET = Buffer.alloc(32, 7);
const CLAIMS: EndUserClaims = {
  keyId: 5,
  keyDigest: "0123456789abcdef",
  documentUuid: "11111111-2222-4333-8444-555555555555",
  email: "ann@app.example",
  role: "viewers",
  scopes: null,
  origins: ["https://app.example"],
  expiresAt: 1_900_000_000_000,
};
const TOKEN = writeToken(SECRET, CLAIMS);
const [CONTENT = "", SIGNATURE = ""] = TOKEN.split(".");

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const hmac = (algorithm: string, text: string, secret: Uint8Array | string = SECRET) =>
  createHmac(algorithm, secret).update(text).digest("base64url");
const payload = JSON.parse(Buffer.from(CONTENT.slice(3), "base64url").toString()) as Record<string, unknown>;
const jwt = (header: object, sign: (text: string) => string) => {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${sign(text)}`;
};

test("a token has the claims that were signed", () => {
  expect(isToken(TOKEN)).toBeTrue();
  expect(readToken(SECRET, TOKEN)).toEqual(CLAIMS);
  const minimal = { ...CLAIMS, origins: null };
  expect(readToken(SECRET, writeToken(SECRET, minimal))).toEqual(minimal);
});

describe("refuses", () => {
  const changed = `qt_${encode({ ...payload, r: "editors" })}`;
  test.each<[what: string, token: string]>([
    ["no text", ""],
    ["only the prefix", "qt_"],
    ["no signature", CONTENT],
    ["an empty signature", `${CONTENT}.`],
    ["a signature of other content", `${changed}.${SIGNATURE}`],
    ["another secret", `${CONTENT}.${hmac("sha256", CONTENT, Buffer.alloc(32, 8))}`],
    ["an empty secret", `${CONTENT}.${hmac("sha256", CONTENT, "")}`],
    ["a signature of the content without its prefix", `${CONTENT}.${hmac("sha256", CONTENT.slice(3))}`],
    ["another hash", `${CONTENT}.${hmac("sha512", CONTENT)}`],
    ["a hash without a secret", `${CONTENT}.${new Bun.CryptoHasher("sha256").update(CONTENT).digest("base64url")}`],
    ["a shorter signature", `${CONTENT}.${SIGNATURE.slice(0, -1)}`],
    ["a longer signature", `${CONTENT}.${SIGNATURE}A`],
    ["an ambiguous last character", `${CONTENT}.${SIGNATURE.slice(0, -1)}${nextCharacter(SIGNATURE.at(-1) ?? "")}`],
    ["padding", `${TOKEN}=`],
    ["a further part", `${TOKEN}.${SIGNATURE}`],
    ["a JSON Web Token without an algorithm", jwt({ alg: "none" }, () => "")],
    ["one with the prefix", `qt_${jwt({ alg: "none" }, () => "")}`],
    ["a JSON Web Token of the secret", jwt({ alg: "HS256" }, (text) => hmac("sha256", text))],
    ["one with the prefix and the secret", `qt_${jwt({ alg: "HS256" }, (text) => hmac("sha256", `qt_${text}`))}`],
    ["another version", signed({ ...payload, v: 2 })],
    ["content that is too long", signed({ ...payload, e: "e".repeat(9000) })],
  ])("%s", (_, token) => {
    expect(readToken(SECRET, token)).toBeNull();
  });
});

function signed(content: object): string {
  const text = `qt_${encode(content)}`;
  return `${text}.${hmac("sha256", text)}`;
}

/** Returns a character whose highest bits are the same: the last character of 32 bytes has two unused bits. */
function nextCharacter(character: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(character) ^ 1] ?? "";
}
