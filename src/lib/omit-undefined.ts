/** A record whose undefined entries are omitted. */
export type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the entries of `record` that are not undefined: for patches in which absent keys leave values unchanged. */
export function omitUndefined<T extends object>(record: T): WithoutUndefined<T> {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as WithoutUndefined<T>;
}
