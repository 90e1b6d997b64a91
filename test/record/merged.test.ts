/** Pull requests that the record shows to be merged, on both databases: by calls, by what outputs say, and by none of it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { UTC } from '../../src/domain/cost/zone-days'
import { sessionId } from '../../src/domain/ids'
import { TranscriptLines } from '../browser/world/world-lines'
import { onEachDatabase } from '../store-contract/databases'
import { recorderOn, transcript, write } from './recording'

const START = Date.parse('2026-11-20T10:00:00Z')
const HOUR_MS = 3_600_000
let root: string
beforeAll(() => {
  root = mkdtempSync('/tmp/ld-')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const addressOf = (number: number): string => `https://github.com/o/r/pull/${number}`

onEachDatabase((database) => {
  const kept = () => database.store
  /** A session of these commands and their outputs, this many hours after the first. */
  async function session(
    hour: number,
    commands: readonly [string, string, isError?: boolean][],
    cwd = '/home/user/project',
  ) {
    const id = sessionId(crypto.randomUUID())
    const lines = new TranscriptLines(id, cwd, START + hour * HOUR_MS)
    const text = [
      lines.prompt('Go on.'),
      ...commands.flatMap(([command, output, isError = false]) => lines.call('Bash', { command }, output, { isError })),
    ]
    const ref = transcript(root, id)
    write(ref, `${text.join('\n')}\n`)
    expect((await recorderOn(kept()).recordFile(ref)).state).toBe('grown')
    return id
  }
  const mergedOf = async (id: ReturnType<typeof sessionId>) =>
    Object.fromEntries(
      (await kept().sessions.outcome(id))?.products.flatMap(({ kind, name, mergedAt }) =>
        kind === 'pull_request' ? [[name.split('/').at(-1), mergedAt]] : [],
      ) ?? [],
    )
  const create = (number: number): [string, string] => ['gh pr create --fill', `${addressOf(number)}\n`]

  test('a request is merged once a call merged it, or an output says so, in any session of its project', async () => {
    const own = await session(0, [
      create(11),
      ['gh pr merge --squash', 'GraphQL: Pull request is not mergeable', true],
      ['gh pr merge --squash', ''],
      create(12),
      create(13),
      create(14),
      ['gh pr merge 14 --auto --squash', 'will be merged automatically'],
      create(15),
      ['gh pr merge 16', 'no such pull request', true],
      create(16),
      create(17),
    ])
    expect(await mergedOf(own)).toEqual({
      ...{ 11: '2026-11-20T10:00:05.000Z', 12: null, 13: null, 14: null, 15: null, 16: null, 17: null },
    })
    // In other sessions, later; of another project only its address counts.
    await session(2, [
      ['gh pr merge 12 -m', ''],
      ['git log --oneline -3', '1a2b3c4 Light the buoys (#13)\n2b3c4d5 Begin'],
    ])
    await session(
      3,
      [
        ['git log --oneline', '1a2b3c4 Paint (#15)'],
        ['gh pr view', `state:\tMERGED\nurl:\t${addressOf(16)}`],
      ],
      '/home/user/other',
    )
    // A number that was there before the request was made means another thing.
    await session(-2, [['git log --oneline', '1a2b3c4 An issue (#17)']])
    expect(await mergedOf(own)).toMatchObject({
      ...{ 12: '2026-11-20T12:00:01.000Z', 13: '2026-11-20T12:00:04.000Z', 14: null, 15: null, 17: null },
      16: '2026-11-20T13:00:04.000Z',
    })
  })

  test('costs count what was merged in their time, whenever it was made', async () => {
    const made = async (from: number, to: number) =>
      (
        await kept().costs.overTime({
          ...{ since: START + from * HOUR_MS, until: START + to * HOUR_MS },
          ...{ step: 'hour', stack: 'model', timeZone: UTC },
        })
      ).made
    expect(await made(-3, 1)).toMatchObject({ pullRequests: 7, mergedRequests: 1 })
    expect(await made(1, 2.5)).toMatchObject({ pullRequests: 0, mergedRequests: 2 })
    expect(await made(-3, 24)).toMatchObject({ pullRequests: 7, mergedRequests: 4 })
    expect(await made(10, 24)).toMatchObject({ pullRequests: 0, mergedRequests: 0 })
  })
})
