/**
 * SIGKILL of the agent's CLI, of workers and of the server, and SIGSTOP of the last two, at random points, on both databases: each task
 * still ends once.
 *
 * `LODELINE_LONG=1` kills more often and stops for up to 40 s, `LODELINE_KILLS=N` says how often, `LODELINE_SEED=N` repeats a run's
 * choices.
 */
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { make } from '../store-contract/databases'
import { cleanUp } from './clean-up'
import { type KillLoop, killLoop } from './kill-loop'
import { wrongs } from './kill-loop-checks'

const isLong = process.env.LODELINE_LONG === '1'
const often = process.env.LODELINE_KILLS === undefined ? null : Number(process.env.LODELINE_KILLS)
/** Longer than two leases; in the short form shorter than one. */
const longestPauseMs = isLong ? 40_000 : 3_000
const given = process.env.LODELINE_SEED

describe('whatever is killed, each task ends once, in its own conversation', () => {
  test.each([
    ['sqlite', '2.1.328', often ?? (isLong ? 60 : 9)],
    ['postgres', '2.1.328', often ?? (isLong ? 50 : 9)],
    ['sqlite', '2.1.197', isLong ? 20 : 4],
  ] as const)(
    '%s, CLI %s, %d kills',
    async (kind, version, kills) => {
      const seed = given === undefined ? Math.floor(Math.random() * 1e9) : Number(given)
      const database = kind === 'postgres' ? await make(kind) : null
      let loop: KillLoop | undefined
      try {
        await killLoop({ version, kills, longestPauseMs, seed, databaseUrl: urlOf(database?.place) }, (started) => {
          loop = started
        })
        if (loop === undefined) throw new Error('nothing was started')
        expect(await wrongs(loop)).toEqual([])
      } catch (error) {
        console.error(`seed ${seed}\n${loop?.story.join('\n')}\n${await attemptsOf(loop)}\n${warningsOf(loop)}`)
        throw error
      } finally {
        await cleanUp(
          () => loop?.fleet.stop(),
          () => database?.remove(),
        )
      }
    },
    isLong || often !== null ? 7_200_000 : 300_000,
  )
})

const urlOf = (place: object | undefined): string | undefined =>
  place !== undefined && 'url' in place ? String(place.url) : undefined

/** What the server and the workers warned of, oldest first. */
function warningsOf(loop: KillLoop | undefined): string {
  const path = join(loop?.fleet.world.home ?? '', 'log/lode.log')
  if (!existsSync(path)) return ''
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines
    .filter((line) => /"level":"(?:warn|error)"|\b(?:warn|error)\b/i.test(line))
    .slice(-200)
    .join('\n')
}

/** For a person who looks at a failure. */
async function attemptsOf(loop: KillLoop | undefined): Promise<string> {
  const lines: string[] = []
  for (const { id } of loop?.tasks ?? []) {
    const detail = await loop?.fleet.client.tasks.get(id).catch(() => undefined)
    lines.push(`${id} ${detail?.task.status}: ${detail?.task.reason}`)
    for (const attempt of detail?.attempts ?? [])
      lines.push(
        `  ${attempt.id} ${attempt.agentName} ${attempt.startedAt}–${attempt.endedAt} ${attempt.outcome} ${attempt.conversation?.rung} ${attempt.failureReason ?? ''}`,
      )
  }
  return lines.join('\n')
}
