/** Finds names in the text of a formula without understanding it: enough to follow the renaming of what they name. */

export interface NameInFormula {
  readonly name: string;
  /** Where the name itself begins. */
  readonly from: number;
  /** `$Name`, `.Name`, a name that stands by itself, or one that names an argument of a call, as in `f(Name=1)`. */
  readonly after: "$" | "." | "" | "(";
  /**
   * Of `.Name`: what it is taken from, link by link; of an argument: what is called. `["$Owner"]` in `$Owner.Name`,
   * `["T", "lookupOne", "()"]` in `T.lookupOne(x).Name`. Undefined when that is not made of names and calls alone.
   */
  readonly path: readonly string[] | undefined;
}

/** All names outside texts and comments; those inside the braces of an f-string count. */
export function namesIn(formula: string): NameInFormula[] {
  const found: NameInFormula[] = [];
  new Scanner(formula, found).scan(0, formula.length);
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

/** A comment, the opening of a text with its prefix, a name with what stands before it, a bracket, or a number. */
const TOKEN =
  /#[^\n]*|([A-Za-z]{0,2})('''|"""|'|")|(\$|\s*\.\s*)?([A-Za-z_][A-Za-z0-9_]*)|(\s*[([{])|([)\]}])|\d[\w.]*/g;

/** Something with a value, that ends where another link may begin. */
interface Chain {
  readonly path: readonly string[] | undefined;
  readonly end: number;
}

class Scanner {
  readonly #text: string;
  readonly #found: NameInFormula[];

  constructor(text: string, found: NameInFormula[]) {
    this.#text = text;
    this.#found = found;
  }

  scan(from: number, to: number): void {
    const token = new RegExp(TOKEN);
    token.lastIndex = from;
    /** What stood before each bracket that is open: what is called. */
    const open: (Chain | undefined)[] = [];
    let chain: Chain | undefined;
    for (let match = token.exec(this.#text); match && match.index < to; match = token.exec(this.#text)) {
      const [whole, prefix = "", quoteMark, before = "", name, opening, closing] = match;
      const end = match.index + whole.length;
      const left = chain?.end === match.index ? chain : undefined;
      if (quoteMark !== undefined) {
        token.lastIndex = this.#skipText(end, { quoteMark, isFormat: /f/i.test(prefix), to });
      } else if (name !== undefined) {
        chain = this.#take(name, { before, end, left, called: open.at(-1) });
      } else if (opening !== undefined) {
        open.push(opening.endsWith("(") ? left : undefined);
      } else if (closing !== undefined) {
        const path = open.pop()?.path;
        chain = { path: path && closing === ")" ? [...path, "()"] : undefined, end };
      }
    }
  }

  #take(
    name: string,
    { before, end, left, called }: { before: string; end: number; left: Chain | undefined; called: Chain | undefined },
  ): Chain {
    const from = end - name.length;
    if (before === "" && called && /^\s*=(?!=)/.test(this.#text.slice(end, end + 20))) {
      this.#found.push({ name, from, after: "(", path: called.path });
      return { path: undefined, end };
    }
    const after = before === "$" || before === "" ? before : ".";
    const path = after === "." ? left?.path : [];
    this.#found.push({ name, from, after, path: after === "." ? path : undefined });
    return { path: path && [...path, after === "$" ? `$${name}` : name], end };
  }

  /** Where a text that was opened before `at` ends. Looks into the braces of an f-string. */
  #skipText(at: number, { quoteMark, isFormat, to }: { quoteMark: string; isFormat: boolean; to: number }): number {
    let i = at;
    while (i < to && !this.#text.startsWith(quoteMark, i)) {
      if (this.#text[i] === "\\") i += 2;
      else if (isFormat && this.#text.startsWith("{{", i)) i += 2;
      else if (isFormat && this.#text[i] === "{") {
        const close = this.#closingBrace(i + 1, to);
        this.scan(i + 1, close);
        i = close + 1;
      } else i++;
    }
    return Math.min(i + quoteMark.length, to);
  }

  #closingBrace(from: number, to: number): number {
    let depth = 1;
    for (let i = from; i < to; i++) {
      if (this.#text[i] === "{") depth++;
      else if (this.#text[i] === "}" && --depth === 0) return i;
    }
    return to;
  }
}
