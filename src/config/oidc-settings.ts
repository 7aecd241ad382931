/**
 * Providers of single sign-on. Their settings have variable names, `QUERN_OIDC_<NAME>_ISSUER` and so on, and no flags: any
 * number of providers can be configured, and flags would show client secrets to other users of the machine.
 */
import { invalid } from "../errors.ts";
import { commaList, domainName, nonEmpty, oneOf } from "../lib/setting-parsers.ts";

/** An OpenID Connect provider in the settings. */
export interface OidcProviderSettings {
  /** `<NAME>` in lower case, with hyphens: part of the addresses of its pages. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  /** Domains whose addresses the provider may vouch for; `*` for all. */
  readonly allowedDomains: readonly string[];
  /** The text of the button; null for the default. */
  readonly button: string | null;
  readonly trustEmail: boolean;
  readonly createUsers: boolean;
  readonly groupsClaim: string | null;
}

interface ProviderSetting {
  /** What follows `QUERN_OIDC_<NAME>_`. */
  readonly suffix: string;
  readonly placeholder: string;
  /** The default, as text. */
  readonly fallback: string;
  readonly about: string;
  /** Never shown, not even to administrators. */
  readonly isSecret?: boolean;
}

const PROVIDER_SETTINGS: readonly ProviderSetting[] = [
  {
    suffix: "ISSUER",
    placeholder: "URL",
    fallback: "required",
    about:
      "Issuer of the provider, exactly as in its discovery document: an https URL, or http on this machine. Its discovery document is at /.well-known/openid-configuration below it.",
  },
  { suffix: "CLIENT_ID", placeholder: "ID", fallback: "required", about: "Client id of this server at the provider." },
  {
    suffix: "CLIENT_SECRET",
    placeholder: "SECRET",
    fallback: "none",
    about:
      "Client secret of this server at the provider. Without it, this server is a public client, protected by PKCE.",
    isSecret: true,
  },
  {
    suffix: "SCOPES",
    placeholder: "LIST",
    fallback: "openid profile email",
    about: "Scopes to request, separated by spaces; must contain openid.",
  },
  {
    suffix: "ALLOWED_DOMAINS",
    placeholder: "LIST",
    fallback: "none",
    about:
      "Comma-separated domains of the email addresses that the provider may vouch for, or * for all domains. Without it, only accounts that their users have connected on the profile page can sign in.",
  },
  {
    suffix: "TRUST_EMAIL",
    placeholder: "true or false",
    fallback: "false",
    about:
      "true: email addresses of the provider count as verified even if it does not say so. Only for a provider whose users cannot change their address themselves.",
  },
  {
    suffix: "CREATE_USERS",
    placeholder: "true or false",
    fallback: "false",
    about:
      "true: the first sign-in of an unknown address in the allowed domains creates an account. Requires ALLOWED_DOMAINS.",
  },
  {
    suffix: "GROUPS_CLAIM",
    placeholder: "NAME",
    fallback: "none",
    about: "Claim with the names of the user's groups: sets their membership in the groups that the provider manages.",
  },
  {
    suffix: "BUTTON",
    placeholder: "TEXT",
    fallback: "Continue with <Name>",
    about: "Text of the button on the sign-in page.",
  },
];

const PREFIX = "QUERN_OIDC_";
const VARIABLE = new RegExp(
  `^${PREFIX}([A-Z0-9]+(?:_[A-Z0-9]+)*)_(${PROVIDER_SETTINGS.map(({ suffix }) => suffix).join("|")})$`,
);

/** True for the name of a variable of a provider. */
export const isProviderVariable = (name: string): boolean => VARIABLE.test(name);

/** A setting of providers as shown in the documentation. */
export interface ProviderSettingInfo {
  readonly env: string;
  readonly takes: string;
  readonly fallback: string;
  readonly about: string;
}

/** Returns the settings that each provider has. */
export const providerSettingList = (): ProviderSettingInfo[] =>
  PROVIDER_SETTINGS.map(({ suffix, placeholder, fallback, about }) => ({
    env: `${PREFIX}<NAME>_${suffix}`,
    takes: placeholder,
    fallback,
    about,
  }));

/** Returns the variables of providers that are set, without the values of secrets. */
export function givenProviderSettings(
  env: Readonly<Record<string, string | undefined>>,
): { env: string; about: string; value: string | null }[] {
  return PROVIDER_SETTINGS.flatMap(({ suffix, about, isSecret = false }) =>
    Object.entries(env).flatMap(([name, text]) =>
      text && VARIABLE.exec(name)?.[2] === suffix ? [{ env: name, about, value: isSecret ? null : text }] : [],
    ),
  ).sort((a, b) => (a.env < b.env ? -1 : 1));
}

