import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { AppError } from '../../../src/domain/errors'
import type { AgentHarness } from '../../../src/domain/harness/agent-harness'
import type { Harness, JournalRef } from '../../../src/domain/harness/harness'
import type { HarnessFiles } from '../../../src/domain/harness/harness-files'
import type { HarnessRun, RunEvent } from '../../../src/domain/harness/harness-run'
import type { ConversationPart, HarnessTranslation } from '../../../src/domain/harness/translation'
import type { EventObservation, EventType, Observation } from '../../../src/domain/record/observation'
import { beginOf, beginText, newLine, readTalkLine, SPEECH, type TalkLine } from './talk'

const NAME = 'made-up'

const files: HarnessFiles = {
  agent: NAME,
  folders: ['talks'],
  needsHead: false,
  classify(path, head): JournalRef | null {
    const talk = /\/talks\/([\w-]+)\.talk$/.exec(path)?.[1]
    if (talk !== undefined) return { agent: NAME, kind: 'transcript', path, sessionId: talk, subagentId: null }
    const isSpeech = head !== undefined && new TextDecoder().decode(head.subarray(0, 20)).startsWith(`${SPEECH} `)
    return isSpeech ? { agent: NAME, kind: 'stream', path, sessionId: null, subagentId: null } : null
  },
  ofSession: (root, sessionId) => [talkPath(root, sessionId)],
  changedSince(root, since) {
    const folder = join(root, 'talks')
    return (existsSync(folder) ? readdirSync(folder) : [])
      .map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
      .filter(({ at }) => at >= since)
  },
}

const talkPath = (root: string, id: string): string => join(root, 'talks', `${id}.talk`)

const TYPES: Record<Exclude<TalkLine['part'], 'begin' | 'rest'>, EventType> = {
  person: 'prompt',
  agent: 'text',
  tool: 'tool_call',
}

const harness: Harness = {
  agent: NAME,
  classify: files.classify,
  parseLines(bytes, { ref, offset, carry }) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const observations: Observation[] = []
    let start = 0
    let parent = carry ?? null
    for (let end = text.indexOf(10); end >= 0; end = text.indexOf(10, start)) {
      const line = ref.kind === 'transcript' ? readTalkLine(text.toString('utf8', start, end)) : null
      if (line !== null) {
        observations.push(...said(line, parent, { offset: offset + start, length: end - start }))
        if (isEvent(line)) parent = line.uuid
      }
      start = end + 1
    }
    return { observations, malformed: [], head: null, consumed: start, sessionId: null, carry: parent }
  },
  parseDocument: () => [],
  parseHook: () => null,
}

/** Each follows the one before. */
const isEvent = ({ part }: TalkLine): boolean => part !== 'begin' && part !== 'rest'

function said(line: TalkLine, parentUuid: string | null, place: { offset: number; length: number }): Observation[] {
  const at = Date.parse(line.at)
  const { uuid, part, text } = line
  if (part === 'begin') {
    const { cwd, copyOf } = beginOf(line)
    return [{ kind: 'session', uuid: null, at, cwd, agentVersion: '3.1', ...(copyOf !== '' && { forkedFrom: copyOf }) }]
  }
  if (part === 'rest') return [{ kind: 'activity', uuid, at, state: 'idle', evidence: 'transcript:rest' }]
  const event: EventObservation = {
    ...{
      kind: 'event',
      uuid,
      parentUuid,
      type: TYPES[part],
      role: part === 'person' ? 'user' : 'assistant',
      at,
      subagentId: null,
      isSidechain: false,
    },
    ...{ parentToolUseId: null, toolUseId: null, toolName: null, text, searchText: text, foreignSessionId: null },
    ...{ isCopied: false, ...place },
  }
  const working: Observation = { kind: 'activity', uuid, at, state: 'working', evidence: `transcript:${part}` }
  const title: Observation = { kind: 'session', uuid, at, title: { text: text.slice(0, 80), source: 'prompt' } }
  return part === 'person' ? [event, working, title] : [event, working]
}

/** A talk has no calls that another CLI could read: they are words. */
const translation: HarnessTranslation = {
  baseOf: () => null,
  read(transcripts) {
    const lines = new TextDecoder().decode(transcripts.at(-1)).split('\n')
    const parts = lines.flatMap((line): ConversationPart[] => {
      const { part, text } = readTalkLine(line) ?? { part: 'rest', text: '' }
      if (part === 'person') return [{ kind: 'person', text, images: [] }]
      return part === 'agent' ? [{ kind: 'agent', text }] : []
    })
    return { parts, leftOut: { thinking: 0, cut: 0, answers: 0 } }
  },
  writer: {
    write({ parts }, { sessionId, cwd }) {
      const lines = parts.map((part) => {
        if (part.kind === 'call') return newLine('tool', `${part.name} ${JSON.stringify(part.input)}`)
        return newLine(part.kind, part.text)
      })
      const text = [newLine('begin', beginText(sessionId, cwd)), ...lines, newLine('rest', '')].join('')
      return { name: `${sessionId}.talk`, bytes: new TextEncoder().encode(text) }
    },
  },
}

