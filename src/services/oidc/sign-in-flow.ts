/** The steps of signing in through a provider, and of connecting an account at a provider to a signed-in user. */
import { timingSafeEqual } from "node:crypto";
import { AppError, forbidden } from "../../errors.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import { recordFailedSignIn, startSession, type Browser, type NewSession } from "../accounts/sign-in.ts";
import { auditActorOf, recordAudit } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";
import type { FlowSecrets } from "./provider-client.ts";
import { ProviderError } from "./provider-error.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import { resolveUser, type ProviderAccount } from "./resolve-user.ts";
import { openState, sealState } from "./sealed-state.ts";

/** The session that an account at a provider is connected to. */
export interface LinkIntent {
  readonly userId: number;
  /** SHA-256 of the session's token. */
  readonly session: string;
}

/** A site with an address of its own, which the browser returns to: its cookies are not those of the public address. */
export interface ReturnSite {
  readonly origin: string;
  /** SHA-256 of the random value in the browser's cookie there. */
  readonly binding: string;
}

/** What the cookie holds between redirect and callback. */
interface Flow extends FlowSecrets {
  readonly provider: string;
  readonly redirectUri: string;
  readonly next: string;
  readonly link: LinkIntent | null;
  readonly site: ReturnSite | null;
}

export interface FlowStart {
  readonly provider: string;
  readonly redirectUri: string;
  /** Where to go afterwards: a path of this server. */
  readonly next: string;
  readonly link: LinkIntent | null;
  readonly site: ReturnSite | null;
}

/** How long signing in at the provider may take. */
export const FLOW_LIFETIME_MS = 10 * 60_000;
const FLOW = "oidc flow";

/**
 * Begins a sign-in: returns the URL of the provider to redirect to, and the value of the browser's cookie.
 * @throws AppError `notFound`, `unavailable`
 */
export async function beginFlow(ctx: Context, start: FlowStart): Promise<{ url: string; cookie: string }> {
  const client = ctx.oidc.provider(start.provider);
  const secrets: FlowSecrets = { state: randomHex(32), nonce: randomHex(32), verifier: randomHex(32) };
  try {
    const url = await client.authorizationUrl(start.redirectUri, secrets);
    const flow: Flow = { ...start, ...secrets };
    return { url, cookie: sealState(ctx, FLOW, flow, FLOW_LIFETIME_MS) };
  } catch (error) {
    throw publicErrorOf(ctx, start.provider, error);
  }
}

export interface Callback {
  readonly provider: string;
  /** The parameters that the provider added. */
  readonly params: URLSearchParams;
  /** The value of the cookie. */
  readonly cookie: string | null;
}

/** A verified account at a provider, and the intent of the flow. */
export interface FinishedFlow {
  readonly provider: string;
  readonly account: ProviderAccount;
  /** Names of groups here that are in the claim; null without a groups claim in the settings. */
  readonly groups: readonly string[] | null;
  readonly next: string;
  readonly link: LinkIntent | null;
  readonly site: ReturnSite | null;
}

/**
 * Checks a callback and exchanges its code. Each flow is used at most once, whatever the result.
 * @throws AppError `invalid` for a callback that belongs to no flow of this browser; `forbidden`, `unauthenticated`,
 * `unavailable` as the provider answered
 */
export async function finishFlow(ctx: Context, { provider, params, cookie }: Callback): Promise<FinishedFlow> {
  const client = ctx.oidc.provider(provider);
  const flow = openState<Flow>(ctx, FLOW, cookie);
  const states = params.getAll("state");
  if (!flow || flow.provider !== provider || states.length !== 1 || !isEqual(flow.state, states[0] ?? "")) {
    ctx.log.warn("oidc.callback_refused", { provider, reason: flow ? "state" : "cookie" });
    throw expiredFlow();
  }
  useOnce(ctx, provider, flow.state);
  try {
    const error = params.get("error");
    if (error !== null) throw new ProviderError("refused", "authorization_error", error.slice(0, 100));
    const url = new URL(flow.redirectUri);
    url.search = params.toString();
    const { groups, isGroupsClaimMissing, ...account } = await client.exchange(url, flow);
    if (isGroupsClaimMissing) ctx.log.warn("oidc.groups_missing", { provider, claim: client.settings.groupsClaim });
    const { next, link, site } = flow;
    return { provider, account, groups: groups && groupsHere(ctx, provider, groups), next, link, site };
  } catch (error) {
    throw publicErrorOf(ctx, provider, error);
  }
}

/**
 * Signs the user of an account at a provider in.
 * @throws AppError `forbidden` if no user can be signed in by it: the log has the reason, the response does not
 */
