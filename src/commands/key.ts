import { invalid } from "../errors.ts";
import { isoTime } from "../lib/time/clock.ts";
import { actorForCommand } from "../services/accounts/actors.ts";
import { guardSignedIn } from "../services/access/guards.ts";
import { createKey, describeLimits, listKeys, maskedKey, revokeKey } from "../services/accounts/keys.ts";
import type { Command, CommandInput, CommandOption } from "./command.ts";
import { type ContextUse, printResult, withContext } from "./with-context.ts";
import { EMAIL_OPTION } from "./user.ts";
import type { UserGrant } from "../authorization.ts";
import type { Context } from "../services/context.ts";
import type { RequestedLimits } from "../services/keys/requested-limits.ts";

const LABEL_OPTION: CommandOption = {
  name: "label",
  takes: "L",
  about: "Label of the key. Without a label: the profile key.",
};

const LIMIT_OPTIONS: readonly CommandOption[] = [
  { name: "scope", takes: "S,…", about: "Scopes of the key, such as records:read. Default: all that the user may do." },
  { name: "site", takes: "D,…", about: "Domains or ids of the sites that the key reaches." },
  { name: "workspace", takes: "N,…", about: "Ids of the workspaces that the key reaches." },
  { name: "doc", takes: "DOC,…", about: "Ids of the documents that the key reaches." },
  { name: "table", takes: "T,…", about: "Ids of the only tables that the key reaches in the document of --doc." },
  { name: "network", takes: "CIDR,…", about: "Networks or addresses that the key can be used from." },
  { name: "expires", takes: "TIME", about: "When the key expires, in ISO 8601. Default: never." },
];

/** Returns the limits of a new key. @throws AppError `invalid` */
function readLimits({ options }: CommandInput): RequestedLimits {
  const listOf = (name: string) =>
    options[name]
      ?.split(",")
      .map((text) => text.trim())
      .filter((text) => text !== "");
  const [sites, workspaces, documents, tables] = ["site", "workspace", "doc", "table"].map(listOf);
  const { expires } = options;
  const expiresAt = expires === undefined ? null : Date.parse(expires);
  if (Number.isNaN(expiresAt)) throw invalid("--expires must be a time like 2030-01-01T12:00:00Z");
  if (workspaces?.some((text) => !/^\d{1,15}$/.test(text)))
    throw invalid("--workspace must have ids, which are numbers");
  const [document, ...more] = documents ?? [];
  if (tables && (document === undefined || more.length > 0))
    throw invalid("--table needs --doc with the document that has the tables");
  const isRestricted = [sites, workspaces, documents].some((list) => list !== undefined);
  const reached = tables && document !== undefined ? { tables: [{ document, tables }] } : { documents };
  return {
    scopes: listOf("scope"),
    networks: listOf("network"),
    expiresAt,
    restrictions: isRestricted ? { sites, workspaces: workspaces?.map(Number), ...reached } : null,
  };
}

export const keyCreate: Command = {
  name: "key create",
  about: "Creates an API key and prints it. It cannot be shown again.",
  options: [
    EMAIL_OPTION,
    LABEL_OPTION,
    { name: "force", about: "Replaces the existing profile key." },
    ...LIMIT_OPTIONS,
  ],
  async run(input) {
    const { label } = input.options;
    const limits = readLimits(input);
    const force = input.switches.has("force");
    const key = await runAsUser(input, (ctx, grant) => {
      if (label === undefined && !force && listKeys(ctx, grant).some((each) => each.label === null))
        throw invalid("the user already has a profile key: --force replaces it, --label L creates another key");
      return createKey(ctx, grant, { label: label ?? null, force, ...limits });
    });
    printResult(input, { key, label: label ?? null }, [key]);
    return 0;
  },
};

export const keyList: Command = {
  name: "key list",
  about: "Lists a user's keys by their prefixes.",
  options: [EMAIL_OPTION],
  async run(input) {
    const keys = await runAsUser(input, listKeys, { isReadOnly: true });
    const time = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
    printResult(
      input,
      keys.map(({ id, prefix, label, createdAt, lastUsedAt, expiresAt, ...key }) => ({
        id,
        prefix,
        label,
        createdAt: isoTime(createdAt),
        lastUsedAt: time(lastUsedAt),
        expiresAt: time(expiresAt),
        lastUsedAddress: key.lastUsedAddress,
        useCount: key.useCount,
        ...describeLimits(key),
      })),
      keys.map((key) =>
        [maskedKey(key), key.label ?? "(profile key)", `last used ${time(key.lastUsedAt) ?? "never"}`].join("\t"),
      ),
    );
    return 0;
  },
};

export const keyRevoke: Command = {
  name: "key revoke",
  about: "Revokes a key; requests with it are refused immediately. Without a label or prefix: the profile key.",
  options: [
    EMAIL_OPTION,
    LABEL_OPTION,
    { name: "prefix", takes: "P", about: "Prefix of the key, as listed by `key list`." },
  ],
  async run(input) {
    const { label, prefix } = input.options;
    await runAsUser(input, (ctx, grant) => {
      if (prefix === undefined) return revokeKey(ctx, grant, { label: label ?? null });
      const [found, ...more] = listKeys(ctx, grant).filter((key) => maskedKey(key).startsWith(prefix));
      if (!found) throw invalid(`no key has the prefix ${prefix}`);
      if (more.length > 0) throw invalid(`several keys have the prefix ${prefix}`);
      return revokeKey(ctx, grant, { id: found.id });
    });
    printResult(input, { revoked: true }, ["Revoked"]);
    return 0;
  },
};

const runAsUser = <T>(
  input: CommandInput,
  work: (ctx: Context, grant: UserGrant) => T,
  use: ContextUse = {},
): Promise<T> =>
  withContext(input, (ctx) => work(ctx, guardSignedIn(actorForCommand(ctx, input.options["email"] ?? ""))), use);
