import type { UserGrant } from "../../authorization.ts";
import { AppError, invalid } from "../../errors.ts";
import type { DomainAvailability } from "../../wire/sites/orgs.ts";
import type { Context } from "../context.ts";

/** Domains reserved for the hosts and paths of an installation, or because they would mislead. */
const RESERVED_DOMAINS: ReadonlySet<string> = new Set(
  (
    "about abuse account accounts admin administrator api app apps assets auth backup beta billing blog cdn chat " +
    "community contact dashboard demo dev dns docs documentation domain download email example external feedback " +
    "files forum ftp help home host hostmaster http https imap internal intranet jobs legal localhost login logout " +
    "mail manage marketing media mobile monitor network news noc none null official openapi org orgs owner payment " +
    "personal pop portal postmaster privacy private proxy public quern register root sales search secure security " +
    "server shop signin signup site sites smtp ssl staff staging static status store support system templates test " +
    "testing tmp undefined upload uploads usenet user users video web webhook webhooks webmail webmaster wiki www"
  ).split(" "),
);

const RESERVED_PREFIXES = ["docs-", "o-", "doc-worker-", "v1-"];

/** Returns why a text cannot be a site's domain; null if it can. */
export function domainProblem(domain: string): string | null {
  if (!/^[a-z0-9][a-z0-9-]{2,62}$/.test(domain)) {
    return "A domain must have 3 to 63 lower-case letters, digits and hyphens, and begin with a letter or digit";
  }
  const prefix = RESERVED_PREFIXES.find((reserved) => domain.startsWith(reserved));
  if (prefix) return `A domain must not begin with ${prefix}`;
  return RESERVED_DOMAINS.has(domain) ? `The domain ${domain} is reserved` : null;
}

/** @throws AppError `invalid` if it cannot be a site's domain, or is in use */
export function requireAvailableDomain(ctx: Context, domain: string): void {
  const problem = domainProblem(domain);
  if (problem) throw invalid(problem);
  if (ctx.home.orgs.byDomain(domain)) throw new AppError("name.taken", `The domain ${domain} is already in use`);
}

/** Returns whether a new site could use the domain. */
export function checkDomainAvailability(ctx: Context, _grant: UserGrant, domain: string): DomainAvailability {
  const valid = domainProblem(domain) === null;
  return { valid, available: valid && ctx.home.orgs.byDomain(domain) === null };
}