const run: HarnessRun = {
  agent: NAME,
  minimum: '3.0',
  async version(executable, env) {
    return Bun.spawnSync([executable, 'release'], { env }).stdout.toString().split(' ')[1]?.trim() ?? ''
  },
  findExecutable(env, configured) {
    if (configured !== null) return configured
    for (const folder of (env.PATH ?? '').split(delimiter)) {
      const path = join(folder, 'made-up')
      try {
        accessSync(path, constants.X_OK)
        return path
      } catch {
        // In another folder.
      }
    }
    throw new AppError('not_found', 'there is no made-up in PATH')
  },
  runArguments({ conversation }) {
    if (conversation.kind === 'new') return ['talk']
    return conversation.kind === 'resume'
      ? ['talk', '--again', conversation.sessionId]
      : ['talk', '--copy', conversation.path]
  },
  openArguments: ({ resume }) => (resume === null ? ['talk'] : ['talk', '--again', resume]),
  runEnvironment: (base, more) => ({ ...base, ...more }),
  mayPassOn: () => true,
  modelUrls: () => [],
  runFiles: () => [],
  sessionIds: 'its',
  transcriptPath: ({ root }, sessionId) => talkPath(root, sessionId),
  openedBy: () => null,
  state: () => ({ why: 'nobody said what it needs there' }),
  async restore({ root }, sessionId, pieces) {
    const path = talkPath(root, sessionId)
    const parts: Uint8Array[] = []
    for await (const { bytes } of pieces) parts.push(bytes)
    const whole = Buffer.concat(parts)
    if (existsSync(path) && !whole.subarray(0, statSync(path).size).equals(readFileSync(path)))
      throw new AppError('conflict', `${path} differs`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, whole)
  },
  cutAtLastTurn(transcript) {
    const lines = new TextDecoder().decode(transcript).split(/(?<=\n)/)
    const at = lines.findLastIndex((line) => readTalkLine(line)?.part === 'rest')
    const last = readTalkLine(lines[at] ?? '')
    return last === null ? null : { bytes: Buffer.from(lines.slice(0, at + 1).join('')), lastUuid: last.uuid }
  },
  input: 'prompt',
  asksPermission: false,
  stopSignal: 'SIGINT',
  talk: () => ({
    opening: () => '',
    read: (line) => eventsOf(new TextDecoder().decode(line)),
    say: (text) => text,
    interrupt: () => null,
    permit: () => '',
  }),
  outcome({ exitCode, signal, result }) {
    if (exitCode === 0 && result !== null) return { isOk: true, failureClass: null, reason: 'done', resetAt: null }
    const reason = `The made-up CLI ended with ${signal ?? exitCode}.`
    return { isOk: false, failureClass: exitCode === 3 ? 'resume_refused' : 'crash', reason, resetAt: null }
  },
}

function eventsOf(line: string): RunEvent[] {
  const [word, ...rest] = line.trim().split(' ')
  const text = rest.join(' ')
  if (word === SPEECH)
    return [{ kind: 'init', sessionId: rest[0] ?? '', cwd: rest[1] ?? null, model: null, version: '3.1' }]
  if (word === 'USES') return [{ kind: 'tool', text }]
  if (word === 'SAYS') return [{ kind: 'text', text }]
  if (word !== 'DONE') return []
  const figures = { numTurns: null, costUsd: null, usage: null, terminalReason: null, sessionId: null }
  return [{ kind: 'result', result: { subtype: 'done', isError: false, text, errors: [], ...figures } }]
}

/** A CLI that has little: it keeps talks, goes on in them, and goes on in copies. Nobody can reach one that is at work. */
export const madeUp: AgentHarness = {
  name: NAME,
  title: 'Made Up',
  program: 'made-up',
  root: (env) => env.MADE_UP_HOME ?? '/nowhere',
  rootEnvironment: (root) => ({ MADE_UP_HOME: root }),
  files: async () => files,
  read: async () => harness,
  words: {
    textOf: async (line) => readTalkLine(new TextDecoder().decode(line))?.text ?? null,
    contentOf: async (line) => ({ blocks: [{ kind: 'text', text: new TextDecoder().decode(line) }], isCut: false }),
    askingTools: async () => new Set(),
  },
  translation: async () => translation,
  takesTranslations: true,
  run: async () => run,
  presence: null,
  live: null,
  transcript: null,
  hooks: null,
  setup: null,
  agentFiles: null,
}
