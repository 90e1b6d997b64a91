/**
 * Faults at random points on both databases: SIGKILL of the agent's CLI, of workers, of servers, of PostgreSQL and of the object storage,
 * SIGSTOP of all but the CLI, and networks between them that refuse, swallow, cut and delay, up to twice the lease. On PostgreSQL there are
 * several servers, and the workers may be in spaces of pids and networks of their own. Each task still ends once, and never runs twice at a
 * time.
 *
 * The made-up CLI takes most faults, since it starts at once; the real one takes some on each database.
 *
 * `LODELINE_LONG=1` injects more faults, `LODELINE_KILLS=N` says how many, `LODELINE_SEED=N` repeats a run's choices.
 */
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { KillLoop, type KillLoopOptions } from './kill-loop'
import { wrongs } from './kill-loop-checks'

const isLong = process.env.LODELINE_LONG === '1'
const often = process.env.LODELINE_KILLS === undefined ? null : Number(process.env.LODELINE_KILLS)
const given = process.env.LODELINE_SEED

type Place = Omit<KillLoopOptions, 'seed'>

/** The machine of the workers has nothing but its ways to servers: on it they are killed without a server of their own noticing. */
const SEVERAL = { cli: 'made-up', database: 'postgres', servers: 3, workers: 4, concurrency: 4, isApart: true } as const
const ONE = { database: 'sqlite', servers: 1, workers: 2, concurrency: 2, isApart: false } as const
const TWO = { database: 'postgres', servers: 2, workers: 2, concurrency: 2, isApart: false } as const

describe('whatever is killed or cut off, each task ends once, in its own conversation, and never runs twice at a time', () => {
  test.each<[string, number, Place]>([
    ['made-up CLI, postgres, three servers', often ?? (isLong ? 1_000 : 170), SEVERAL],
    ['made-up CLI, sqlite', often ?? (isLong ? 1_000 : 20), { ...ONE, cli: 'made-up' }],
    ['Claude Code 2.1.328, postgres, two servers', often ?? (isLong ? 60 : 5), { ...TWO, cli: '2.1.328' }],
    ['Claude Code 2.1.197, sqlite', often ?? (isLong ? 60 : 5), { ...ONE, cli: '2.1.197' }],
  ])(
    '%s, %d faults',
    async (name, faults, place) => {
      const seed = given === undefined ? Math.floor(Math.random() * 1e9) : Number(given)
      let loop: KillLoop | undefined
      const startedAt = performance.now()
      try {
        loop = await KillLoop.open({ ...place, seed })
        await loop.run(faults)
        const { found, attempts, overlaps } = await wrongs(loop)
        const counts = [...loop.counts].map(([fault, count]) => `${fault} ${count}`).join(', ')
        const what = `${loop.tasks.length} tasks, ${attempts} attempts, ${overlaps} overlaps, ${loop.messages.length} messages, ${loop.sealed} packs`
        const seconds = Math.round((performance.now() - startedAt) / 1_000)
        console.log(`${name}, seed ${seed}: ${faults} faults in ${seconds} s (${counts}), ${what}`)
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
  return [...new Set([...(loop?.fleet.homes ?? []), loop?.fleet.workersHome ?? ''])].map(warningsIn).join('\n')
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
    const found = await loop?.fleet.lab.lode.client.messages.get(id).catch(() => undefined)
    if (found?.message.status === 'consumed') continue
    lines.push(`${id} to ${found?.message.to} is ${found?.message.status}: ${JSON.stringify(found?.steps)}`)
  }
  return lines.join('\n')
}

/** For a person who looks at a failure. */
async function attemptsOf(loop: KillLoop | undefined): Promise<string> {
  const lines: string[] = []
  for (const { id } of loop?.tasks ?? []) {
    const detail = await loop?.fleet.lab.lode.client.tasks.get(id).catch(() => undefined)
    lines.push(`${id} ${detail?.task.status}: ${detail?.task.reason}`)
    for (const attempt of detail?.attempts ?? [])
      lines.push(
        `  ${attempt.id} ${attempt.agentName} ${attempt.startedAt}–${attempt.endedAt} ${attempt.outcome} ${attempt.conversation?.rung} ${attempt.failureReason ?? ''}`,
      )
  }
  return lines.join('\n')
}
