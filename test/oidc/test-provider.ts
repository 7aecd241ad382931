/** A provider of single sign-on whose every answer a test can change: what a broken or hostile one sends. */
import { createHash, createHmac, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

export type Claims = Record<string, unknown>;

/** What the provider does differently. */
export interface Behaviour {
  /** Changes the claims of the ID token. */
  claims?: (claims: Claims) => Claims;
  /** Signs the ID token in another way. */
  signature?: "none" | "hs256-public-key" | "hs256-client-secret" | "other-key" | "unknown-key";
  /** Changes the parameters of the redirect to the callback. */
  redirect?: (params: URLSearchParams) => void;
  /** Changes the discovery document. */
  discovery?: (document: Claims) => Claims;
  /** Changes the response of the user info endpoint. */
  userInfo?: (claims: Claims) => Claims;
  /** Answers requests to these paths instead. */
  answers?: Record<string, () => Response | Promise<Response>>;
}

interface Grant {
  readonly redirectUri: string;
  readonly nonce: string;
  readonly challenge: string;
  readonly clientId: string;
}

export interface ProviderAccount {
  sub: string;
  email?: string;
  email_verified?: unknown;
  name?: string;
  [claim: string]: unknown;
}

export const CLIENT_ID = "quern";
export const CLIENT_SECRET = "provider secret";

export class TestProvider implements Disposable {
  readonly issuer: string;
  readonly requests: string[] = [];
  account: ProviderAccount = {
    sub: "1",
    email: "ada@example.com",
    email_verified: true,
    name: "Ada from the provider",
  };
  behaviour: Behaviour = {};
  /** False: a public client, without a secret. */
  isConfidential = true;
  #server: ReturnType<typeof Bun.serve>;
  #key = newKey();
  readonly #grants = new Map<string, Grant>();
  readonly #used = new Map<string, Grant>();

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 60,
      fetch: (request) => this.#answer(request),
    });
    this.issuer = `http://127.0.0.1:${this.#server.port}`;
  }

  /** Has other keys from now on. */
  rotateKeys(): void {
    this.#key = newKey();
  }

  /** The settings of this provider. */
  variables(name: string, others: Record<string, string> = {}): Record<string, string> {
    const own: Record<string, string> = {
      ISSUER: this.issuer,
      CLIENT_ID,
      ALLOWED_DOMAINS: "example.com",
      ...(this.isConfidential && { CLIENT_SECRET }),
      ...others,
    };
    return Object.fromEntries(Object.entries(own).map(([key, value]) => [`QUERN_OIDC_${name}_${key}`, value]));
  }

  /** Signs the user in: returns the URL that the provider redirects to. */
  authorize(url: string): URL {
    const asked = new URL(url).searchParams;
    const code = randomBytes(16).toString("hex");
    this.#grants.set(code, {
      redirectUri: asked.get("redirect_uri") ?? "",
      nonce: asked.get("nonce") ?? "",
      challenge: asked.get("code_challenge") ?? "",
      clientId: asked.get("client_id") ?? "",
    });
    const target = new URL(asked.get("redirect_uri") ?? "");
    target.searchParams.set("code", code);
    target.searchParams.set("state", asked.get("state") ?? "");
    target.searchParams.set("iss", this.issuer);
    this.behaviour.redirect?.(target.searchParams);
    return target;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.requests.push(pathname);
    const answer = this.behaviour.answers?.[pathname];
    if (answer) return answer();
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json(this.#discovery());
      case "/jwks":
        return Response.json({
          keys: [{ ...this.#key.publicKey.export({ format: "jwk" }), kid: this.#key.id, use: "sig" }],
        });
      case "/token":
        return this.#token(new URLSearchParams(await request.text()));
      case "/userinfo": {
        return Response.json(this.behaviour.userInfo?.(this.account) ?? this.account);
      }
      default:
        return new Response("not found", { status: 404 });
    }
  }

  #discovery(): Claims {
    const document = {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      end_session_endpoint: `${this.issuer}/end`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      token_endpoint_auth_methods_supported: ["client_secret_post", "none"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    };
    return this.behaviour.discovery?.(document) ?? document;
  }

  #token(form: URLSearchParams): Response {
    const refused = (error: string) => Response.json({ error }, { status: 400 });
    const code = form.get("code") ?? "";
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    if (!grant || this.#used.has(code)) return refused("invalid_grant");
    this.#used.set(code, grant);
    if (this.isConfidential && form.get("client_secret") !== CLIENT_SECRET) return refused("invalid_client");
    if (form.get("redirect_uri") !== grant.redirectUri || form.get("client_id") !== grant.clientId)
      return refused("invalid_grant");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (challenge !== grant.challenge) return refused("invalid_grant");
    const idToken = this.#idToken(grant);
    return Response.json({ access_token: "access", token_type: "bearer", expires_in: 60, id_token: idToken });
  }

  #idToken({ nonce, clientId }: Grant): string {
    const now = Math.floor(Date.now() / 1000);
    const regular = { iss: this.issuer, aud: clientId, iat: now, exp: now + 300, nonce, ...this.account };
    const claims = this.behaviour.claims?.(regular) ?? regular;
    const how = this.behaviour.signature;
    if (how === "none") return `${encode({ alg: "none" })}.${encode(claims)}.`;
    if (how === "hs256-public-key" || how === "hs256-client-secret") {
      const secret =
        how === "hs256-client-secret" ? CLIENT_SECRET : this.#key.publicKey.export({ format: "pem", type: "spki" });
      const text = `${encode({ alg: "HS256", kid: this.#key.id })}.${encode(claims)}`;
      return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
    }
    const key = how === undefined ? this.#key : newKey();
    const kid = how === "other-key" ? this.#key.id : key.id;
    const text = `${encode({ alg: "RS256", kid })}.${encode(claims)}`;
    return `${text}.${sign("sha256", Buffer.from(text), key.privateKey).toString("base64url")}`;
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}

interface Key {
  readonly id: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const newKey = (): Key => ({
  id: randomBytes(4).toString("hex"),
  ...generateKeyPairSync("rsa", { modulusLength: 2048 }),
});

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
