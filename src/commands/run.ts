import { parseArgs } from "node:util";
import { readConfig, SETTINGS, settingList } from "../config.ts";
import { AppError, invalid } from "../errors.ts";
import { backup, backupList, restore } from "./backup.ts";
import type { Command, Input, Option, World } from "./command.ts";
import { docCheck, docImport, docRecalculate } from "./doc.ts";
import { keyCreate, keyList, keyRevoke } from "./key.ts";
import { orgCreate } from "./org.ts";
import { serve } from "./serve.ts";
import { status } from "./status.ts";
import { userAdd, userDisable, userList, userReset } from "./user.ts";
import { version } from "./version.ts";

/** Every command, in the order that help lists them. */
export const COMMANDS: readonly Command[] = [
  serve,
  status,
  userAdd,
  userList,
  userDisable,
  userReset,
  keyCreate,
  keyList,
  keyRevoke,
  orgCreate,
  docImport,
  docCheck,
  docRecalculate,
  // Before `backup`, whose name its own begins with.
  backupList,
  backup,
  restore,
  version,
];

const DATA: Option = { name: "data", takes: "DIR", about: `${SETTINGS.data.about} Default ./data, or QUERN_DATA.` };
const JSON_SWITCH: Option = { name: "json", about: "Print the result as JSON." };

/**
 * Runs the command that the arguments name.
 * @returns the exit status: 0, 1 after a refusal (one line on stderr), 2 for a command line that makes no sense
 */
export async function run(world: World): Promise<number> {
  const { args } = world;
  const command = COMMANDS.find(({ name }) => name.split(" ").every((word, i) => args[i] === word));
  if (!command) return noCommand(world);
  const rest = args.slice(command.name.split(" ").length);
  if (rest.includes("--help") || rest.includes("-h")) {
    world.out(helpOf(command));
    return 0;
  }
  let input: Input;
  try {
    input = read(command, rest, world);
  } catch (error) {
    world.err(`quern ${command.name}: ${sentence(error)}`);
    return 2;
  }
  try {
    const status = await command.run(input);
    // A key that was made and not printed is lost: the caller has to notice.
    if (status === 0 && !command.toleratesLostOutput && (await world.outputLost())) {
      throw new AppError("storage", "stdout could not be written");
    }
    return status;
  } catch (error) {
    world.err(`quern ${command.name}: ${sentence(error)}`);
    return 1;
  }
}

function noCommand({ args, out, err }: World): number {
  const asked = args.length === 0 || args[0] === "help" || args.includes("--help") || args.includes("-h");
  if (args[0] === "--version") {
    out(version.about);
    return 0;
  }
  (asked ? out : err)(asked ? overview() : `quern: there is no command "${args.join(" ")}"; try quern --help`);
  return asked ? 0 : 2;
}

/** Refusals are sentences; anything else is worth its message only. */
function sentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n")[0] ?? message;
}

/** All options of a command, those that every command takes included. */
export function optionsOf(command: Command): Option[] {
  const settings: Option[] = settingList().map(({ flag, env, takes, about, fallback }) => ({
    name: flag,
    takes,
    about: `${about} Default ${fallback}, or ${env}.`,
  }));
  return command.takesSettings ? [...command.options, ...settings] : [...command.options, DATA, JSON_SWITCH];
}

function read(command: Command, args: readonly string[], world: World): Input {
  const options = optionsOf(command);
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: Object.fromEntries(
      options.map(({ name, takes }) => [name, { type: takes ? "string" : "boolean" } as const]),
    ),
  });
  const texts: Record<string, string | undefined> = {};
  const switches = new Set<string>();
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "string") texts[name] = value;
    else if (value === true) switches.add(name);
  }
  const missing = options.find(({ name, required }) => required && texts[name] === undefined);
  if (missing) throw invalid(`--${missing.name} ${missing.takes} is missing`);
  const wanted = command.operands ?? [];
  if (positionals.length < wanted.length) throw invalid(`${wanted[positionals.length]} is missing`);
  if (positionals.length > wanted.length) throw invalid(`"${positionals[wanted.length]}" is one word too many`);
  const flags = command.takesSettings ? texts : { data: texts["data"] };
  return { world, config: readConfig(flags, world.env), options: texts, switches, operands: positionals };
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    "Quern, a document-database server.",
    "",
    ...COMMANDS.map(({ name, about }) => `  quern ${name.padEnd(width)}  ${about}`),
    "",
    "quern COMMAND --help tells a command's options.",
  ].join("\n");
}

function helpOf(command: Command): string {
  const operands = (command.operands ?? []).map((operand) => ` ${operand}`).join("");
  const lines = optionsOf(command).map(({ name, takes, about, required }) => {
    const head = `  --${name}${takes ? ` ${takes}` : ""}`;
    return `${head}\n      ${about}${required ? " Required." : ""}`;
  });
  return [`quern ${command.name} [OPTIONS]${operands}`, "", command.about, "", ...lines].join("\n");
}
