import { firstWordsOf, PROFILE_NAMES, shellQuote, subcommandsOf, type SpecCommand, type Values } from "./spec.ts";

/** Returns the completion script for bash. */
export function bashScript(commands: readonly SpecCommand[]): string {
  const groups = subcommandsOf(commands);
  return `# Completion of quern for bash: source it, or save it as ~/.local/share/bash-completion/completions/quern
_quern() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} name=\${COMP_WORDS[1]} options= operands=
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    _quern_words ${shellQuote([...firstWordsOf(commands).keys(), "--help", "--version"].join(" "))}
    return
  fi
  case "$name \${COMP_WORDS[2]}" in
${[...groups.values()]
  .flat()
  .map(
    ({ words }) => `    ${shellQuote(words.join(" "))}) [[ $COMP_CWORD -gt 2 ]] && name="$name \${COMP_WORDS[2]}" ;;`,
  )
  .join("\n")}
  esac
  if [[ $COMP_CWORD -eq 2 && $current != -* ]]; then
    case $name in
${[...groups]
  .map(
    ([first, group]) =>
      `      ${first}) _quern_words ${shellQuote(group.map(({ words }) => words[1]).join(" "))}; return ;;`,
  )
  .join("\n")}
    esac
  fi
  case $name in
${commands.map(commandCase).join("\n")}
  esac
  if [[ $current == -* ]]; then
    _quern_words "$options"
  elif [[ -n $operands ]]; then
    eval "$operands"
  fi
}
_quern_words() { COMPREPLY=($(compgen -W "$1" -- "\${COMP_WORDS[COMP_CWORD]}")); }
_quern_profiles() { _quern_words "$(${PROFILE_NAMES})"; }
_quern_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _quern quern
`;
}

function commandCase({ words, options, operands }: SpecCommand): string {
  const values = options.flatMap(({ name, takes, values: known }) =>
    takes === null ? [] : [`        --${name}) ${known === null ? "return" : `${call(known)}; return`} ;;`],
  );
  return [
    `    ${shellQuote(words.join(" "))})`,
    `      options=${shellQuote(options.map(({ name }) => `--${name}`).join(" "))}`,
    ...(operands === null ? [] : [`      operands=${shellQuote(call(operands))}`]),
    ...(values.length === 0 ? [] : ["      case $previous in", ...values, "      esac"]),
    "      ;;",
  ].join("\n");
}

function call(values: Values): string {
  if (values === "files") return "_quern_files -f";
  if (values === "folders") return "_quern_files -d";
  return values === "profiles" ? "_quern_profiles" : `_quern_words '${values.join(" ")}'`;
}
