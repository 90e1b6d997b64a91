import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../domain/errors'
import { eventId, sessionId } from '../../../domain/ids'
import type { WorkerClient } from '../../options'
import { conversationSteps, isBegun, type StepsOptions, whenRecorded } from './conversation-steps'

const root = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(root, { recursive: true, force: true }))
const ID = sessionId('11111111-1111-4111-8111-111111111111')
const notFound = () => new AppError('not_found', 'no such session')
let turn = 0

/** @param facts  bytes of the local copy, recorded transcripts by when they were begun, tokens that the model answered with */
function world(
  facts: { local?: number; recorded?: number[]; elsewhere?: number; answered?: number; fails?: AppError } = {},
) {
  const folder = join(root, String(++turn))
  mkdirSync(folder)
  const path = join(folder, 'transcript.jsonl')
  if (facts.local !== undefined) writeFileSync(path, 'x'.repeat(facts.local))
  const restored: string[] = []
  const client = {
    sessions: {
      async journals() {
        if (facts.recorded === undefined) throw notFound()
        const incarnations = facts.recorded.map((size, n) => ({ size, openedAt: `2026-01-0${n + 1}T00:00:00.000Z` }))
        const journals = [{ kind: 'transcript', path, incarnations: incarnations.reverse() }]
        // That of another machine, begun later.
        const other = { size: facts.elsewhere, openedAt: '2026-02-01T00:00:00.000Z' }
        if (facts.elsewhere !== undefined) journals.push({ kind: 'transcript', path, incarnations: [other as never] })
        return { journals }
      },
      async get() {
        if (facts.answered === undefined) throw notFound()
        return { session: { usage: { outputTokens: facts.answered }, counts: { toolCalls: 0 } } }
      },
      export: () => (async function* () {})(),
    },
    conversations: {
      async snapshot() {
        if (facts.fails) throw facts.fails
        return { bytes: new Uint8Array([1]), lastUuid: 'u1' }
      },
    },
  } as unknown as WorkerClient
  const options: StepsOptions = {
    program: { path: '/usr/bin/agent', env: {} },
    forkAt: null,
    harness: {
      agent: 'claude-code',
      transcriptPath: () => path,
      openedBy: () => null,
      async restore() {
        if (facts.fails) throw facts.fails
        restored.push(ID)
      },
      cutAtLastTurn: () => null,
    },
    place: { root: folder, cwd: folder },
    formerCwd: null,
    client,
    writeSnapshot: () => '/snapshot.jsonl',
    signal: new AbortController().signal,
  }
  return { options, steps: conversationSteps(options), restored }
}

const failure = async (work: Promise<unknown>) => work.catch((error: AppError) => error.code)

describe('a local copy of a conversation', () => {
  test('is resumed when the record holds no more than it', async () => {
    expect(await world({ local: 5, recorded: [5] }).steps.localObstacle(ID)).toBeNull()
    // The record may be behind, or know nothing of it.
    expect(await world({ local: 5, recorded: [3] }).steps.localObstacle(ID)).toBeNull()
    expect(await world({ local: 5 }).steps.localObstacle(ID)).toBeNull()
  })

  test('is not resumed when it is missing, empty, or went on elsewhere since', async () => {
    expect(await world({ recorded: [5] }).steps.localObstacle(ID)).toMatchObject({ reason: 'transcript_missing' })
    expect(await world({ local: 0, recorded: [5] }).steps.localObstacle(ID)).toMatchObject({
      reason: 'transcript_empty',
    })
    const behind = await world({ local: 5, recorded: [7], elsewhere: 3 }).steps.localObstacle(ID)
    expect(behind).toMatchObject({ reason: 'transcript_shorter' })
    const shorter = await world({ local: 5, recorded: [9, 7] }).steps.localObstacle(ID)
    expect(shorter).toMatchObject({ reason: 'transcript_shorter' })
    expect(shorter?.detail).toContain('5 of 7')
    // What it was before it was rewritten says nothing.
    expect(await world({ local: 5, recorded: [9, 5] }).steps.localObstacle(ID)).toBeNull()
  })
})

