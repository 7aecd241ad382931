/**
 * Team sites with an address of their own. Providers know one address of the callback, that of the public URL, while
 * cookies belong to the site's address. So a sign-in that starts there goes to the public address with a value that only
 * this server can make, and comes back with another one, which is accepted once, in the browser that started.
 */
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import type { Context } from "../context.ts";
import { openState, sealState } from "./sealed-state.ts";
import {
  expiredFlow,
  FLOW_LIFETIME_MS,
  isEqual,
  useOnce,
  type FinishedFlow,
  type LinkIntent,
  type ReturnSite,
} from "./sign-in-flow.ts";

const COOKIE = "oidc site cookie";
const DEPARTURE = "oidc departure";
const ARRIVAL = "oidc arrival";

/** Between two redirects of the browser. */
const ARRIVAL_LIFETIME_MS = 60_000;

/** What the cookie at the site's address holds. */
interface Started {
  readonly provider: string;
  readonly random: string;
  readonly next: string;
  readonly link: LinkIntent | null;
}

/** Begins at the site's address: returns the value of the cookie there, and the parameter for the public address. */
export function departFromSite(
  ctx: Context,
  { origin, ...rest }: Omit<Started, "random"> & { readonly origin: string },
): { cookie: string; departure: string } {
  const started: Started = { ...rest, random: randomHex(32) };
  const site: ReturnSite = { origin, binding: sha256Hex(started.random) };
  return {
    cookie: sealState(ctx, COOKIE, started, FLOW_LIFETIME_MS),
    departure: sealState(ctx, DEPARTURE, site, FLOW_LIFETIME_MS),
  };
}

/** Returns the site of a parameter; null for any other text. */
export const siteOfDeparture = (ctx: Context, departure: string): ReturnSite | null =>
  openState<ReturnSite>(ctx, DEPARTURE, departure);

/** Returns the parameter with which the browser goes back to the site: what the provider said, not yet a session. */
export const returnToSite = (ctx: Context, finished: FinishedFlow): string =>
  sealState(ctx, ARRIVAL, { ...finished, id: randomHex(16) }, ARRIVAL_LIFETIME_MS);

/**
 * Returns the flow that a browser comes back with.
 * @param cookie the value of the cookie at the site's address
 * @throws AppError `invalid` unless the browser started it, or if it was used
 */
export function arriveAtSite(
  ctx: Context,
  { provider, arrival, cookie }: { provider: string; arrival: string; cookie: string | null },
): FinishedFlow {
  const finished = openState<FinishedFlow & { id: string }>(ctx, ARRIVAL, arrival);
  const started = openState<Started>(ctx, COOKIE, cookie);
  const isOwn =
    finished?.site && started && started.provider === provider && finished.provider === provider
      ? isEqual(finished.site.binding, sha256Hex(started.random))
      : false;
  if (!finished || !started || !isOwn) throw expiredFlow();
  useOnce(ctx, provider, finished.id);
  return { ...finished, next: started.next, link: started.link, site: null };
}
