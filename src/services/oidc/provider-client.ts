/** The protocol with one provider: discovery, the URL to redirect to, and the exchange of a code for verified claims. */
import type * as Library from "openid-client";
import type { Clock } from "../../lib/time/clock.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { claimsOf, type Claims } from "./claims.ts";
import { ProviderError, providerErrorOf } from "./provider-error.ts";
import type { ProviderSettings } from "./provider-settings.ts";

/** What the callback must match; random for every sign-in. */
export interface FlowSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The code verifier of PKCE. */
  readonly verifier: string;
}

/** All requests of one step together. */
const TIMEOUT_MS = 10_000;
/** Clocks of servers differ. */
const CLOCK_TOLERANCE_S = 60;
const METADATA_LIFETIME_MS = 60 * 60_000;
/** A provider that is down is not asked again for this time, so that sign-ins fail at once. */
const FAILURE_LIFETIME_MS = 10_000;

type Result = { readonly metadata: Library.ServerMetadata } | { readonly error: ProviderError };

/** How the provider answered since the server started. Times are milliseconds since the epoch. */
export interface ProviderStatus {
  readonly lastSuccessAt: number | null;
  readonly lastFailure: { readonly at: number; readonly error: string } | null;
}

export class ProviderClient {
  readonly settings: ProviderSettings;
  readonly #clock: Clock;
  #cached: { result: Result; until: number } | null = null;
  #pending: Promise<Result> | null = null;
  #status: ProviderStatus = { lastSuccessAt: null, lastFailure: null };

  constructor(settings: ProviderSettings, clock: Clock) {
    this.settings = settings;
    this.#clock = clock;
  }

  get status(): ProviderStatus {
    return this.#status;
  }

