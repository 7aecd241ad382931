import type { CalculationLimits } from "./calculation-limits.ts";
import type { DependencyGraph } from "./dependency-graph.ts";
import type { IndexFile } from "./lookups/index-file.ts";

/** Memory of indexes from which garbage is collected after so many blocks. */
const COLLECTIONS = [
  { indexBytes: 80 * 1024 ** 2, blocks: 16 },
  { indexBytes: 32 * 1024 ** 2, blocks: 64 },
] as const;

/** Limits the memory of a calculation's lookup indexes. */
export class IndexMemory {
  readonly #graph: DependencyGraph;
  readonly #limits: CalculationLimits;
  readonly #file: IndexFile | null;
  #blocks = 0;

  /** @param options `file` holds the indexes that exceed the limit; without it, they are dropped after a change */
  constructor(graph: DependencyGraph, options: { limits: CalculationLimits; file: IndexFile | null }) {
    this.#graph = graph;
    this.#limits = options.limits;
    this.#file = options.file;
  }

  /** Call after each block of rows that is computed or indexed. */
  afterBlock(): void {
    if (this.#file) this.#graph.moveLookupsToFile(this.#file, this.#limits.indexBytes);
    this.#blocks++;
    if (this.#isCollectionDue()) Bun.gc(true);
  }

  /** The larger the indexes, the more garbage the engine lets accumulate: as much as they take. */
  #isCollectionDue(): boolean {
    const { bytes } = this.#graph.lookups;
    const frequent = this.#file?.isUsed === true ? COLLECTIONS[0] : COLLECTIONS.find((each) => bytes > each.indexBytes);
    return frequent !== undefined && this.#blocks % frequent.blocks === 0;
  }

  /** Call at the end of a change. */
  afterChange(): void {
    // Small changes collect no garbage: that would take longer than the changes.
    this.#blocks = 0;
    if (this.#file) this.#graph.moveLookupsToFile(this.#file, this.#limits.indexBytes);
    else this.#graph.limitMemory(this.#limits.indexBytes);
  }

  /** Drops large indexes of an idle document, with the dependencies that they record. */
  dropLarge(): void {
    const before = this.#graph.lookups.bytes;
    this.#graph.limitMemory(this.#limits.idleIndexBytes);
    this.#file?.shrink();
    // The engine does not collect the garbage of a thread that does nothing.
    if (this.#graph.lookups.bytes < before || this.#file?.isUsed === true) Bun.gc(true);
  }

  /** Deletes the indexes that are in the file. The calculation must not be used any more. */
  discard(): void {
    this.#file?.clear();
  }
}