export function signInByProvider(ctx: Context, finished: FinishedFlow, browser: Browser): NewSession {
  const { settings } = ctx.oidc.provider(finished.provider);
  const result = ctx.home.transaction(() => {
    const resolution = resolveUser(ctx, settings, finished.account);
    if ("refusal" in resolution) return resolution;
    const { user, event } = resolution;
    setGroups(ctx, settings, user.id, finished.groups);
    const details = { method: "provider", provider: settings.name };
    const subject = { actor: auditActorOf(ctx, user.id, browser.address), userId: user.id, details };
    if (event === "created") recordAudit(ctx, { ...subject, event: "user.created" });
    if (event !== "known") recordAudit(ctx, { ...subject, event: "identity.connected" });
    return { ...resolution, session: startSession(ctx, resolution.user.id, browser, details) };
  });
  // Subjects are not logged: those of some providers are addresses.
  const fields = { provider: settings.name };
  if ("refusal" in result) {
    ctx.log.warn("oidc.sign_in_refused", { ...fields, reason: result.refusal });
    recordFailedSignIn(ctx, { userId: undefined, address: browser.address, reason: "provider" });
    throw forbidden("No user can sign in with this account of the provider", "sign_in.refused");
  }
  const user = result.user.id;
  if (result.event === "created") ctx.log.info("oidc.user_created", { ...fields, user });
  if (result.event === "connected") ctx.log.info("oidc.identity_connected", { ...fields, user });
  return result.session;
}

/**
 * Connects an account at a provider to the user who began this, and is still signed in.
 * @param session SHA-256 of the token of the browser's session
 * @throws AppError `invalid` if the session is another one; `conflict` if the account belongs to another user
 */
export function connectIdentity(
  ctx: Context,
  finished: FinishedFlow,
  { session, address }: { readonly session: string | null; readonly address: string },
): void {
  const { account, link, provider } = finished;
  const { settings } = ctx.oidc.provider(provider);
  ctx.home.transaction(() => {
    const user = link && ctx.home.users.byId(link.userId);
    const isSameSession = link !== null && session !== null && isEqual(link.session, session);
    const isSignedIn = isSameSession && ctx.home.sessions.list(link.userId).some(({ hash }) => hash === session);
    if (!user || user.disabledAt !== null || !isSignedIn) throw expiredFlow();
    const { issuer, subject, email } = account;
    const actor = auditActorOf(ctx, user.id, address);
    const known = ctx.home.identities.find(issuer, subject);
    if (known && known.userId !== user.id) {
      throw new AppError("identity.taken", "This account of the provider is connected to another user");
    }
    if (!known) {
      ctx.home.identities.add({ issuer, subject, userId: user.id, provider, email });
      recordAudit(ctx, { event: "identity.connected", actor, userId: user.id, details: { provider } });
    }
    setGroups(ctx, settings, user.id, finished.groups);
  });
  ctx.log.info("oidc.identity_connected", { provider, user: link?.userId });
}

/** Returns the names of the provider's groups here that a claim contains, by name or by external id. */
function groupsHere({ home }: Context, provider: string, claim: readonly string[]): string[] {
  const claimed = new Set(claim);
  return home.groups
    .list()
    .filter(({ managedBy }) => managedBy === provider)
    .filter(({ name, externalId }) => claimed.has(name) || (externalId !== null && claimed.has(externalId)))
    .map(({ name }) => name);
}

/** Membership in managed groups follows the claim, at each sign-in. */
function setGroups(ctx: Context, provider: ProviderSettings, userId: number, groups: readonly string[] | null): void {
  if (groups !== null) ctx.home.groups.setManagedMembership(provider.name, userId, groups);
}

/** @throws AppError `invalid` if the value was used before, on any node */
export function useOnce(ctx: Context, provider: string, value: string): void {
  const expiresAt = ctx.clock.now() + FLOW_LIFETIME_MS;
  if (ctx.home.transaction(() => ctx.home.usedChallenges.use(sha256Hex(`${FLOW} ${value}`), expiresAt))) return;
  ctx.log.warn("oidc.callback_refused", { provider, reason: "used" });
  throw expiredFlow();
}

export const expiredFlow = (): AppError =>
  new AppError("sign_in.expired", "This sign-in was not started in this browser, was completed, or took too long");

export function isEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Translates failures of the protocol: users learn what to do, administrators find the rest in the log. */
function publicErrorOf(ctx: Context, provider: string, error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error;
  const { kind, reason, details } = error;
  ctx.log.warn("oidc.provider_failed", { provider, kind, reason, ...(details !== undefined && { details }) });
  switch (kind) {
    case "unavailable":
      return new AppError("provider.unavailable", "The provider cannot be reached, or is not set up correctly");
    case "refused":
      return forbidden("The sign-in was cancelled, or the provider refused it", "sign_in.cancelled");
    case "clock":
      return new AppError("provider.clock", "The clocks of this server and of the provider differ");
    case "invalid":
      return new AppError("provider.invalid_response", "The response of the provider is not valid");
    default:
      return kind satisfies never;
  }
}
