/** Which server a command talks to, and with which API key. */
import { CommandFailure, usageError, type CommandInput } from "../command.ts";
import { readOwnFile, readProfiles, type Profiles } from "./profile-file.ts";

/** The server of a command. */
export interface Server {
  /** Without a slash at the end; may end with `/o/SITE`. */
  readonly url: string;
  /** Null for requests without a key, which reach what is public. */
  readonly key: string | null;
  /** The profile that has the key, for messages. */
  readonly profile: string | null;
}

/** The parts of a command's input that decide about its server. */
export type ServerChoice = Pick<CommandInput, "context" | "options">;

const KEY_VARIABLE = "QUERN_API_KEY";

/**
 * Returns the server of a command, from the first of these: its options; `QUERN_URL` with `QUERN_API_KEY`; the profile
 * that `QUERN_PROFILE` names; the profile of the server in the given address; the default profile. A key is used only
 * for the server that it belongs to.
 * @param address the server that an argument names, such as that of a document
 * @throws CommandFailure if no server or no profile of the name exists, or the choices contradict each other
 */
export function resolveServer(input: ServerChoice, address?: string): Server {
  const { options, context } = input;
  const { url, profile, "key-file": keyFile } = options;
  if (profile !== undefined && (url !== undefined || keyFile !== undefined))
    throw usageError("--profile cannot be combined with --url or --key-file");
  const given = url === undefined ? undefined : serverUrl(url);
  if (given !== undefined && address !== undefined && !isSameOrigin(given, address))
    throw usageError(`--url is ${new URL(given).origin}, but the document is on ${new URL(address).origin}`);
  const chosen = address ?? given;
  if (keyFile !== undefined) return withKeyFile(keyFile, chosen ?? urlOfEnvironment(context.env));
  if (profile !== undefined) return withProfile(readProfiles(context.env), profile, chosen);
  return withEnvironment(input, chosen) ?? withProfiles(input, chosen ?? urlOfEnvironment(context.env));
}

/** @throws CommandFailure unless the text is the URL of a server */
export function serverUrl(text: string): string {
  const parsed = URL.parse(text);
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw usageError(`${withoutCredentials(text)} is not the URL of a server, such as https://quern.example.com`);
  if (parsed.username || parsed.password) throw usageError("The URL of a server must not contain a password");
  // The addresses of pages, copied from a browser, name the site in their first segments.
  return parsed.origin + (/^\/o\/[^/]+/.exec(parsed.pathname)?.[0] ?? "");
}

/** @throws CommandFailure unless the text can be an API key; the message does not repeat it */
export function requireKey(text: string, source: string): string {
  const key = text.trim();
  if (key === "") throw usageError(`${source} contains no API key`);
  // Anything else could not be sent in a header; the error of the HTTP client would show the text.
  if (!/^[\x21-\x7e]{1,4096}$/.test(key)) throw usageError(`${source} contains something other than an API key`);
  return key;
}

const withoutCredentials = (text: string): string => text.replace(/\/\/[^/@]*@/, "//…@");

const isSameOrigin = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin;

const urlOfEnvironment = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env["QUERN_URL"] ? serverUrl(env["QUERN_URL"]) : undefined;

function withKeyFile(path: string, url: string | undefined): Server {
  if (url === undefined) throw usageError("--key-file needs --url");
  const text = readOwnFile(path, { isSecret: false });
  if (text === null) throw usageError(`file not found: ${path}`);
  return { url, key: requireKey(text, path), profile: null };
}

function withEnvironment({ context: { env } }: ServerChoice, chosen: string | undefined): Server | null {
  const key = env[KEY_VARIABLE];
  if (!key) return null;
  const own = urlOfEnvironment(env);
  const url = chosen ?? own;
  if (url === undefined || (own !== undefined && !isSameOrigin(own, url))) return null;
  return { url, key: requireKey(key, KEY_VARIABLE), profile: null };
}

function withProfiles({ context: { env } }: ServerChoice, chosen: string | undefined): Server {
  const all = readProfiles(env);
  const named = env["QUERN_PROFILE"] || undefined;
  if (chosen === undefined) return withProfile(all, named ?? defaultOf(all, env), undefined);
  const names = [...all.profiles].filter(([, { url }]) => isSameOrigin(url, chosen)).map(([name]) => name);
  const preferred = [named, all.default].find((name) => name !== undefined && name !== null && names.includes(name));
  const name = preferred ?? names[0];
  if (name === undefined) return { url: chosen, key: null, profile: null };
  if (preferred === undefined && names.length > 1)
    throw usageError(
      `Several profiles are of ${new URL(chosen).origin}: choose one with --profile (${names.join(", ")})`,
    );
  return withProfile(all, name, chosen);
}

function withProfile({ profiles }: Profiles, name: string, chosen: string | undefined): Server {
  const profile = profiles.get(name);
  if (!profile) {
    const names = profiles.size === 0 ? "none; quern login URL adds one" : [...profiles.keys()].join(", ");
    throw usageError(`Profile not found: ${name}. Profiles: ${names}`);
  }
  if (chosen !== undefined && !isSameOrigin(profile.url, chosen))
    throw usageError(
      `The key of profile ${name} is for ${new URL(profile.url).origin}: it is not sent to ${new URL(chosen).origin}`,
    );
  return { url: chosen ?? profile.url, key: profile.key, profile: name };
}

function defaultOf(all: Profiles, env: Readonly<Record<string, string | undefined>>): string {
  if (all.default !== null) return all.default;
  if (all.profiles.size > 0)
    throw usageError(`No default profile: name one with --profile (${[...all.profiles.keys()].join(", ")})`);
  if (env[KEY_VARIABLE]) throw usageError(`${KEY_VARIABLE} needs the URL of its server in QUERN_URL or --url`);
  throw new CommandFailure("usage", "No server: run quern login URL first, or set QUERN_URL and QUERN_API_KEY");
}
