/** Attacks on the response of the token endpoint. */
import { CLIENT_ID } from "./test-provider.ts";
import { CLOCK, INVALID, UNAVAILABLE, answering, behaving, claiming, nowS, without, type Attack } from "./attack.ts";

export const TOKEN_ATTACKS: readonly Attack[] = [
  { name: "a wrong nonce", step: "token", run: claiming((claims) => ({ ...claims, nonce: "x" })), ...INVALID },
  { name: "no nonce", step: "token", run: claiming(without("nonce")), ...INVALID },
  { name: "a wrong audience", step: "token", run: claiming((claims) => ({ ...claims, aud: "other" })), ...INVALID },
  { name: "no audience", step: "token", run: claiming(without("aud")), ...INVALID },
  {
    name: "an audience for several, authorized for another",
    step: "token",
    run: claiming((claims) => ({ ...claims, aud: [CLIENT_ID, "other"], azp: "other" })),
    ...INVALID,
  },
  {
    name: "a wrong issuer",
    step: "token",
    run: claiming((claims) => ({ ...claims, iss: "https://evil.example" })),
    ...INVALID,
  },
  {
    name: "the issuer of the other provider",
    step: "token",
    run: async (t, browser) => claiming((claims) => ({ ...claims, iss: t.other.issuer }))(t, browser),
    ...INVALID,
  },
  { name: "no subject", step: "token", run: claiming(without("sub")), ...INVALID },
  { name: "a subject that is no text", step: "token", run: claiming((claims) => ({ ...claims, sub: 1 })), ...INVALID },
  { name: "an expired token", step: "token", run: claiming((claims) => ({ ...claims, exp: nowS() - 90 })), ...CLOCK },
  { name: "a token without an end", step: "token", run: claiming(without("exp")), ...INVALID },
  {
    name: "a token that is not yet valid",
    step: "token",
    run: claiming((claims) => ({ ...claims, nbf: nowS() + 90 })),
    ...CLOCK,
  },
  {
    name: "a token of the future",
    step: "token",
    run: claiming((claims) => ({ ...claims, iat: nowS() + 90, exp: nowS() + 300 })),
    ...CLOCK,
  },
  { name: "alg none", step: "token", run: behaving({ signature: "none" }), ...INVALID },
  {
    name: "alg none that the provider announces",
    step: "token",
    run: behaving({
      signature: "none",
      discovery: (document) => ({ ...document, id_token_signing_alg_values_supported: ["none", "RS256"] }),
    }),
    ...INVALID,
  },
  { name: "HS256 with the public key", step: "token", run: behaving({ signature: "hs256-public-key" }), ...INVALID },
  {
    name: "HS256 with the public key that the provider announces",
    step: "token",
    run: behaving({
      signature: "hs256-public-key",
      discovery: (document) => ({ ...document, id_token_signing_alg_values_supported: ["HS256", "RS256"] }),
    }),
    ...INVALID,
  },
  {
    name: "HS256 with the client secret",
    step: "token",
    run: behaving({
      signature: "hs256-client-secret",
      discovery: (document) => ({ ...document, id_token_signing_alg_values_supported: ["HS256", "RS256"] }),
    }),
    ...INVALID,
  },
  { name: "the signature of another key", step: "token", run: behaving({ signature: "other-key" }), ...INVALID },
  { name: "an unknown key", step: "token", run: behaving({ signature: "unknown-key" }), ...INVALID },
  {
    name: "no ID token",
    step: "token",
    run: answering("/token", () => Response.json({ access_token: "a", token_type: "bearer" })),
    ...INVALID,
  },
  {
    name: "an ID token that is no token",
    step: "token",
    run: answering("/token", () => Response.json({ access_token: "a", token_type: "bearer", id_token: "x" })),
    ...INVALID,
  },
  {
    name: "a page instead of tokens",
    step: "token",
    run: answering("/token", () => new Response("<html>", { headers: { "Content-Type": "text/html" } })),
    ...INVALID,
  },
  {
    name: "a redirect instead of tokens",
    step: "token",
    run: answering("/token", () => Response.redirect("http://127.0.0.1:1/")),
    ...INVALID,
  },
  {
    name: "a failure instead of tokens",
    step: "token",
    run: answering("/token", () => new Response("", { status: 500 })),
    ...INVALID,
  },
  {
    name: "an endless token",
    step: "token",
    run: answering("/token", () => {
      const chunk = new Uint8Array(64 * 1024).fill(0x20);
      const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
      return new Response(body, { headers: { "Content-Type": "application/json" } });
    }),
    ...UNAVAILABLE,
  },
  { name: "no keys", step: "token", run: answering("/jwks", () => Response.json({ keys: [] })), ...INVALID },
];
