import type { UserGrant } from "../../authorization.ts";
import { AppError, invalid } from "../../errors.ts";
import type { DomainAvailability } from "../../wire/sites/orgs.ts";
import type { Context } from "../context.ts";

/** Names that hosts and paths of an installation have other uses for, or that would mislead. */
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

/** Why a text cannot be a site's domain; null when it can. */
export function domainProblem(domain: string): string | null {
  if (!/^[a-z0-9][a-z0-9-]{2,62}$/.test(domain)) {
    return "A domain has 3 to 63 lower-case letters, digits and dashes, and begins with a letter or digit";
  }
  const prefix = RESERVED_PREFIXES.find((reserved) => domain.startsWith(reserved));
  if (prefix) return `A domain cannot begin with ${prefix}`;
  return RESERVED_DOMAINS.has(domain) ? `The domain ${domain} is reserved` : null;
}

/** @throws AppError `invalid` when it cannot be a site's domain, or a site has it */
export function requireAvailableDomain(ctx: Context, domain: string): void {
  const problem = domainProblem(domain);
  if (problem) throw invalid(problem);
  if (ctx.home.orgs.byDomain(domain)) throw new AppError("name.taken", `The domain ${domain} is taken`);
}

/** Whether a new site could have the domain. */
export function checkDomainAvailability(ctx: Context, _grant: UserGrant, domain: string): DomainAvailability {
  const valid = domainProblem(domain) === null;
  return { valid, available: valid && ctx.home.orgs.byDomain(domain) === null };
}
