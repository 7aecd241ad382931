import { AppError } from "../../errors.ts";

/** Names of properties and indexes of lists. */
export type Path = readonly (string | number)[];

/** What is wrong in a schema file, and where. */
export interface Problem {
  /** `tables.orders.columns.total.type` */
  readonly path: string;
  /** Of the text, from 1; absent if the file was not given as text. */
  readonly line?: number;
  readonly message: string;
}

const MAX_PROBLEMS = 50;
const MAX_LISTED = 5;

/** Collects problems, so that one answer names all of them. */
export class Problems {
  readonly #lineOf: (path: Path) => number | undefined;
  readonly #found: Problem[] = [];

  constructor(lineOf: (path: Path) => number | undefined = () => undefined) {
    this.#lineOf = lineOf;
  }

  add(path: Path, message: string, line = this.#lineOf(path)): void {
    if (this.#found.length >= MAX_PROBLEMS) return;
    this.#found.push({ path: path.map(String).join("."), ...(line !== undefined && { line }), message });
  }

  /** @throws AppError `schema.invalid` if there are any */
  check(): void {
    if (this.#found.length === 0) return;
    const listed = this.#found.slice(0, MAX_LISTED).map(describe);
    const rest = this.#found.length - listed.length;
    throw new AppError("schema.invalid", [...listed, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; "), {
      details: { problems: this.#found },
    });
  }
}

function describe({ path, line, message }: Problem): string {
  const place = [line === undefined ? "" : `line ${line}`, path].filter((part) => part !== "").join(", ");
  return place === "" ? message : `${place}: ${message}`;
}
