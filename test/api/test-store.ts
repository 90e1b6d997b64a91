import { afterAll } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openStore } from '../../src/store/open'
import type { KeptStore } from '../../src/store/sql/kept-store'
import { make } from '../store-contract/databases'

let template: Promise<string> | undefined
let count = 0
const closers: (() => Promise<unknown>)[] = []

/** Is called when the tests of the file are over; what was given last is called first. */
export const atEnd = (close: () => Promise<unknown>): void => {
  closers.push(close)
}

afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/**
 * A SQLite store of its own with nothing in it: a copy of one that is migrated once for each test file. It is closed at the end of the
 * file, or before by `close`.
 */
export async function openTestStore(): Promise<KeptStore> {
  template ??= makeTemplate()
  const path = await template
  count += 1
  const own = join(dirname(path), `${count}.db`)
  copyFileSync(path, own)
  const store = await openStore({ path: own, mode: 'read-write' })
  atEnd(() => store.close())
  return store
}

async function makeTemplate(): Promise<string> {
  const { place, remove } = await make('sqlite')
  atEnd(remove)
  await (await openStore({ ...place, mode: 'read-write', migrate: true })).close()
  return place.path ?? ''
}

/** What one method was called with, which does what it did. */
export function watchCalls<Port extends object, Name extends keyof Port>(port: Port, name: Name): unknown[][] {
  const method = port[name] as (...args: unknown[]) => unknown
  const calls: unknown[][] = []
  port[name] = ((...args: unknown[]) => {
    calls.push(args)
    return method.apply(port, args)
  }) as Port[Name]
  return calls
}