describe('a rung that can not be', () => {
  test('says why, in a word and a sentence', async () => {
    const differs = new AppError('conflict', 'a file is there that differs')
    expect(await world({ fails: differs }).steps.restore(ID)).toEqual({
      reason: 'transcript_differs',
      detail: 'a file is there that differs',
    })
    expect(await world({ fails: notFound() }).steps.restore(ID)).toMatchObject({ reason: 'not_recorded' })
    expect(await world({ fails: notFound() }).steps.snapshot(ID)).toMatchObject({ reason: 'no_finished_turn' })
    const large = new AppError('too_large', 'more than 64 MiB')
    expect(await world({ fails: large }).steps.snapshot(ID)).toMatchObject({ reason: 'too_large' })
  })

  test('is not given up because the server is away', async () => {
    const fails = new AppError('unavailable', 'away')
    expect(await failure(world({ fails }).steps.restore(ID))).toBe('unavailable')
    expect(await failure(world({ fails }).steps.snapshot(ID))).toBe('unavailable')
  })

  test('because the agent CLI has nothing of the kind says that, and the server is not asked', async () => {
    const { options, restored } = world({ local: 5, recorded: [9], fails: new AppError('internal', 'asked') })
    const poor = { ...options.harness, restore: null, cutAtLastTurn: null, transcriptPath: () => null }
    const steps = conversationSteps({ ...options, harness: poor })
    expect(await steps.restore(ID)).toMatchObject({ reason: 'cannot_restore' })
    expect(await steps.snapshot(ID)).toMatchObject({ reason: 'cannot_copy' })
    // It keeps no file to be looked at: it is tried.
    expect(await steps.localObstacle(ID)).toBeNull()
    expect(restored).toEqual([])
  })

  test('that can be is done', async () => {
    const { steps, restored } = world({ recorded: [5] })
    expect(await steps.restore(ID)).toBeNull()
    expect(restored).toHaveLength(1)
    expect(await steps.snapshot(ID)).toEqual({ path: '/snapshot.jsonl', lastUuid: 'u1' })
  })
})

test("a copy is made of this machine's own file when the record is behind it, up to the last finished turn", async () => {
  const { options } = world({ local: 5, recorded: [3], fails: notFound() })
  const written: Uint8Array[] = []
  const cut = (bytes: Uint8Array) => ({ bytes: bytes.slice(0, 4), lastUuid: 'own' })
  const steps = (change: Partial<StepsOptions>) =>
    conversationSteps({
      ...options,
      harness: { ...options.harness, cutAtLastTurn: cut },
      // Spares the wait for the record.
      signal: AbortSignal.timeout(50),
      writeSnapshot: (bytes) => {
        written.push(bytes)
        return '/own.jsonl'
      },
      ...change,
    })
  expect(await steps({}).snapshot(ID)).toEqual({ path: '/own.jsonl', lastUuid: 'own' })
  expect(written.map((bytes) => Buffer.from(bytes).toString())).toEqual(['xxxx'])
  // Where a copy ends inside of a conversation, the record alone knows.
  const forkAt = eventId('0197d2a0-0000-7000-8000-000000000001')
  expect(await steps({ forkAt }).snapshot(ID)).toMatchObject({ reason: 'no_finished_turn' })
  expect(written).toHaveLength(1)
})

test('a conversation without a file is read once the record has all that its CLI has, or after a while', async () => {
  const { options } = world()
  const bytes = ['', 'one\n', 'one\ntwo\n']
  let looks = 0
  const client = {
    sessions: {
      journals: async () => ({
        journals: [
          { kind: 'transcript', path: 'x', incarnations: [{ size: (bytes[looks] ?? '').length, openedAt: '' }] },
        ],
      }),
      async *export() {
        yield { relativePath: `${ID}.jsonl`, bytes: [Buffer.from(bytes[looks++] ?? '')] }
      },
    },
  } as unknown as WorkerClient
  const read: string[] = []
  const harness = {
    ...{ transcriptPath: () => null },
    isRecorded: (_: unknown, __: string, transcript: Uint8Array) => {
      const text = new TextDecoder().decode(transcript)
      read.push(text)
      if (text === '') looks++
      return text === bytes[2]
    },
  }
  expect(await whenRecorded({ ...options, client, harness }, ID)).toBe(true)
  expect(read).toEqual(bytes)
  expect(await whenRecorded({ ...options, client, harness: { transcriptPath: () => null } }, ID)).toBe(true)
  const aborted = AbortSignal.abort()
  expect(await whenRecorded({ ...options, client, harness, signal: aborted }, ID)).toBe(false)
})

test('a conversation was begun when anything of it is here, recorded, or told by the output of its run', async () => {
  const begun = (facts: Parameters<typeof world>[0]) => isBegun(world(facts).options, ID)
  expect(await begun({ local: 5 })).toBe(true)
  expect(await begun({ recorded: [5] })).toBe(true)
  expect(await begun({ answered: 3 })).toBe(true)
  expect(await begun({ local: 0, answered: 0 })).toBe(false)
  expect(await begun({})).toBe(false)
})