  /** Reads the provider's discovery document again, whether or not it is cached. Returns the new status. */
  async test(): Promise<ProviderStatus> {
    this.#cached = null;
    await this.#metadata().catch((error: unknown) => {
      if (!(error instanceof ProviderError)) throw error;
    });
    return this.#status;
  }

  /**
   * Returns the URL of the provider's sign-in page.
   * @throws ProviderError
   */
  async authorizationUrl(redirectUri: string, { state, nonce, verifier }: FlowSecrets): Promise<string> {
    const library = await loadLibrary();
    const config = await this.#configuration(AbortSignal.timeout(TIMEOUT_MS));
    const url = library.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: this.settings.scopes.join(" "),
      state,
      nonce,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    return url.href;
  }

  /**
   * Exchanges the code of a callback, and returns the claims of the user.
   * @param callback the URL of the callback: the registered one with the parameters of the request
   * @throws ProviderError
   */
  async exchange(callback: URL, { state, nonce, verifier }: FlowSecrets): Promise<Claims> {
    const library = await loadLibrary();
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const config = await this.#configuration(signal);
    try {
      const tokens = await library.authorizationCodeGrant(config, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const idToken = tokens.claims();
      if (!idToken) throw new ProviderError("invalid", "no_id_token");
      this.#requireIssuedInPast(idToken.iat);
      const needsUserInfo = this.#needsUserInfo(idToken) && config.serverMetadata().userinfo_endpoint !== undefined;
      const userInfo = needsUserInfo ? await library.fetchUserInfo(config, tokens.access_token, idToken.sub) : null;
      this.#note(null);
      return claimsOf(idToken, userInfo, this.settings);
    } catch (error) {
      const failure = providerErrorOf(error);
      this.#note(failure);
      throw failure;
    }
  }

  /** Returns where the user can end the session at the provider; null if it has no such page, or is down. */
  async endSessionUrl(): Promise<string | null> {
    try {
      const library = await loadLibrary();
      const config = await this.#configuration(AbortSignal.timeout(TIMEOUT_MS));
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      return library.buildEndSessionUrl(config).href;
    } catch (error) {
      if (error instanceof ProviderError) return null;
      throw error;
    }
  }

  /** Returns the configuration of one step. Nothing but metadata is cached, so rotated keys need no waiting. */
  async #configuration(signal: AbortSignal): Promise<Library.Configuration> {
    const library = await loadLibrary();
    const { clientId, clientSecret } = this.settings;
    const metadata = await this.#metadata();
    const config = new library.Configuration(
      metadata,
      clientId,
      { [library.clockTolerance]: CLOCK_TOLERANCE_S },
      clientAuthentication(library, metadata, clientSecret),
    );
    config[library.customFetch] = (url, options) => boundedFetch(url, options, signal);
    config.timeout = TIMEOUT_MS / 1000;
    // The default trusts an ID token that came over TLS: signatures are checked as well.
    library.enableNonRepudiationChecks(config);
    // oxlint-disable-next-line typescript/no-deprecated -- a warning by name; settings allow it on this machine only
    if (this.#isInsecure) library.allowInsecureRequests(config);
    return config;
  }

  async #metadata(): Promise<Library.ServerMetadata> {
    if (this.#cached && this.#cached.until <= this.#clock.elapsed()) this.#cached = null;
    const result = this.#cached?.result ?? (await (this.#pending ??= this.#discover()));
    if ("error" in result) throw result.error;
    return result.metadata;
  }

  async #discover(): Promise<Result> {
    const library = await loadLibrary();
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    let result: Result;
    try {
      const config = await library.discovery(
        new URL(this.settings.issuer),
        this.settings.clientId,
        undefined,
        undefined,
        {
          [library.customFetch]: (url, options) => boundedFetch(url, options, signal),
          timeout: TIMEOUT_MS / 1000,
          // oxlint-disable-next-line typescript/no-deprecated -- as above
          ...(this.#isInsecure && { execute: [library.allowInsecureRequests] }),
        },
      );
      result = { metadata: requireUsable(config.serverMetadata(), this.settings.issuer) };
    } catch (error) {
      result = { error: providerErrorOf(error, "discovery") };
    }
    this.#note("error" in result ? result.error : null);
    const lifetimeMs = "error" in result ? FAILURE_LIFETIME_MS : METADATA_LIFETIME_MS;
    this.#cached = { result, until: this.#clock.elapsed() + lifetimeMs };
    this.#pending = null;
    return result;
  }

  #note(error: ProviderError | null): void {
    const at = this.#clock.now();
    this.#status = error
      ? { ...this.#status, lastFailure: { at, error: error.message.slice(0, 300) } }
      : { ...this.#status, lastSuccessAt: at };
  }

  /** Settings allow http on this machine only. */
  get #isInsecure(): boolean {
    return this.settings.issuer.startsWith("http:");
  }

  #needsUserInfo(idToken: Library.IDToken): boolean {
    const { groupsClaim } = this.settings;
    if (groupsClaim !== null && idToken[groupsClaim] === undefined) return true;
    return idToken["email"] === undefined || idToken["email_verified"] === undefined || idToken["name"] === undefined;
  }

  /** The library does not check the time of issue. */
  #requireIssuedInPast(issuedAtS: number): void {
    const nowS = Date.now() / 1000;
    if (issuedAtS > nowS + CLOCK_TOLERANCE_S) throw new ProviderError("clock", "issued_in_future");
  }
}

/** Loaded at the first sign-in through a provider. */
const loadLibrary = (): Promise<typeof Library> => import("openid-client");

/** In the body rather than a header where the provider accepts it: many decode ids in headers wrongly. */
function clientAuthentication(
  library: typeof Library,
  { token_endpoint_auth_methods_supported: methods }: Library.ServerMetadata,
  secret: string | null,
): Library.ClientAuth {
  if (secret === null) return library.None();
  return methods?.includes("client_secret_post") ? library.ClientSecretPost(secret) : library.ClientSecretBasic(secret);
}

/**
 * Refuses metadata that no sign-in could use, and URLs that the browser, or this server with its secret, must not open.
 * @throws ProviderError
 */
function requireUsable(metadata: Library.ServerMetadata, issuer: string): Library.ServerMetadata {
  // As text, since identities are stored by it.
  if (metadata.issuer.replace(/\/$/, "") !== issuer.replace(/\/$/, "")) {
    throw new ProviderError("unavailable", "issuer_differs", `${issuer} calls itself ${metadata.issuer}`);
  }
  const schemes = issuer.startsWith("http:") ? ["https:", "http:"] : ["https:"];
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint, end_session_endpoint } = metadata;
  for (const [name, endpoint] of Object.entries({ authorization_endpoint, token_endpoint, jwks_uri })) {
    if (endpoint === undefined) throw new ProviderError("unavailable", "endpoint_missing", name);
  }
  for (const url of [authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint, end_session_endpoint]) {
    if (url === undefined || schemes.includes(URL.parse(url)?.protocol ?? "")) continue;
    throw new ProviderError("unavailable", "endpoint_scheme", url);
  }
  return metadata;
}
