/** A record whose absent values are left out altogether. */
export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The entries of `record` that are not undefined: for changes in which what is absent stays as it is. */
export function defined<T extends object>(record: T): Defined<T> {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}
