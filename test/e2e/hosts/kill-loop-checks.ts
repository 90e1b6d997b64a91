/** What must hold after a kill loop, whatever was killed. Each check gives what is wrong, in words. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../../src/api/client/client'
import { listAll } from '../../../src/api/client/list-all'
import type { FeedEntry } from '../../../src/domain/feed'
import type { SessionId } from '../../../src/domain/ids'
import type { Attempt, Task } from '../../../src/domain/task/task'
import { MAX_LOST_IN_A_ROW } from '../../../src/domain/task/task-machine'
import { dishonesty } from '../../lab/shown-conversation'
import { until } from '../../lab/until'
import { exported, filesSettled } from '../record/record'
import { processesOf } from '../tasks/attempt-processes'
import type { KillLoop } from './kill-loop'
import type { LoopCli } from './loop-cli'
import type { LoopTask } from './loop-work'

interface Ended {
  made: LoopTask
  /** Messages that it was sent. */
  told: string[]
  task: Task
  attempts: Attempt[]
  ticks: { attempt: number; at: number }[]
}

/** Everything that is wrong, and what there was. */
export async function wrongs(loop: KillLoop): Promise<{ found: string[]; attempts: number; overlaps: number }> {
  const { cli } = loop.fleet
  const { client } = loop.fleet.lab.lode
  const ended: Ended[] = []
  for (const made of loop.tasks) {
    const { task, attempts } = await client.tasks.get(made.id)
    attempts.sort((a, b) => a.number - b.number)
    const told = loop.messages.filter(({ to }) => to === made.id).map(({ id }) => id)
    ended.push({ made, told, task, attempts, ticks: ticksOf(join(cli.ticks, made.id)) })
  }
  const { moves, sent } = await toldByFeed(client)
  const beside = ended.flatMap(overlaps)
  const givenUp = lostTooOften(ended)
  const isBegun = ({ attempts }: Ended) => attempts.some(({ conversation }) => conversation !== null)
  const unbegun = new Set(ended.flatMap((each) => (isBegun(each) ? [] : each.made.id)))
  const found = ended.flatMap((each) => [
    ...(givenUp.has(each.made.id) ? [] : wrongEnd(each, cli.lastWords, moves.get(each.made.id) ?? [])),
    ...wrongConversations(cli, each, unbegun),
  ])
  found.push(...beside)
  const isLate = (id: string, to: string): boolean => (sent.get(id) ?? 0) > (moves.get(to)?.[0]?.seq ?? Infinity)
  found.push(...(await wrongMessages(loop, ended, isLate)))
  found.push(...(await wrongFeed(client)))
  found.push(...(await leftProcesses(loop)))
  found.push(...(await wrongStreams(loop, ended)))
  found.push(...(await wrongRecords(loop, ended)))
  return { found, attempts: ended.flatMap(({ attempts }) => attempts).length, overlaps: beside.length }
}

/** Tasks that were lost so often in a row that they failed, as they should, and those that depend on one. */
function lostTooOften(ended: readonly Ended[]): ReadonlySet<string> {
  const isLost = ({ attempts }: Ended): boolean =>
    attempts.length >= MAX_LOST_IN_A_ROW &&
    attempts.slice(-MAX_LOST_IN_A_ROW).every(({ outcome }) => outcome === 'lost')
  const found = new Set<string>(ended.filter(isLost).map(({ made }) => made.id))
  // Whatever depends on a task was made after it.
  for (const { task } of ended) {
    const failed = /^its dependency (\S+) failed$/.exec(task.reason)?.[1]
    if (task.status === 'failed' && failed !== undefined && found.has(failed)) found.add(task.id)
  }
  return found
}

/** The feed has each number once, from the first to the last. */
async function wrongFeed(client: Client): Promise<string[]> {
  const found: string[] = []
  for (let last = 0; ; ) {
    const { entries, isEnd } = await client.feed.page({ after: last as never, limit: 500 })
    for (const { seq } of entries) {
      if (seq !== last + 1) found.push(`the feed goes from ${last} to ${seq}`)
      last = seq
    }
    if (isEnd || entries.length === 0) return found
  }
}

function ticksOf(path: string): Ended['ticks'] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return lines.map((line) => {
    const [id = '', at = ''] = line.split(' ')
    return { attempt: Number(id.split('.')[1]), at: Number(at) }
  })
}

/** Moves of tasks to their end, and the numbers of the entries with which messages were sent. */
async function toldByFeed(client: Client): Promise<{ moves: Map<string, FeedEntry[]>; sent: Map<string, number> }> {
  const moves = new Map<string, FeedEntry[]>()
  const sent = new Map<string, number>()
  for (let after: number | undefined; ; ) {
    const page = await client.feed.page({ kinds: ['task.moved', 'message.updated'], after: after as never, limit: 500 })
    for (const entry of page.entries) {
      if (
        entry.kind === 'message.updated' &&
        entry.data.status === 'produced' &&
        !sent.has(String(entry.data.messageId))
      )
        sent.set(String(entry.data.messageId), entry.seq)
      if (!['completed', 'failed', 'cancelled'].includes(String(entry.data.to))) continue
      const id = String(entry.data.taskId)
      moves.set(id, [...(moves.get(id) ?? []), entry])
    }
    if (page.isEnd) return { moves, sent }
    after = page.nextCursor as unknown as number
  }
}

