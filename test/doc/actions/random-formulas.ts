import type { Random } from "../../helpers/random.ts";

/** The tables that random formulas use: column → table of its records, or "" for plain values. */
export const LIBRARY = {
  Authors: { Name: "", Born: "", Mentor: "Authors", Friends: "Authors", Best: "Books", Newest: "Books" },
  Books: { Title: "", Name: "", Price: "", Author: "Authors", Readers: "Authors", Sequel: "Books", Rival: "Books" },
} as const;

type Table = keyof typeof LIBRARY;

const TABLES: readonly Table[] = ["Authors", "Books"];
const NUMBERS = { Authors: ["Born"], Books: ["Price"] } as const;
const TEXTS = { Authors: ["Name"], Books: ["Title", "Name"] } as const;
const ONE = { Authors: ["Mentor", "Best", "Newest"], Books: ["Author", "Sequel", "Rival"] } as const;
const MANY = { Authors: ["Friends"], Books: ["Readers"] } as const;

/** Generates formulas with every kind of name reference that renames update. */
export class RandomFormulas {
  readonly #random: Random;
  readonly #owner: Table;
  /** Variables with the table of their record. */
  #variables: { name: string; table: Table }[] = [];
  #count = 0;

  constructor(random: Random, owner: Table) {
    this.#random = random;
    this.#owner = owner;
  }

