/** Finds names in the text of a formula without understanding it: enough to follow the renaming of what they name. */

export interface NameInFormula {
  readonly name: string;
  /** Where the name itself begins. */
  readonly from: number;
  /** `$Name`, `.Name`, or a name that stands by itself. */
  readonly after: "$" | "." | "";
  /** Of `.Name`: the name before the point, where it is one; `rec` in `rec.Name`. */
  readonly owner: string | undefined;
}

/** All names outside texts and comments; those inside the braces of an f-string count. */
export function namesIn(formula: string): NameInFormula[] {
  const found: NameInFormula[] = [];
  scan(formula, 0, formula.length, found);
  return found;
}

/** The formula with other names in some places. */
export function replaceNames(formula: string, replace: (name: NameInFormula) => string | undefined): string {
  let text = "";
  let at = 0;
  for (const found of namesIn(formula)) {
    const other = replace(found);
    if (other === undefined) continue;
    text += formula.slice(at, found.from) + other;
    at = found.from + found.name.length;
  }
  return text + formula.slice(at);
}

/** A comment, the opening of a text with its prefix, or a name with what stands before it. */
const TOKEN = /#[^\n]*|([A-Za-z]{0,2})('''|"""|'|")|(\$|[ \t]*\.[ \t]*)?([A-Za-z_][A-Za-z0-9_]*)|\d[\w.]*/g;

function scan(text: string, from: number, to: number, found: NameInFormula[]): void {
  const token = new RegExp(TOKEN);
  token.lastIndex = from;
  let owner: { name: string; end: number } | undefined;
  for (let match = token.exec(text); match && match.index < to; match = token.exec(text)) {
    const [whole, prefix = "", quoteMark, before = "", name] = match;
    const end = match.index + whole.length;
    if (quoteMark !== undefined) {
      token.lastIndex = skipText(text, end, { quoteMark, isFormat: /f/i.test(prefix), to, found });
    } else if (name !== undefined) {
      const after = before === "$" || before === "" ? before : ".";
      const isOwned = after === "." && owner?.end === match.index;
      found.push({ name, from: end - name.length, after, owner: isOwned ? owner?.name : undefined });
      owner = { name: after === "" ? name : "", end };
    }
  }
}

interface TextToken {
  readonly quoteMark: string;
  readonly isFormat: boolean;
  readonly to: number;
  readonly found: NameInFormula[];
}

/** Where a text that was opened before `at` ends. Looks into the braces of an f-string. */
function skipText(text: string, at: number, { quoteMark, isFormat, to, found }: TextToken): number {
  let i = at;
  while (i < to && !text.startsWith(quoteMark, i)) {
    if (text[i] === "\\") i += 2;
    else if (isFormat && text.startsWith("{{", i)) i += 2;
    else if (isFormat && text[i] === "{") {
      const close = closingBrace(text, i + 1, to);
      scan(text, i + 1, close, found);
      i = close + 1;
    } else i++;
  }
  return Math.min(i + quoteMark.length, to);
}

function closingBrace(text: string, from: number, to: number): number {
  let depth = 1;
  for (let i = from; i < to; i++) {
    if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return i;
  }
  return to;
}