/** Each message was read once: by the record's word, and by the one line of its receiver's conversation that has it. */
async function wrongMessages(
  { fleet: { cli, lab } }: KillLoop,
  ended: readonly Ended[],
  isAfterEnd: (id: string, to: string) => boolean,
): Promise<string[]> {
  const found: string[] = []
  for (const { made, told, attempts } of ended) {
    if (told.length === 0) continue
    const sessions = new Set(attempts.flatMap(({ conversation }) => conversation?.sessionId ?? []))
    const lines = [...sessions].flatMap((session) => cli.told(session))
    for (const id of told) {
      const { steps } = await lab.lode.client.messages.get(id)
      // It was sent as its task ended, and nobody is left to read it. The feed has the order: a unit that waits for the database has an
      // earlier time than the end that went before it.
      const isUnread = steps.every(({ status }) => status === 'produced')
      if (isUnread && (isAfterEnd(id, made.id) || (steps[0]?.at ?? '') >= (attempts.at(-1)?.endedAt ?? ''))) continue
      const times = steps.filter(({ status }) => status === 'consumed').length
      if (times !== 1) found.push(`${id} was consumed ${times} times: ${steps.map(({ status }) => status).join(', ')}`)
      const places = lines.filter((markers) => markers.includes(id)).length
      if (places !== 1) found.push(`${id} stands in ${places} lines of ${[...sessions].join(', ')}`)
    }
  }
  return found
}

function wrongEnd({ task, told, attempts, ticks }: Ended, lastWords: string, moves: FeedEntry[]): string[] {
  const found: string[] = []
  if (task.status !== 'completed' || task.output !== lastWords)
    found.push(`${task.id} is ${task.status} (${task.reason}), output ${task.output}`)
  // Words that come while it ends, or after that, are read by one more attempt.
  const most = 1 + told.length
  if (moves.length < 1 || moves.length > most)
    found.push(`${task.id} moved to a final state ${moves.length} times, with ${told.length} messages`)
  const completed = attempts.filter(({ outcome }) => outcome === 'completed')
  const isRight = completed.length >= moves.length && completed.length <= most
  if (!isRight || completed.at(-1) !== attempts.at(-1))
    found.push(`${task.id} has attempts ${attempts.map(({ outcome }) => outcome).join(', ')}`)
  if (new Set(attempts.map(({ number }) => number)).size !== attempts.length || task.attemptCount !== attempts.length)
    found.push(`${task.id} counts ${task.attemptCount} attempts and has ${attempts.length}`)
  if (ticks.length === 0) found.push(`${task.id} did nothing`)
  return found
}

/** An attempt ends before the next one begins: in the rows, and in what was done. */
function overlaps({ task, attempts, ticks }: Ended): string[] {
  const found: string[] = []
  for (const [i, attempt] of attempts.entries()) {
    const next = attempts[i + 1]
    if (attempt.isLive || attempt.endedAt === null) found.push(`${attempt.id} has not ended`)
    else if (next && attempt.endedAt > next.startedAt)
      found.push(`${attempt.id} ended at ${attempt.endedAt}, ${next.id} began at ${next.startedAt}`)
  }
  const late = ticks.findIndex(({ attempt }, i) => attempt < (ticks[i - 1]?.attempt ?? 0))
  if (late !== -1)
    found.push(`${task.id}: attempt ${ticks[late]?.attempt} did something after attempt ${ticks[late - 1]?.attempt}`)
  return found
}

function wrongConversations(
  cli: LoopCli,
  { made, task, attempts, ticks }: Ended,
  unbegun: ReadonlySet<string>,
): string[] {
  const found: string[] = []
  // A parent that never began has no conversation to go on from.
  const parentWord = made.parent === null || unbegun.has(made.parent.id) ? null : made.parent.word
  for (const [i, attempt] of attempts.entries()) {
    const shown = cli.shown(attempt, attempts[i + 1], task.task)
    const has = attempt.conversation
    if (shown !== null) {
      const wrong =
        has === null
          ? cli.namesConversations
            ? null
            : `${attempt.id} asked the model and has no conversation`
          : dishonesty(attempt, shown, { word: made.word, parentWord, lastWords: cli.lastWords })
      if (wrong !== null) found.push(wrong)
    }
    if (has === null) continue
    const isOwn = has.rung === 'native' || has.rung === 'restored'
    // What was begun is never blank: whoever ticked has a conversation that holds it.
    const known = new Set(attempts.flatMap(({ number, conversation }) => (conversation === null ? [] : [number])))
    const hasBegun = ticks.some((tick) => tick.attempt < attempt.number && known.has(tick.attempt))
    // Now and then the CLI itself refuses a file that it was killed in while it began to resume it; then a summary follows.
    const isRefused = has.rung === 'preamble' && has.whyNot.some(({ reason }) => reason === 'resume_refused')
    // Or the kill came after the model's first answer and before the CLI had written a line: its output is all there is to sum up.
    const isUnwritten =
      has.rung === 'preamble' &&
      has.resumedSessionId !== null &&
      ['transcript_missing', 'not_recorded'].every((word) => has.whyNot.some(({ reason }) => reason === word)) &&
      !existsSync(cli.transcript(has.resumedSessionId))
    const isFirst = !hasBegun && has.rung === (parentWord === null ? 'fresh' : 'snapshot')
    const isRight = isOwn ? attempt.number > 1 : isFirst || isRefused || isUnwritten
    if (!isRight) found.push(`${attempt.id} got its conversation by ${has.rung}: ${JSON.stringify(has.whyNot)}`)
  }
  return found
}

