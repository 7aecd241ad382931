import {
  firstWordsOf,
  PROFILE_NAMES,
  shellQuote,
  subcommandsOf,
  type SpecCommand,
  type SpecOption,
  type Values,
} from "./spec.ts";

/** Returns the completion script for zsh. */
export function zshScript(commands: readonly SpecCommand[]): string {
  const groups = subcommandsOf(commands);
  return `#compdef quern
# Completion of quern for zsh: save it as _quern in a folder of $fpath, or run: source <(quern completion zsh)
_quern() {
  local -a names
  if (( CURRENT == 2 )); then
    names=(${[...firstWordsOf(commands)].map(described).join(" ")})
    _describe -t commands command names
    return
  fi
  local name=$words[2]
  case "$words[2] $words[3]" in
${[...groups.values()]
  .flat()
  .map(({ words }) => `    ${shellQuote(words.join(" "))}) (( CURRENT > 3 )) && name="$words[2] $words[3]" ;;`)
  .join("\n")}
  esac
  if (( CURRENT == 3 )) && [[ $words[3] != -* ]]; then
    case $name in
${[...groups].map(([first, group]) => groupCase(first, group)).join("\n")}
    esac
  fi
  [[ $name == *' '* ]] && { shift words; (( CURRENT-- )) }
  shift words; (( CURRENT-- ))
  case $name in
${commands.map(commandCase).join("\n")}
  esac
}
_quern_profiles() { local -a names; names=(\${(f)"$(${PROFILE_NAMES})"}); compadd -a names }
if [[ $funcstack[1] == _quern ]]; then _quern "$@"; else compdef _quern quern; fi
`;
}

function groupCase(first: string, group: readonly SpecCommand[]): string {
  const names = group.map(({ words, about }) => described([words[1] ?? "", about])).join(" ");
  return `      ${first}) names=(${names}); _describe -t commands command names; return ;;`;
}

const described = ([word, about]: readonly [string, string]): string =>
  shellQuote(`${word.replaceAll(":", "\\:")}:${about.replaceAll("`", "")}`);

function commandCase({ words, options, operands }: SpecCommand): string {
  const specs = [...options.map(optionSpec), ...(operands === null ? [] : [`*::argument:${actionOf(operands)}`])];
  return `    ${shellQuote(words.join(" "))}) _arguments ${specs.map(shellQuote).join(" ")} ;;`;
}

function optionSpec({ name, takes, about, values }: SpecOption): string {
  const text = about.replaceAll(/[[\]\\:]/g, "\\$&").replaceAll("`", "");
  if (takes === null) return `--${name}[${text}]`;
  return `*--${name}[${text}]:${takes.replaceAll(/[:\\]/g, "\\$&")}:${values === null ? "( )" : actionOf(values)}`;
}

function actionOf(values: Values): string {
  if (values === "files") return "_files";
  if (values === "folders") return "_files -/";
  return values === "profiles" ? "_quern_profiles" : `(${values.join(" ")})`;
}
