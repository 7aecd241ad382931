import { firstWordsOf, PROFILE_NAMES, subcommandsOf, type SpecCommand, type SpecOption, type Values } from "./spec.ts";

/** Returns the completion script for fish. */
export function fishScript(commands: readonly SpecCommand[]): string {
  const groups = subcommandsOf(commands);
  const lines = [...firstWordsOf(commands)].map(
    ([word, about]) => `complete -c quern -n __quern_needs_command -a ${quote(word)} -d ${quote(about)}`,
  );
  const seconds = [...groups].flatMap(([first, group]) =>
    group.map(
      ({ words, about }) =>
        `complete -c quern -n ${quote(`__quern_needs_second ${first}`)} -a ${quote(words[1] ?? "")} -d ${quote(about)}`,
    ),
  );
  return `# Completion of quern for fish: save it as ~/.config/fish/completions/quern.fish
function __quern_needs_command
  test (count (commandline -opc)) -eq 1
end
function __quern_needs_second
  set -l words (commandline -opc)
  test (count $words) -eq 2 -a "$words[2]" = $argv[1]
end
function __quern_is
  set -l words (commandline -opc)
  for at in (seq (count $argv))
    test "$words["(math $at + 1)"]" = $argv[$at]; or return 1
  end
  # The first word of other commands is a command of its own.
  contains -- "$words[2] $words[3]" ${[...groups.values()]
    .flat()
    .map(({ words }) => quote(words.join(" ")))
    .join(" ")}
  and test (count $argv) -eq 1
  and return 1
  return 0
end
complete -c quern -f
${[...lines, ...seconds, ...commands.flatMap(commandLines)].join("\n")}
`;
}

function commandLines({ words, options, operands }: SpecCommand): string[] {
  const condition = `-n ${quote(`__quern_is ${words.join(" ")}`)}`;
  const own = options.map((option) => `complete -c quern ${condition} ${optionText(option)}`);
  return operands === null ? own : [...own, `complete -c quern ${condition} ${argumentsText(operands)}`];
}

function optionText({ name, takes, about, values }: SpecOption): string {
  const argument = takes === null ? "" : values === null ? " -x" : ` -r ${argumentsText(values)}`;
  return `-l ${name}${argument} -d ${quote(about)}`;
}

function argumentsText(values: Values): string {
  if (values === "files") return "-F";
  if (values === "folders") return "-f -a '(__fish_complete_directories)'";
  return `-f -a ${quote(values === "profiles" ? `(${PROFILE_NAMES})` : values.join(" "))}`;
}

const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
