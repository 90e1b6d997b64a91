import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../common/random'
import { Thread } from './huge-transcripts'

/** How far apart the pieces are in which lines are written. */
const STEP_MS = 50

/** Sessions at work: their transcripts grow as a CLI's do, a few whole lines at a time. */
export class LiveWriter {
  readonly sessions: readonly string[]
  private readonly files: { id: string; path: string; thread: Thread; lines: Iterator<string> }[]
  private next = 0

  /** @param claudeRoot  what the server follows */
  constructor(claudeRoot: string, sessions: number) {
    const folder = join(claudeRoot, 'projects/-home-user-project')
    mkdirSync(folder, { recursive: true })
    const random = new Random(47)
    this.files = Array.from({ length: sessions }, () => {
      const id = random.uuid()
      const path = join(folder, `${id}.jsonl`)
      const thread = new Thread(random, { session: id, agent: null, startedAt: Date.now(), stepMs: 1 })
      writeFileSync(path, `${thread.prompt('Work on, and say so.')}\n`)
      return { id, path, thread, lines: endless(thread) }
    })
    this.sessions = this.files.map(({ id }) => id)
  }

  /** Appends this many lines a second, in turn to each session, for this long. @returns how many lines were written */
  async run({ perSecond, seconds }: { perSecond: number; seconds: number }): Promise<number> {
    const startedAt = performance.now()
    let written = 0
    for (;;) {
      const elapsed = performance.now() - startedAt
      if (elapsed >= seconds * 1_000) return written
      // What a slow moment missed is made up for: the rate holds over the whole time.
      const due = Math.floor((elapsed / 1_000) * perSecond) - written
      const each = Math.ceil(due / this.files.length)
      for (let left = due; left > 0; left -= each) written += this.append(Math.min(each, left))
      await Bun.sleep(STEP_MS)
    }
  }

  /** Appends a line in which the agent says this. @returns the moment before the write, in milliseconds since the epoch */
  say(session: string, text: string): number {
    const file = this.files.find(({ id }) => id === session)
    if (!file) throw new Error(`There is no session ${session}.`)
    file.thread.at = Math.max(file.thread.at, Date.now())
    const line = `${file.thread.say(text)}\n`
    const before = performance.timeOrigin + performance.now()
    appendFileSync(file.path, line)
    return before
  }

  private append(count: number): number {
    const file = this.files[this.next++ % this.files.length]
    if (!file) throw new Error('no sessions')
    file.thread.at = Math.max(file.thread.at, Date.now())
    let text = ''
    for (let at = 0; at < count; at++) text += `${file.lines.next().value}\n`
    appendFileSync(file.path, text)
    return count
  }
}

function* endless(thread: Thread): Generator<string, never> {
  for (let turn = 0; ; turn++) yield* thread.turn(turn, Number.POSITIVE_INFINITY)
}
