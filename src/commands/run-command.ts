import { parseArgs } from "node:util";
import { readConfig, SETTINGS, settingList } from "../config.ts";
import { AppError, invalid } from "../errors.ts";
import { CLIENT_OPTIONS } from "./client/options.ts";
import { CommandFailure, type Command, type CommandInput, type CommandOption, type CommandContext } from "./command.ts";

const DATA_OPTION: CommandOption = {
  name: "data",
  takes: "DIR",
  about: `${SETTINGS.data.about} Default ./data, or QUERN_DATA.`,
};
const JSON_SWITCH: CommandOption = { name: "json", about: "Print the result as JSON." };

/**
 * Runs a command with the arguments after its name.
 * @returns the exit status: 0, 1 after a failure (one line on stderr), 2 after a usage error
 */
export async function runCommand(command: Command, context: CommandContext): Promise<number> {
  const { args } = context;
  const rest = args.slice(command.name.split(" ").length);
  if (rest.includes("--help") || rest.includes("-h")) {
    context.out(helpText(command));
    return 0;
  }
  let input: CommandInput;
  try {
    input = parseInput(command, rest, context);
  } catch (error) {
    context.err(`quern ${command.name}: ${usageErrorText(error, command)}`);
    return 2;
  }
  try {
    const status = await command.run(input);
    // A key whose output was lost cannot be shown again: the caller must notice.
    if (status === 0 && !command.toleratesLostOutput && (await context.isOutputLost())) {
      throw new AppError("storage", "stdout could not be written");
    }
    return status;
  } catch (error) {
    context.err(`quern ${command.name}: ${errorText(error)}`);
    if (!(error instanceof CommandFailure)) return 1;
    for (const line of error.lines) context.err(line);
    return error.exitStatus;
  }
}

/** AppErrors are full sentences; of any other error only the message is shown. */
function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n")[0] ?? message;
}

/** Node's message for an unknown option continues with advice on positional arguments, which no command needs. */
function usageErrorText(error: unknown, { name }: Command): string {
  const option = /^Unknown option '([^']+)'/.exec(errorText(error))?.[1];
  return option === undefined ? errorText(error) : `unknown option ${option}; try quern ${name} --help`;
}

/** All options of a command, including the global ones. */
export function optionsOf(command: Command): CommandOption[] {
  const settings: CommandOption[] = settingList().map(({ flag, env, takes, about, fallback }) => ({
    name: flag,
    takes,
    about: `${about} Default ${fallback}, or ${env}.`,
  }));
  if (command.takesSettings) return [...command.options, ...settings];
  if (command.isClient === "own") return [...command.options];
  return [...command.options, ...(command.isClient ? CLIENT_OPTIONS : [DATA_OPTION, JSON_SWITCH])];
}

function parseInput(command: Command, args: readonly string[], context: CommandContext): CommandInput {
  const options = optionsOf(command);
  const { values, positionals } = parseArgs({
    args: command.isClient ? withNegativeValues(args, options) : [...args],
    allowPositionals: true,
    options: Object.fromEntries(
      options.map(({ name, takes, repeats = false }) => [
        name,
        { type: takes ? "string" : "boolean", multiple: repeats } as const,
      ]),
    ),
  });
  const lists: Record<string, readonly string[]> = {};
  const optionTexts: Record<string, string | undefined> = {};
  const switches = new Set<string>();
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "string") optionTexts[name] = value;
    else if (Array.isArray(value)) lists[name] = value.map(String);
    else if (value === true) switches.add(name);
  }
  const missingOption = options.find(({ name, required }) => required && optionTexts[name] === undefined);
  if (missingOption) throw invalid(`--${missingOption.name} ${missingOption.takes} is missing`);
  const expectedOperands = command.operands ?? [];
  const missing = expectedOperands[positionals.length];
  if (missing !== undefined && !missing.startsWith("[")) throw invalid(`${missing} is missing`);
  if (positionals.length > expectedOperands.length && !expectedOperands.at(-1)?.includes("…"))
    throw invalid(`unexpected argument "${positionals[expectedOperands.length]}"`);
  const flags = command.takesSettings ? optionTexts : { data: optionTexts["data"] };
  const config = readConfig(flags, context.env);
  return { context, config, options: optionTexts, lists, switches, operands: positionals };
}

/** Joins `--sort -Amount` to one argument: the parser takes the second one for another option. */
function withNegativeValues(args: readonly string[], options: readonly CommandOption[]): string[] {
  const names = new Set(options.filter(({ takes }) => takes !== undefined).map(({ name }) => `--${name}`));
  const joined: string[] = [];
  for (const argument of args) {
    const last = joined.at(-1) ?? "";
    if (names.has(last) && /^-[^-]/.test(argument)) joined.splice(-1, 1, `${last}=${argument}`);
    else joined.push(argument);
  }
  return joined;
}

function helpText(command: Command): string {
  const operands = (command.operands ?? []).map((operand) => ` ${operand}`).join("");
  const lines = optionsOf(command).map(({ name, takes, about, required }) => {
    const head = `  --${name}${takes ? ` ${takes}` : ""}`;
    return `${head}\n      ${about}${required ? " Required." : ""}`;
  });
  return [`quern ${command.name} [OPTIONS]${operands}`, "", command.about, "", ...lines].join("\n");
}
