/**
 * Faults at random points on both databases: SIGKILL of the agent's CLI, of workers and of servers, SIGSTOP of the last two, and a network
 * between them that refuses, swallows, cuts and delays, up to twice the lease. On PostgreSQL there are two servers. Each task still ends
 * once, and never runs twice at a time.
 *
 * `LODELINE_LONG=1` does so more often, `LODELINE_KILLS=N` says how often, `LODELINE_SEED=N` repeats a run's choices. `LODELINE_APART=1`
 * puts the workers on PostgreSQL into spaces of pids and networks of their own.
 */
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KillLoop, killLoop } from './kill-loop'
import { wrongs } from './kill-loop-checks'

const isLong = process.env.LODELINE_LONG === '1'
/** The workers of the loop on PostgreSQL are on a machine with pids and a network of its own. */
const isApart = process.env.LODELINE_APART === '1'
const often = process.env.LODELINE_KILLS === undefined ? null : Number(process.env.LODELINE_KILLS)
const given = process.env.LODELINE_SEED

describe('whatever is killed or cut off, each task ends once, in its own conversation, and never runs twice at a time', () => {
  test.each([
    ['sqlite', '2.1.328', often ?? (isLong ? 60 : 10)],
    ['postgres', '2.1.328', often ?? (isLong ? 60 : 10)],
    ['sqlite', '2.1.197', isLong ? 20 : 4],
  ] as const)(
    '%s, CLI %s, %d faults',
    async (kind, version, kills) => {
      const seed = given === undefined ? Math.floor(Math.random() * 1e9) : Number(given)
      let loop: KillLoop | undefined
      try {
        await killLoop({ version, kills, seed, database: kind, isApart: isApart && kind === 'postgres' }, (started) => {
          loop = started
        })
        if (loop === undefined) throw new Error('nothing was started')
        const { found, attempts, overlaps } = await wrongs(loop)
        const counts = [...loop.counts].map(([fault, count]) => `${fault} ${count}`).join(', ')
        const what = `${loop.tasks.length} tasks, ${attempts} attempts, ${overlaps} overlaps, ${loop.messages.length} messages`
        console.log(`${kind}, CLI ${version}, seed ${seed}: ${kills} faults (${counts}), ${what}`)
        expect(found).toEqual([])
      } catch (error) {
        console.error(
          `seed ${seed}\n${loop?.story.join('\n')}\n${await attemptsOf(loop)}\n${await unreadOf(loop)}\n${warningsOf(loop)}`,
        )
        throw error
      } finally {
        await loop?.stop()
      }
    },
    isLong || often !== null ? 7_200_000 : 300_000,
  )
})

/** What the servers and the workers warned of, oldest first for each folder. */
function warningsOf(loop: KillLoop | undefined): string {
  return [...new Set([...(loop?.homes ?? []), loop?.workersHome ?? ''])].map(warningsIn).join('\n')
}

function warningsIn(home: string): string {
  const path = join(home, 'log/lode.log')
  if (!existsSync(path)) return ''
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines
    .filter((line) => /"level":"(?:warn|error)"|\b(?:warn|error)\b/i.test(line))
    .slice(-200)
    .join('\n')
}

/** Messages that were not read, with their ways. */
async function unreadOf(loop: KillLoop | undefined): Promise<string> {
  const lines: string[] = []
  for (const { id } of loop?.messages ?? []) {
    const found = await loop?.lab.lode.client.messages.get(id).catch(() => undefined)
    if (found?.message.status === 'consumed') continue
    lines.push(`${id} to ${found?.message.to} is ${found?.message.status}: ${JSON.stringify(found?.steps)}`)
  }
  return lines.join('\n')
}

/** For a person who looks at a failure. */
async function attemptsOf(loop: KillLoop | undefined): Promise<string> {
  const lines: string[] = []
  for (const { id } of loop?.tasks ?? []) {
    const detail = await loop?.lab.lode.client.tasks.get(id).catch(() => undefined)
    lines.push(`${id} ${detail?.task.status}: ${detail?.task.reason}`)
    for (const attempt of detail?.attempts ?? [])
      lines.push(
        `  ${attempt.id} ${attempt.agentName} ${attempt.startedAt}–${attempt.endedAt} ${attempt.outcome} ${attempt.conversation?.rung} ${attempt.failureReason ?? ''}`,
      )
  }
  return lines.join('\n')
}
