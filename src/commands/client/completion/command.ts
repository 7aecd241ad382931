import { usageError, type Command, type CommandOption } from "../../command.ts";
import type { SpecCommand } from "./spec.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** Returns the command that prints completion scripts. @param table returns all commands, of which it is one */
export const completionCommand = (
  table: () => readonly Command[],
  optionsOf: (command: Command) => readonly CommandOption[],
): Command => ({
  name: "completion",
  about: "Prints the script by which a shell completes commands, options and their values: bash, zsh or fish.",
  options: [],
  operands: ["SHELL"],
  values: SHELLS,
  isClient: "own",
  async run({ context, operands: [shell = ""] }) {
    const { completionSpec } = await import("./spec.ts");
    const script = SCRIPTS[shell];
    if (!script) throw usageError(`SHELL must be one of ${SHELLS.join(", ")}`);
    context.out((await script())(completionSpec(table(), optionsOf)).trimEnd());
    return 0;
  },
});

type ScriptOf = (commands: readonly SpecCommand[]) => string;

const SCRIPTS: Readonly<Record<string, () => Promise<ScriptOf>>> = {
  bash: async () => (await import("./bash.ts")).bashScript,
  zsh: async () => (await import("./zsh.ts")).zshScript,
  fish: async () => (await import("./fish.ts")).fishScript,
};
