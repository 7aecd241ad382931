/** What the completion scripts know: the table of commands in the form that they need. */
import type { Command, CommandOption } from "../../command.ts";

export type Values = NonNullable<CommandOption["values"]>;

export interface SpecOption {
  readonly name: string;
  readonly takes: string | null;
  readonly about: string;
  readonly values: Values | null;
}

export interface SpecCommand {
  /** `records list` → `["records", "list"]`. */
  readonly words: readonly string[];
  readonly about: string;
  readonly options: readonly SpecOption[];
  /** The values of positional arguments, if they are known. */
  readonly operands: Values | null;
}

/** Returns the commands for completion. @param optionsOf returns all options of a command */
export function completionSpec(
  commands: readonly Command[],
  optionsOf: (command: Command) => readonly CommandOption[],
): SpecCommand[] {
  return commands.map((command) => ({
    words: command.name.split(" "),
    about: summaryOf(command.about),
    options: [
      ...optionsOf(command).map(({ name, takes = null, about, values = null }) => ({
        name,
        takes,
        about: summaryOf(about),
        values: values ?? (takes === null ? null : (BY_PLACEHOLDER[takes] ?? null)),
      })),
      { name: "help", takes: null, about: "Show the options of the command", values: null },
    ],
    operands: command.values ?? (command.operands?.some((operand) => /FILE|SOURCE/.test(operand)) ? "files" : null),
  }));
}

const BY_PLACEHOLDER: Readonly<Record<string, Values>> = { FILE: "files", PATH: "files", DIR: "folders" };

/** Returns the first sentence without its full stop. */
const summaryOf = (text: string): string => (/^.*?(?=\.(?:\s|$))/s.exec(text)?.[0] ?? text).replaceAll(/\s+/g, " ");

/** Returns the first words of commands that have a second word, with these. */
export function subcommandsOf(commands: readonly SpecCommand[]): Map<string, SpecCommand[]> {
  const groups = new Map<string, SpecCommand[]>();
  for (const command of commands) {
    const [first = "", second] = command.words;
    if (second !== undefined) groups.set(first, [...(groups.get(first) ?? []), command]);
  }
  return groups;
}

/** Returns each first word with its description. */
export function firstWordsOf(commands: readonly SpecCommand[]): Map<string, string> {
  const words = new Map<string, string>();
  for (const { words: all, about } of commands) {
    const [first = "", second] = all;
    if (second === undefined) words.set(first, about);
    else if (!words.has(first)) words.set(first, `Commands: ${seconds(commands, first).join(", ")}`);
  }
  return words;
}

const seconds = (commands: readonly SpecCommand[], first: string): string[] =>
  commands.flatMap(({ words: [head, second] }) => (head === first && second !== undefined ? [second] : []));

/** Quotes a text for a shell that follows POSIX. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command that prints the names of the profiles, one a line. */
export const PROFILE_NAMES = "quern profiles 2>/dev/null | cut -f 2";
