/** Whatever any caller sends to any operation is answered: the server never fails. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RemoteError } from '../../src/api/client/remote-error'
import { hasBody } from '../../src/api/contract/operation'
import { allOperations, type OperationName } from '../../src/api/contract/operations'
import { CALLER_KINDS } from '../../src/domain/access/caller-kind'
import { isAppError } from '../../src/domain/errors'
import { onEachDatabase } from '../store-contract/databases'
import { EXAMPLES } from './examples'
import { someObject } from './objects'
import { openWorld, type Side, type World } from './world'

/** Requests to each operation, by one caller after the other. */
const TRIES = CALLER_KINDS.length
/** A wait may be as long as it says. */
const LEFT_ALONE = new Set(['waitMs'])

const word = fc.constantFrom('null', '-1', '0', '1e9', '%00', 'constructor', '__proto__', '../..', '\u202e', 'a\u0000b')
const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), word, fc.string({ unit: 'binary', maxLength: 40 }), fc.nat())

/** A good request of which some fields are something else, one is gone, or one is too many. */
const bent = (fields: Record<string, unknown>) => {
  const names = Object.keys(fields).filter((name) => !LEFT_ALONE.has(name))
  return fc
    .record({
      changed: fc.dictionary(fc.constantFrom(...(names.length === 0 ? ['id'] : names)), value, { maxKeys: 2 }),
      gone: fc.option(fc.constantFrom(...names, 'none'), { freq: 3 }),
      added: fc.option(fc.tuple(fc.constantFrom('id', 'limit', 'cursor', 'dir', 'x'), value), { freq: 3 }),
    })
    .map(({ changed, gone, added }) => {
      const entries = Object.entries({ ...fields, ...changed, ...(added && { [added[0]]: added[1] }) })
      return Object.fromEntries(entries.filter(([name]) => name !== gone))
    })
}

/** A query holds texts. */
const asTexts = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, isPlain(one) ? one : JSON.stringify(one)]))
const isPlain = (one: unknown) => typeof one === 'string' || typeof one === 'number'

/** The status that a request is answered with; 0 = the client did not even send it. */
async function statusOf(world: World, side: Side, number: number, seed: number): Promise<[string, number]> {
  const operation = allOperations[Math.floor(number / TRIES)]
  const kind = CALLER_KINDS[number % TRIES]
  if (operation === undefined || kind === undefined) throw new Error(`There is no request ${number}.`)
  const { access, name } = operation
  const example = EXAMPLES[name as OperationName](side, someObject(access === 'public' ? undefined : access.of, side))
  const [sample = {}] = fc.sample(bent(example.fields), { numRuns: 1, seed })
  // Bytes take the body's place: the rest is the query.
  const fields = hasBody(operation.method) && example.bytes === undefined ? sample : asTexts(sample)
  const [body = ''] = fc.sample(fc.oneof(fc.json(), fc.string()), { numRuns: 1, seed })
  const bytes =
    example.bytes === undefined ? undefined : new TextEncoder().encode(seed % 2 === 0 ? body : example.bytes)
  const said = `${name} by ${kind}: ${JSON.stringify(fields)} ${body} (seed ${seed})`
  // What needs no token is the same to everybody; it is no part of calls within a process.
  if (access === 'public' && kind !== 'operator') return [said, 0]
  try {
    const response = await world.callerOf(kind, side).open(operation, fields as never, {
      ...(operation.takes === 'handler' && { headers: { 'content-type': 'application/json' } }),
      ...(bytes && { bytes }),
    })
    await response.body?.cancel()
    return [said, response.status]
  } catch (error) {
    if (error instanceof RemoteError) return [said, error.status]
    if (isAppError(error)) return [said, 0]
    throw error
  }
}

onEachDatabase((database) => {
  test('no request by any caller to any operation makes the server fail', async () => {
    await using world = openWorld(database.store)
    const side = await world.side()
    const first = Math.floor(Math.random() * 1_000_000)
    const failed: string[] = []
    let sent = 0
    for (let number = 0; number < allOperations.length * TRIES; number++) {
      const [said, status] = await statusOf(world, side, number, first + number)
      if (status >= 500) failed.push(`${status} ${said}`)
      if (status !== 0) sent += 1
    }
    expect(failed).toEqual([])
    expect(sent).toBeGreaterThan(allOperations.length * TRIES * 0.9)
  })
})
