/** What a table itself has for a key from outside: every object inherits `constructor` and the like. */
export const ownValue = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined
