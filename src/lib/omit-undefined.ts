/** A record whose absent values are left out altogether. */
export type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The entries of `record` that are not undefined: for changes in which what is absent stays as it is. */
export function omitUndefined<T extends object>(record: T): WithoutUndefined<T> {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as WithoutUndefined<T>;
}