  /** Returns a formula of the owner table. */
  next(): string {
    this.#variables = [];
    this.#count = 0;
    const lines = Array.from({ length: this.#random.below(4) }, () => this.#statement(""));
    return [...lines, `return ${this.#value(3)}`].join("\n");
  }

  #statement(indent: string): string {
    const random = this.#random;
    const table = random.pick(TABLES);
    const known = this.#variables.slice();
    const inner = (work: () => string): string => {
      const text = work();
      this.#variables = known.slice();
      return text;
    };
    const name = `v${this.#count++}`;
    const later = (): void => void this.#variables.push({ name, table });
    const block = () => inner(() => this.#statement(`${indent}  `));
    switch (random.below(indent.length > 4 ? 2 : 11)) {
      case 6: {
        const [first, second] = [this.#record(table, 1), this.#record(table, 1)];
        const line = `${indent}(${name}, (x, *y)) = ${first}, (${second}, ${this.#value(0)})`;
        later();
        return line;
      }
      case 7: {
        const source = this.#source(table, 1);
        const start = this.#record(table, 1);
        const body = inner(() => {
          later();
          return block();
        });
        const line = `${indent}${name} = ${start}\n${indent}for i${name}, ${name} in enumerate(${source}):\n${body}`;
        later();
        return line;
      }
      case 8: {
        const start = this.#record(table, 1);
        const body = inner(() => {
          later();
          return `${indent}  ${name} = ${this.#record(table, 1)}\n${indent}  n${name} += 1`;
        });
        const line = `${indent}${name} = ${start}\n${indent}n${name} = 0\n${indent}while n${name} < 3 and ${name}:\n${body}`;
        later();
        return line;
      }
      case 9: {
        const line = `${indent}class C${name}:\n${indent}  field = ${this.#value(1)}\n${indent}  def at(self): return ${this.#record(table, 1)}\n${indent}${name} = ${this.#record(table, 1)}`;
        later();
        return line;
      }
      case 10: {
        const line = `${indent}match ${this.#record(table, 1)}:\n${indent}  case ${name} if ${this.#value(0)} is None:\n${indent}    pass\n${indent}  case ${name}:\n${indent}    pass`;
        later();
        return line;
      }
      case 0:
      case 1: {
        const line = `${indent}${name} = ${this.#record(table, 2)}`;
        later();
        return line;
      }
      case 2: {
        const [yes, no] = [this.#record(table, 1), this.#record(table, 1)];
        const line = `${indent}if ${this.#value(1)}:\n${indent}  ${name} = ${yes}\n${indent}else:\n${indent}  ${name} = ${no}`;
        later();
        return line;
      }
      case 3: {
        const start = this.#record(table, 1);
        const source = this.#source(table, 1);
        const body = inner(() => {
          later();
          return `${block()}\n${indent}  if ${this.#value(1)}: break`;
        });
        const line = `${indent}${name} = ${start}\n${indent}for ${name} in ${source}:\n${body}`;
        later();
        return line;
      }
      case 4: {
        const value = this.#record(table, 2);
        const line = `${indent}def f${name}():\n${indent}  return ${value}\n${indent}${name} = f${name}()`;
        later();
        return line;
      }
      default:
        return `${indent}try:\n${block()}\n${indent}except ValueError:\n${indent}  pass  # Name`;
    }
  }

  /** Returns an expression for a record of the table. */
  #record(table: Table, depth: number): string {
    const random = this.#random;
    const own = this.#variables.filter((variable) => variable.table === table);
    const inner = () => this.#record(table, depth - 1);
    if (depth === 0) {
      const known = random.pick([...own.map(({ name }) => name), ...(table === this.#owner ? ["rec"] : []), ""]);
      return known === "" ? this.#reached(table) : known;
    }
    switch (random.below(18)) {
      case 12:
        return `${table}.lookupOne(id=${inner()})`;
      case 13:
        return `IFERROR(${inner()}, ${inner()})`;
      case 14:
        return `next((${inner()} for _ in [1]), None)`;
      case 15:
        return `min(${this.#source(table, depth - 1)}, default=${inner()})`
          .replace(", default=", " or [")
          .replace(/\)$/, "])");
      case 16:
        return `(${inner()}, ${this.#value(0)})[0]`;
      case 17:
        return `(lambda: ${inner()})()`;
      case 0:
        return `${table}.lookupOne(${this.#conditions(table, depth)})`;
      case 1:
        return `VLOOKUP(${table}, ${this.#condition(table, depth)})`;
      case 2:
        return `${random.pick(["PREVIOUS", "NEXT"])}(${inner()}, order_by=${this.#order(table)})`;
      case 3:
        return `${random.pick(["PREVIOUS", "NEXT"])}(${inner()}, group_by=${this.#order(table).replaceAll("-", "")}, order_by=None)`;
      case 4:
        return `(${inner()} or ${inner()})`;
      case 5:
        return `IF(${this.#value(depth - 1)}, ${inner()}, ${inner()})`;
      case 6:
        return `(${inner()} if ${this.#value(depth - 1)} else ${inner()})`;
      case 7:
        return `(${this.#source(table, depth - 1)} or [${inner()}])[0]`;
      case 8:
        return `sorted(${this.#source(table, depth - 1)} or [${inner()}])[-1]`;
      case 9:
        return `${table}.lookupRecords(order_by=${this.#order(table)}).find.${random.pick(["lt", "ge"])}(${this.#value(0)})`;
      case 10:
        return `(w${this.#count} := ${inner()})`;
      default:
        return this.#reached(table);
    }
  }

  /** Returns an expression that reaches a record through references. */
  #reached(table: Table): string {
    const random = this.#random;
    const from = this.#variables.length > 0 && random.below(2) === 0 ? random.pick(this.#variables) : undefined;
    let at: Table = from?.table ?? this.#owner;
    let text = from?.name ?? random.pick(["$", "rec"]);
    for (let step = 0; step < 2 || at !== table; step++) {
      const columns = ONE[at].filter((id) => LIBRARY[at][id as never] === table || step < 2);
      const column: string = random.pick(columns.length > 0 ? columns : ONE[at]);
      text = text === "$" ? `$${column}` : `${text}.${column}`;
      at = LIBRARY[at][column as never];
    }
    return text;
  }

  /** Returns an expression for records of the table that loops can iterate over. */
  #source(table: Table, depth: number): string {
    if (depth <= 0 || this.#random.below(3) === 0) return `${table}.all`;
    const order = this.#random.below(2) === 0 ? `, order_by=${this.#order(table)}` : "";
    return `${table}.lookupRecords(${this.#conditions(table, depth)}${order})`;
  }

  #condition(table: Table, depth: number): string {
    const column = this.#random.pick([...NUMBERS[table], ...TEXTS[table]]);
    return `${column}=${this.#value(depth - 1)}`;
  }

  #conditions(table: Table, depth: number): string {
    const target = ONE[table][1];
    const more = [
      `${target}=${this.#record(LIBRARY[table][target as never], depth - 1)}`,
      `${MANY[table][0]}=CONTAINS(${this.#record("Authors", depth - 1)})`,
      `${NUMBERS[table][0]}=${this.#value(depth - 1)}`,
    ];
    const text = `${TEXTS[table][0]}=${this.#value(depth - 1)}`;
    return this.#random.pick([text, ...more, `${text}, ${this.#random.pick(more)}`]);
  }

  #order(table: Table): string {
    const names = [...NUMBERS[table], ...TEXTS[table], ...ONE[table].slice(0, 2)];
    const one = () => `${this.#random.pick(["'", '"'])}${this.#random.pick(["", "-"])}${this.#random.pick(names)}`;
    const quoted = () => {
      const open = one();
      return open + open.charAt(0);
    };
    return this.#random.pick([quoted(), `(${quoted()}, ${quoted()})`]);
  }

  /** Returns an expression for a value that can be compared and printed. */
  #value(depth: number): string {
    const random = this.#random;
    const table = random.pick(TABLES);
    const column = (of: Table) => random.pick([...NUMBERS[of], ...TEXTS[of]]);
    if (depth <= 0) return random.pick([`$${column(this.#owner)}`, `rec . ${column(this.#owner)}`, "'Name'", "1970"]);
    const inner = () => this.#value(depth - 1);
    switch (random.below(9)) {
      case 0:
        return `${this.#record(table, depth - 1)}.${column(table)}`;
      case 1:
        return `f"{${this.#record(table, depth - 1).replaceAll('"', "'")}.${column(table)}} Name {{Name}}"`;
      case 2:
        return this.#comprehension(table, depth);
      case 3:
        return `list(${this.#source(table, depth - 1)}.${column(table)})`;
      case 4:
        return `(lambda: ${inner()})()`;
      case 5:
        return `{'Name': ${inner()}, 'Born': 1}['Name']`;
      case 6:
        return `str(${inner()}) + str(${inner()})`;
      case 7:
        return `len(${this.#record(table, depth - 1)}.${MANY[table][0]}.${random.pick(["Name", "Born"])})`;
      default:
        return `(${inner()}, dict(Name=${inner()}))`;
    }
  }

  #comprehension(table: Table, depth: number): string {
    const name = `c${this.#count++}`;
    const source = this.#source(table, depth - 1);
    const known = this.#variables;
    this.#variables = [...known, { name, table }];
    const column = this.#random.pick([...NUMBERS[table], ...TEXTS[table]]);
    const text = `[(${name}.${column}, ${this.#value(depth - 1)}) for ${name} in ${source} if ${this.#value(depth - 1)}]`;
    this.#variables = known;
    return text;
  }
}
