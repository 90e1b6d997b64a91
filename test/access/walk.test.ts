/** Every operation, by every kind of caller, on its own and on foreign objects, held against the row that the operation declares. */
import { expect, test } from 'bun:test'
import type { Operation } from '../../src/api/contract/operation'
import { allOperations, type OperationName } from '../../src/api/contract/operations'
import { type Access, COLUMNS, type Column } from '../../src/domain/access/access'
import { isAppError } from '../../src/domain/errors'
import { onEachDatabase } from '../store-contract/databases'
import { EXAMPLES } from './examples'
import { ownObject, someObject } from './objects'
import { openWorld, type Side, type World } from './world'

/** What ends a run, spends a token or shuts a conversation is tried on a side of its own: what comes after it needs a living one. */
const ENDS: ReadonlySet<OperationName> = new Set([
  'agents.join',
  'tasks.cancel',
  'tasks.finish',
  'tasks.pause',
  'tasks.release',
  'tasks.setConversation',
  'inbox.close',
  'messages.withdraw',
  'questions.answer',
  'todos.finalize',
  'tokens.revoke',
  'users.remove',
])

const named = allOperations.filter((one): one is Operation & { access: Access } => one.access !== 'public')

interface Answer {
  /** `ok`, or the error's code. */
  code: string
  text: string
}

async function ask(world: World, operation: Operation, kind: Column | 'admin', side: Side, of: Side, id: string) {
  const { fields, bytes } = EXAMPLES[operation.name as OperationName](
    kind === 'leadRun' ? { ...of, ...of.leading } : of,
    id,
  )
  const client = world.callerOf(kind, side)
  try {
    const response = await client.open(operation, fields as never, {
      ...(bytes !== undefined && { bytes: new TextEncoder().encode(bytes) }),
      ...(operation.takes === 'handler' && { headers: { 'content-type': 'application/json' } }),
    })
    if (operation.answer !== 'events') return { code: 'ok', text: await response.text() }
    await response.body?.cancel()
    return { code: 'ok', text: '' }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { code: error.code, text: JSON.stringify([error.message, error.hint ?? '', error.details ?? {}]) }
  }
}

const REFUSED = ['forbidden', 'unauthorized', 'lease_lost']
const isRefused = ({ code }: Answer) => REFUSED.includes(code)
/** What a caller may not see may just as well not be there. */
const isHidden = (answer: Answer) => isRefused(answer) || answer.code === 'not_found'

/** Operations whose examples name something that does not exist, since this world has no transcripts: an allowed caller hears that. */
const NOT_THERE: ReadonlySet<OperationName> = new Set([
  'conversations.snapshot',
  'import',
  'inbox.removeSource',
  'issues.removeDependency',
  'machines.drain',
  'machines.remove',
  'machines.resume',
  'messages.acknowledge',
  'needs.dismiss',
  'needs.snooze',
  'sessions.acknowledge',
  'sessions.activeTask',
  'sessions.content',
  'sessions.event',
  'sessions.forget',
  'shares.revoke',
  'subagents.get',
  'subagents.markRead',
  'subagents.output',
  'subagents.stop',
  'tasks.workCopyPart',
  'toolUses.get',
  'workers.revoke',
])

/** A run that leads may what every run may, and what its own column adds. */
const grantOf = (access: Access, kind: Column): string | undefined =>
  kind === 'leadRun' ? (access.leadRun ?? access.attempt) : access[kind]

/** Whether a request names no object, so that only the answer tells what the caller may see. */
const isList = (operation: Operation, side: Side): boolean => {
  const make = EXAMPLES[operation.name as OperationName]
  return (
    JSON.stringify(make(side, 'a')) === JSON.stringify(make(side, 'b')) &&
    !JSON.stringify(make(side, 'a')).includes(side.mark)
  )
}

onEachDatabase((database) => {
  test('every operation is open to those alone that its row names, and to them for what it names', async () => {
    await using world = openWorld(database.store)
    const [shared, foreign] = [await world.side(), await world.side()]
    const wrong: string[] = []
    for (const operation of named) {
      const name = operation.name as OperationName
      const { of } = operation.access
      for (const kind of COLUMNS) {
        const grant = grantOf(operation.access, kind)
        const note = (what: string, { code, text }: Answer) =>
          wrong.push(`${name} by ${kind} (${grant ?? 'nobody'}): ${what}: ${code} ${text.slice(0, 200)}`)
        const own = ENDS.has(name) && grant !== undefined ? await world.side() : shared
        const isOfAny = grant === undefined || grant === 'any' || of === undefined
        if (!isOfAny && !isList(operation, foreign)) {
          const theirs = await ask(world, operation, kind, own, foreign, someObject(of, foreign))
          if (!isHidden(theirs)) note('on what is foreign', theirs)
        }
        const id = isOfAny ? someObject(of, own) : ownObject(of, grant, own, kind)
        if (id === undefined) wrong.push(`${name}: there is no example of ${grant}`)
        if (id == null) continue
        const answer = await ask(world, operation, kind, own, own, id)
        if (isRefused(answer) !== (grant === undefined)) note('on its own', answer)
        if (answer.code === 'not_found' && !NOT_THERE.has(name)) note('is not there', answer)
        const isOfRuns = kind === 'attempt' || (kind === 'leadRun' && operation.access.leadRun !== 'any')
        const isPerson = kind === 'operator' || kind === 'approver' || kind === 'viewer'
        const isOfPeople = isPerson || (grant === 'any' && !isOfRuns)
        if (!isOfPeople && answer.text.includes(foreign.mark)) note('tells of others', answer)
      }
    }
    expect(wrong).toEqual([])
    expect(world.log.lines.filter((line) => line.startsWith('error'))).toEqual([])
  })

  test('an admin may what the operator may, but for what would outlive the admin', async () => {
    await using world = openWorld(database.store)
    const wrong: string[] = []
    const shared = await world.side()
    for (const operation of named) {
      const own = ENDS.has(operation.name as OperationName) ? await world.side() : shared
      const answer = await ask(world, operation, 'admin', own, own, someObject(operation.access.of, own))
      const isOpen = operation.answer !== 'refused' && operation.givesAccess !== 'untracked'
      if (isRefused(answer) === isOpen && operation.answer !== 'refused')
        wrong.push(`${operation.name}: ${answer.code} ${answer.text.slice(0, 200)}`)
    }
    expect(wrong).toEqual([])
  })
})
