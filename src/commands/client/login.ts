import { printable } from "./printable.ts";
import { callServer, fetchJson } from "./call-server.ts";
import { readOwnFile, readProfiles, writeProfiles, type Profile, type Profiles } from "./profile-file.ts";
import { requireKey, serverUrl, type Server } from "./profile.ts";
import { CommandFailure, usageError, type CommandInput } from "../command.ts";

const KEY_VARIABLE = "QUERN_API_KEY";
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$/;
const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Checks an API key, and keeps it in the profiles of the user. */
export async function runLogin(input: CommandInput): Promise<number> {
  const { context, options, operands, switches } = input;
  const url = serverUrl(operands[0] ?? "");
  const name = options["name"] ?? defaultName(url);
  if (!NAME.test(name)) throw usageError(`--name must have letters, digits and . _ @ + - only`);
  // Before asking for a key: the file may be damaged or unsafe.
  readProfiles(context.env);
  if (new URL(url).protocol === "http:" && !LOOPBACK.test(new URL(url).hostname))
    context.err(`Warning: ${url} is not encrypted; others in the network can read the key`);
  // Without the key, which only servers that are what they seem get.
  await whoIs({ url, key: null, profile: null });
  const key = await readKey(input, url);
  const email = await whoIs({ url, key, profile: null });
  const before = readProfiles(context.env);
  const profiles = new Map([...before.profiles, [name, { url, key }]]);
  const isDefault = switches.has("default") || before.default === null || before.default === name;
  writeProfiles(context.env, { default: isDefault ? name : before.default, profiles });
  const note = isDefault ? "" : `; use it with --profile ${name}`;
  context.out(`Logged in to ${url} as ${printable(email)} (profile ${name}${note})`);
  return 0;
}

/** Removes profiles. Their keys stay valid. */
export async function runLogout({ context, operands, switches }: CommandInput): Promise<number> {
  const before = readProfiles(context.env);
  const [given] = operands;
  if (switches.has("all")) {
    if (given !== undefined) throw usageError("--all cannot be combined with a name");
    writeProfiles(context.env, { default: null, profiles: new Map() });
    context.out(`Removed ${before.profiles.size} ${before.profiles.size === 1 ? "profile" : "profiles"}`);
    return 0;
  }
  const name = given ?? before.default ?? undefined;
  if (name === undefined) throw usageError("No default profile: name the profile to remove");
  requireProfile(before, name);
  const profiles = new Map([...before.profiles].filter(([each]) => each !== name));
  const [only, ...others] = profiles.keys();
  const kept = before.default === name ? null : before.default;
  const next = kept ?? (others.length === 0 ? (only ?? null) : null);
  writeProfiles(context.env, { default: next, profiles });
  context.out(`Removed profile ${name}; its API key stays valid until it is revoked`);
  if (next !== null && next !== before.default) context.out(`The default profile is now ${next}`);
  return 0;
}

/** Lists the profiles, never their keys. */
export async function runProfiles({ context, options, switches }: CommandInput): Promise<number> {
  let all = readProfiles(context.env);
  const { default: chosen } = options;
  if (chosen !== undefined) {
    requireProfile(all, chosen);
    all = { ...all, default: chosen };
    writeProfiles(context.env, all);
  }
  const listed = [...all.profiles].map(([name, { url }]) => ({ name, url, default: name === all.default }));
  if (switches.has("json")) context.out(JSON.stringify(listed));
  else for (const { name, url, ...row } of listed) context.out([row.default ? "*" : " ", name, url].join("\t"));
  if (listed.length === 0 && !switches.has("json")) context.err("No profiles: quern login URL adds one");
  return 0;
}

function requireProfile({ profiles }: Profiles, name: string): Profile {
  const profile = profiles.get(name);
  if (!profile) throw usageError(`Profile not found: ${printable(name)}; quern profiles lists them`);
  return profile;
}

/** `https://quern.example.com/o/team` → `quern.example.com+team`. */
const defaultName = (url: string): string => {
  const { host, pathname } = new URL(url);
  return [host.replaceAll(/[[\]]/g, "").replaceAll(":", "-"), ...(/^\/o\/([^/]+)/.exec(pathname)?.slice(1) ?? [])].join(
    "+",
  );
};

/** @throws CommandFailure if the server does not accept the key, or is no Quern server */
async function whoIs(server: Server): Promise<string> {
  const path = "/api/session/access/active";
  if (server.key === null) {
    // Servers may refuse callers without a key.
    const response = await callServer(server, path, { expects: [401, 403] });
    if (!response.ok) return "";
  }
  const { user } = await fetchJson<{ user?: { email?: unknown } }>(server, path);
  if (typeof user?.email !== "string") throw new CommandFailure("refused", `${server.url} is not a Quern server`);
  return user.email;
}

async function readKey({ context, options }: CommandInput, url: string): Promise<string> {
  const { "key-file": file } = options;
  if (file !== undefined) {
    const text = readOwnFile(file, { isSecret: false });
    if (text === null) throw usageError(`file not found: ${file}`);
    return requireKey(text, file);
  }
  const variable = context.env[KEY_VARIABLE];
  if (variable) return requireKey(variable, KEY_VARIABLE);
  const streams = await context.streams?.();
  if (!streams?.isInputTerminal) return requireKey((await context.stdin()).split("\n")[0] ?? "", "stdin");
  context.err(`Create an API key on your profile page: ${url}/profile`);
  const typed = await streams.askSecret("API key: ");
  if (typed === null) throw new CommandFailure("stopped", "Stopped");
  return requireKey(typed, "The input");
}