async function leftProcesses({ fleet: { workersHome } }: KillLoop): Promise<string[]> {
  const left = () => processesOf({ home: workersHome })
  try {
    await until('the processes of runs to be gone', () => left().length === 0, 10_000)
    return []
  } catch {
    return [`processes are left: ${left().join(', ')}`]
  }
}

/** What runs said is at the server, once and in order. */
async function wrongStreams({ fleet }: KillLoop, ended: readonly Ended[]): Promise<string[]> {
  const { cli, homes, workersHome } = fleet
  const runs = join(workersHome, 'runs')
  // A folder without its note was cut short before anything was run: it holds nothing, and is removed when it is old.
  const left = () =>
    existsSync(runs) ? readdirSync(runs).filter((name) => existsSync(join(runs, name, 'attempt.json'))) : []
  try {
    await until('the output of runs to be delivered', () => left().length === 0)
  } catch {
    return [`output is left: ${left().join(', ')}`]
  }
  const found: string[] = []
  for (const attempt of ended.flatMap(({ attempts }) => attempts)) {
    // Each server keeps what it was given; who hears the end is given all.
    const paths = homes.map((home) => join(home, 'streams', `${attempt.id}.jsonl`)).filter((path) => existsSync(path))
    const streams = paths.map((path) => wrongStream(cli, attempt, readFileSync(path, 'utf8')))
    found.push(...streams.flatMap(({ wrong }) => wrong))
    if (attempt.outcome === 'completed' && !streams.some(({ isResultThere }) => isResultThere))
      found.push(`${attempt.id} has no result in its output`)
  }
  return found
}

function wrongStream(cli: LoopCli, attempt: Attempt, text: string): { wrong: string[]; isResultThere: boolean } {
  const lines = text.split('\n').slice(0, -1)
  const seen = new Set<string>()
  const wrong: string[] = []
  let isResultThere = false
  for (const line of lines) {
    try {
      const { key, isResult } = cli.readOutput(line)
      isResultThere ||= isResult
      if (key === null) continue
      if (seen.has(key)) wrong.push(`${attempt.id} has ${key} twice in its output`)
      seen.add(key)
    } catch {
      wrong.push(`${attempt.id} has a torn line in its output: ${line.slice(0, 100)}`)
    }
  }
  return { wrong, isResultThere }
}

/** The record of each conversation is what is on disk, byte for byte, and holds each line once. */
async function wrongRecords(loop: KillLoop, ended: readonly Ended[]): Promise<string[]> {
  const { cli, lab } = loop.fleet
  const { client } = lab.lode
  const found: string[] = []
  const all = ended.flatMap(({ attempts }) => attempts.map(({ conversation }) => conversation?.sessionId))
  for (const session of new Set(all)) {
    // An attempt that was killed before it was asked anything has left none.
    if (session === undefined || !existsSync(cli.transcript(session))) continue
    try {
      await filesSettled(client, session, () => new Map(cli.files(session).map(({ path, bytes }) => [path, bytes])))
    } catch (error) {
      found.push(String(error))
      continue
    }
    const record = await exported(client, session)
    for (const { name, bytes } of cli.files(session))
      if (!record.get(name)?.equals(bytes)) found.push(`the record of ${name} differs from the file`)
    found.push(...(await wrongIncarnations(loop, session)))
    const events = await Array.fromAsync(listAll(client.events.list, { sessionId: session, limit: 1_000 }, 'events'))
    const ids = new Set(events.map(({ id }) => id))
    if (ids.size !== events.length) found.push(`${session} has ${events.length - ids.size} events twice`)
  }
  return found
}

/** No file was ever rewritten, so each has one incarnation, by however many ways it came. */
async function wrongIncarnations({ fleet: { lab } }: KillLoop, session: SessionId): Promise<string[]> {
  const { journals } = await lab.lode.client.sessions.journals(session)
  return journals.flatMap(({ path, kind, incarnations }) => {
    const reasons = incarnations.flatMap(({ closeReason }) => closeReason ?? [])
    return reasons.length === 0 ? [] : [`${kind} ${path} has incarnations that were closed: ${reasons.join(', ')}`]
  })
}
