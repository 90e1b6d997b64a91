/** The agent CLI that runs the tasks of a loop, as the loop and its checks need it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { markersIn } from '../../../src/domain/message/message'
import type { Attempt } from '../../../src/domain/task/task'
import type { Claude } from '../../lab/claude'
import { requestsOf, type Shown, shownIn } from '../../lab/shown-conversation'
import { sessionFiles } from '../record/record'

/** A line of a run's output. */
export interface OutputLine {
  /** What no other line of the same output has. `null` = it may stand there twice. */
  key: string | null
  isResult: boolean
}

export interface LoopFile {
  path: string
  /** As an export names it. */
  name: string
  bytes: Buffer
}

export interface LoopCli {
  /** How the tasks name it. */
  readonly name: string
  /** Whether it names its conversations: a run that was cut off before its name was heard has none. */
  readonly namesConversations: boolean
  /** Where a run writes a line `ATTEMPT MILLISECONDS` for each thing that it does, into a file with the id of its task. */
  readonly ticks: string
  /** What it says at the end of each task. */
  readonly lastWords: string
  /** The main file of a conversation; it may be missing. */
  transcript(session: string): string
  /** All files of a conversation that is there. */
  files(session: string): LoopFile[]
  /** Ids of messages, for each line of the conversation in which one was said. */
  told(session: string): string[][]
  /** What an attempt was shown first; `null` = it was killed before. */
  shown(attempt: Attempt, next: Attempt | undefined, task: string): Shown | null
  /** @throws SyntaxError the line is torn */
  readOutput(line: string): OutputLine
}

const SAID: ReadonlySet<string> = new Set(['user', 'attachment'])

export function claudeOfLoop(claude: Claude): LoopCli {
  const lines = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [])
  return {
    name: 'claude-code',
    namesConversations: false,
    ticks: join(claude.project, 'ticks'),
    lastWords: 'All ticks are done.',
    transcript: (session) => claude.transcript(session),
    files: (session) =>
      [...sessionFiles(claude.transcripts, session)].map(([name, bytes]) => ({
        ...{ path: join(claude.transcripts, name), name, bytes },
      })),
    // The CLI also notes what waits in its queue, and what its last prompt was.
    told: (session) =>
      lines(claude.transcript(session))
        .filter((line) => line.includes('[lodeline:') && SAID.has((JSON.parse(line) as { type: string }).type))
        .map((line) => markersIn(line)),
    shown(attempt, next, task) {
      const first = requestsOf(attempt, next, claude.requests())[0]
      return first === undefined ? null : shownIn(first, task)
    },
    readOutput(line) {
      const { type, uuid } = JSON.parse(line) as { type?: string; uuid?: string }
      return { key: uuid === undefined ? null : `${type} ${uuid}`, isResult: type === 'result' }
    },
  }
}
