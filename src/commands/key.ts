import { invalid } from "../errors.ts";
import { isoTime } from "../lib/time/clock.ts";
import { actorForCommand } from "../services/accounts/actors.ts";
import { guardSignedIn } from "../services/access/guards.ts";
import { createKey, listKeys, maskedKey, revokeKey } from "../services/accounts/keys.ts";
import type { Command, CommandInput, CommandOption } from "./command.ts";
import { type ContextUse, printResult, withContext } from "./with-context.ts";
import { EMAIL_OPTION } from "./user.ts";
import type { UserGrant } from "../authorization.ts";
import type { Context } from "../services/context.ts";

const LABEL_OPTION: CommandOption = {
  name: "label",
  takes: "L",
  about: "Label of the key. Without a label: the profile key.",
};

export const keyCreate: Command = {
  name: "key create",
  about: "Creates an API key and prints it. It cannot be shown again.",
  options: [EMAIL_OPTION, LABEL_OPTION, { name: "force", about: "Replaces the existing profile key." }],
  async run(input) {
    const { label } = input.options;
    const force = input.switches.has("force");
    const key = await runAsUser(input, (ctx, grant) => {
      if (label === undefined && !force && listKeys(ctx, grant).some((each) => each.label === null))
        throw invalid("the user already has a profile key: --force replaces it, --label L creates another key");
      return createKey(ctx, grant, { label: label ?? null, force });
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
      keys.map(({ id, prefix, label, createdAt, lastUsedAt, expiresAt }) => ({
        id,
        prefix,
        label,
        createdAt: isoTime(createdAt),
        lastUsedAt: time(lastUsedAt),
        expiresAt: time(expiresAt),
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