/**
 * Reads the providers of the environment, by name.
 * @throws AppError `invalid` with a sentence naming the invalid setting
 */
export function readProviders(env: Readonly<Record<string, string | undefined>>): OidcProviderSettings[] {
  const names = new Set(
    Object.keys(env).flatMap((variable) => (env[variable] ? (VARIABLE.exec(variable)?.[1] ?? []) : [])),
  );
  const providers = [...names].toSorted().map((name) => readProvider(name, env));
  requireDifferentIssuers(providers);
  return providers;
}

function readProvider(name: string, env: Readonly<Record<string, string | undefined>>): OidcProviderSettings {
  const prefix = `${PREFIX}${name}_`;
  const read = <T>(suffix: string, parse: (text: string) => T, fallback: T): T => {
    const text = env[`${prefix}${suffix}`];
    if (text === undefined || text === "") return fallback;
    try {
      return parse(text);
    } catch (error) {
      throw invalid(`${prefix}${suffix} ${(error as Error).message}`);
    }
  };
  const required = (suffix: string, parse: (text: string) => string): string => {
    const value = read(suffix, parse, "");
    if (value === "") throw invalid(`${prefix}${suffix} is required for the provider ${name}`);
    return value;
  };
  const provider: OidcProviderSettings = {
    name: name.toLowerCase().replaceAll("_", "-"),
    issuer: required("ISSUER", issuerUrl),
    clientId: required("CLIENT_ID", nonEmpty),
    clientSecret: read<string | null>("CLIENT_SECRET", nonEmpty, null),
    scopes: read("SCOPES", scopeList, ["openid", "profile", "email"]),
    allowedDomains: read("ALLOWED_DOMAINS", domainList, []),
    button: read<string | null>("BUTTON", buttonText, null),
    trustEmail: read("TRUST_EMAIL", isTrue, false),
    createUsers: read("CREATE_USERS", isTrue, false),
    groupsClaim: read<string | null>("GROUPS_CLAIM", nonEmpty, null),
  };
  if (provider.createUsers && provider.allowedDomains.length === 0) {
    throw invalid(
      `${prefix}CREATE_USERS requires ${prefix}ALLOWED_DOMAINS: the domains of the users that may get an account, or *`,
    );
  }
  return provider;
}

/** Names of Entra for all tenants: the issuer of their tokens differs, and anyone can sign in. */
const SHARED_TENANT = /^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers)\//;
const LOCAL_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** An issuer, unchanged: providers compare it as text, with a trailing slash or without. */
function issuerUrl(text: string): string {
  const url = URL.parse(text);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && LOCAL_HOSTS.has(url.hostname));
  if (!url || !isSafe) throw new Error(`must be an https URL, or http on this machine, not ${JSON.stringify(text)}`);
  if (url.search || url.hash || url.username) throw new Error("must be a URL without query, fragment and user name");
  if (text.includes("/.well-known/")) throw new Error("must be the issuer, without /.well-known/openid-configuration");
  if (SHARED_TENANT.test(text)) throw new Error("must name one tenant: replace the tenant in the URL by its id");
  return text;
}

function scopeList(text: string): string[] {
  const scopes = text.split(/[\s,]+/).filter((scope) => scope !== "");
  if (!scopes.includes("openid")) throw new Error("must contain openid");
  return scopes;
}

const domainList = (text: string): string[] =>
  commaList(text).map((domain) => (domain === "*" ? domain : domainName(domain.replace(/^@/, ""))));

const MAX_BUTTON_LENGTH = 60;

function buttonText(text: string): string {
  if (text.trim() === "" || text.length > MAX_BUTTON_LENGTH)
    throw new Error(`must have 1 to ${MAX_BUTTON_LENGTH} characters`);
  return text.trim();
}

const isTrue = (text: string): boolean => oneOf(text, ["true", "false"]) === "true";

/** An identity is an issuer and a subject: two clients of one issuer would have the same identities. */
function requireDifferentIssuers(providers: readonly OidcProviderSettings[]): void {
  for (const [i, { issuer, name }] of providers.entries()) {
    const other = providers.slice(0, i).find((each) => each.issuer === issuer);
    if (other) throw invalid(`the providers ${other.name} and ${name} have the same issuer, ${issuer}`);
  }
}
