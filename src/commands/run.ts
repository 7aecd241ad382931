import { auditFollow, auditVerify } from "./audit.ts";
import { backup, backupList } from "./backup.ts";
import { clusterRecover } from "./cluster.ts";
import { clusterDrain, clusterRelease, clusterStatus } from "./cluster-nodes.ts";
import {
  login,
  logout,
  mcp,
  profiles,
  recordsAdd,
  recordsExport,
  recordsList,
  schemaApply,
  schemaDiff,
  schemaPull,
  sql,
} from "./client/commands.ts";
import { completionCommand } from "./client/completion/command.ts";
import type { Command, CommandContext } from "./command.ts";
import { docCheck, docDescribe, docImport, docRecalculate } from "./doc.ts";
import { groupCreate, groupList } from "./group.ts";
import { keyCreate, keyList, keyRevoke } from "./key.ts";
import { logStatus } from "./log.ts";
import { orgCreate, orgDeleted, orgRestore } from "./org.ts";
import { restore } from "./restore.ts";
import { optionsOf, runCommand } from "./run-command.ts";
import { serve } from "./serve.ts";
import { status } from "./status.ts";
import { types } from "./types.ts";
import {
  userAdd,
  userDisable,
  userInvite,
  userList,
  userReset,
  userResetSecondFactor,
  userSignInLink,
} from "./user.ts";
import { upgrade } from "./upgrade.ts";
import { version } from "./version.ts";
import { VERSION } from "../lib/build.ts";

export { optionsOf };

/** Every command, in the order of `--help`. */
export const COMMANDS: readonly Command[] = [
  serve,
  status,
  userAdd,
  userList,
  userDisable,
  userInvite,
  userReset,
  userSignInLink,
  userResetSecondFactor,
  groupCreate,
  groupList,
  keyCreate,
  keyList,
  keyRevoke,
  orgCreate,
  orgDeleted,
  orgRestore,
  docImport,
  docCheck,
  docDescribe,
  docRecalculate,
  login,
  profiles,
  recordsList,
  recordsAdd,
  recordsExport,
  sql,
  mcp,
  types,
  schemaPull,
  schemaDiff,
  schemaApply,
  logout,
  completionCommand(() => COMMANDS, optionsOf),
  // Before `backup`, which is a prefix of it.
  backupList,
  backup,
  restore,
  auditVerify,
  auditFollow,
  logStatus,
  clusterStatus,
  clusterDrain,
  clusterRelease,
  clusterRecover,
  upgrade,
  version,
];

/**
 * Runs the command that the arguments name.
 * @returns the exit status, as `runCommand`; 2 also for an unknown command
 */
export async function run(context: CommandContext): Promise<number> {
  const { args } = context;
  const command = COMMANDS.find(({ name }) => name.split(" ").every((word, i) => args[i] === word));
  return command ? runCommand(command, context) : handleUnknownCommand(context);
}

function handleUnknownCommand({ args, out, err }: CommandContext): number {
  const isHelpRequested = args.length === 0 || args[0] === "help" || args.includes("--help") || args.includes("-h");
  if (args[0] === "--version") {
    out(VERSION);
    return 0;
  }
  (isHelpRequested ? out : err)(
    isHelpRequested
      ? overviewText(args[0] === "help" ? args[1] : args[0])
      : `quern: unknown command "${args.join(" ")}"; try quern --help`,
  );
  return isHelpRequested ? 0 : 2;
}

/** @param group the first word of commands, to list only these */
function overviewText(group: string | undefined): string {
  const inGroup = COMMANDS.filter(({ name }) => name.split(" ", 1)[0] === group);
  const commands = inGroup.length > 0 ? inGroup : COMMANDS;
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "Quern, a document-database server.",
    "",
    ...commands.map(({ name, about }) => `  quern ${name.padEnd(width)}  ${about}`),
    "",
    "Run quern COMMAND --help for the options of a command.",
  ].join("\n");
}
