import type { Comprehension, Expression, FunctionBody, Span, Statement, Target } from "../ast.ts";
import type { Source } from "../source.ts";
import { visitExpression } from "./expressions.ts";
import { either, type Known } from "./known.ts";
import type { NamedPlace } from "./places.ts";
import { Scope, type Way } from "./scope.ts";
import { bindTarget, walkStatements } from "./statements.ts";
import type { NamedTables, Walk } from "./walk.ts";

type Owner = FunctionBody | Comprehension | Statement;

/** What a formula is read with. */
export interface Surroundings {
  readonly tables: NamedTables;
  readonly globals: ReadonlyMap<string, Known>;
  cellsOf(table: string, column: string): Known | undefined;
}

/** Often enough for what one turn of a loop hands on to the next. */
const MAX_PASSES = 5;

/** Reads one formula. */
export class Walker implements Walk {
  readonly text: string;
  readonly tables: NamedTables;
  readonly globals: ReadonlyMap<string, Known>;
  readonly cellsOf: Walk["cellsOf"];
  readonly #source: Source;
  readonly #places = new Map<number, NamedPlace>();
  /** What was known of variables anywhere, by what they belong to. */
  readonly #ever = new Map<Owner, Map<string, Known>>();
  readonly #turns = new Map<Statement, Way>();
  /** True when something is read with what is learned only behind it: what a loop or a function holds. */
  #looksBack = false;
  #learned = 0;
  #scope: Scope | undefined;
  #given: Known | undefined;

  constructor(source: Source, { tables, globals, cellsOf }: Surroundings) {
    this.#source = source;
    this.text = source.text;
    this.tables = tables;
    this.globals = globals;
    this.cellsOf = cellsOf;
  }

  /** Goes through the formula until nothing more is learned. Gives what is known of its result. */
  walk(fn: FunctionBody): Known | undefined {
    let known: Known | undefined;
    let before: number;
    let passes = 0;
    do {
      before = this.#learned;
      this.#places.clear();
      known = this.#body(fn);
      passes++;
    } while (this.#looksBack && this.#learned > before && passes < MAX_PASSES);
    return known;
  }

  /** All names that were found, in the order of the text. */
  get places(): NamedPlace[] {
    return [...this.#places.values()].toSorted((left, right) => left.from - right.from);
  }

  get scope(): Scope {
    if (!this.#scope) throw new Error("Nothing is being read");
    return this.#scope;
  }

  visit(node: Expression): Known | undefined {
    return visitExpression(this, node);
  }

  visitMaybe(node: Expression | null): Known | undefined {
    return node ? visitExpression(this, node) : undefined;
  }

  visitFunction(fn: FunctionBody): Known {
    this.#looksBack = true;
    for (const { standard } of [...fn.parameters.names, ...fn.parameters.keywordOnly]) this.visitMaybe(standard);
    const gives = this.#body(fn);
    return { kind: "function", gives: fn.yields ? undefined : gives };
  }

  within<T>(owner: Owner, locals: readonly string[], work: () => T): T {
    const outer = this.#scope;
    const ever = this.#ever.get(owner) ?? new Map<string, Known>();
    this.#ever.set(owner, ever);
    this.#scope = new Scope(kindOf(owner), locals, {
      outer,
      ever,
      learn: (name, known) => {
        if (ever.has(name)) return;
        ever.set(name, known);
        this.#learned++;
      },
    });
    const result = work();
    this.#scope = outer;
    return result;
  }

  bind(target: Target, known: Known | undefined): void {
    bindTarget(this, target, known);
  }

  give(known: Known | undefined): void {
    this.#given = either(this.#given, known);
  }

  turnOf(loop: Statement): Way {
    this.#looksBack = true;
    return this.#turns.get(loop) ?? new Map();
  }

  setTurn(loop: Statement, turn: Way): void {
    const before = this.turnOf(loop);
    for (const [name, known] of turn) if (known && !before.get(name)) this.#learned++;
    this.#turns.set(loop, turn);
  }

  noteTable(span: Span, table: string): void {
    this.#note({ kind: "table", table, ...this.#original(span) });
  }

  noteColumn(span: Span, table: string, column: string): void {
    this.#note({ kind: "column", table, column, ...this.#original(span) });
  }

  noteAttribute(span: Span, name: string): void {
    this.#note({ kind: "attribute", name, ...this.#original(span) });
  }

  #note(place: NamedPlace): void {
    this.#places.set(place.from, place);
  }

  #body(fn: FunctionBody): Known | undefined {
    const outer = this.#given;
    this.#given = undefined;
    this.within(fn, fn.locals, () => walkStatements(this, fn.body));
    const given = this.#given;
    this.#given = outer;
    return given;
  }

  /** Names do not go over lines, so that their length stays. */
  #original({ from, to }: Span): Span {
    const start = this.#source.toOriginal(from);
    return { from: start, to: start + to - from };
  }
}

function kindOf(owner: Owner): Scope["kind"] {
  if (!("kind" in owner)) return "function";
  return owner.kind === "comprehension" ? "comprehension" : "class";
}
