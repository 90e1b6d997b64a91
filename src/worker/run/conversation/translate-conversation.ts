import { realpathSync } from 'node:fs'
import type { AgentHarness } from '../../../domain/harness/agent-harness'
import type { CliPlace, CliProgram, HarnessRun } from '../../../domain/harness/harness-run'
import {
  type HarnessTranslation,
  type NeutralConversation,
  TRANSLATED_BYTES,
  upToLastTurn,
} from '../../../domain/harness/translation'
import { type SessionId, sessionId } from '../../../domain/ids'
import type { WorkerClient } from '../../options'
import type { Obstacle } from './ladder'

export interface TranslateOptions {
  /** The CLI that has the conversation, and the one that is to go on with it. */
  from: Pick<AgentHarness, 'name' | 'title' | 'translation'>
  into: Pick<AgentHarness, 'title' | 'translation'>
  run: Pick<HarnessRun, 'restore'>
  program: CliProgram
  place: CliPlace
  /** The CLI that goes on. */
  version: string | null
  /** The model that was asked for; `null` = none was. */
  model: string | null
  client: Pick<WorkerClient, 'sessions'>
  /** A UUID of which the CLI's own id for the conversation is made. */
  newId: SessionId
  /** Up to the last finished turn: the original may still be at work. */
  isCopy: boolean
  now: number
}

/** Forks of forks that are followed. */
const MOST_BASES = 20

/**
 * Reads a recorded conversation of one agent CLI and writes it where another one looks for its own.
 *
 * @returns its id there, and what was carried over, for a person; or why it can't be
 */
export async function translateConversation(
  session: SessionId,
  options: TranslateOptions,
): Promise<{ carried: string; sessionId: SessionId } | Obstacle> {
  const { from, into, run, place, client } = options
  const [reader, taker] = await Promise.all([from.translation?.(), into.translation?.()])
  const writer = taker?.writer ?? null
  if (reader === undefined || writer === null || run.restore === null)
    return {
      reason: 'cannot_translate',
      detail: `a conversation of ${from.title} can't be translated for ${into.title}`,
    }
  const transcripts = await transcriptsOf(client, session, reader)
  if (transcripts === null)
    return { reason: 'too_large', detail: `the conversation is larger than ${TRANSLATED_BYTES / 2 ** 20} MiB` }
  const whole = reader.read(transcripts)
  const conversation = options.isCopy ? upToLastTurn(whole) : whole
  if (conversation.parts.length === 0)
    return { reason: 'nothing_said', detail: 'the record holds nothing of it that could be translated' }
  const origin = { agent: from.name, sessionId: session, title: from.title }
  const { version, model, now } = options
  const id = writer.idOf === undefined ? options.newId : sessionId(writer.idOf(options.newId))
  const provider = writer.providerIn?.(place.root) ?? null
  const target = { sessionId: id, origin, cwd: resolved(place.cwd), version, model, provider, now }
  const file = writer.write(conversation, target)
  await run.restore(place, id, one(file), options.program)
  return { carried: inWords(conversation), sessionId: id }
}

/** Some CLIs take a conversation for that of the folder which it names, with its links resolved. */
function resolved(cwd: string): string {
  try {
    return realpathSync(cwd)
  } catch {
    return cwd
  }
}

async function* one<T>(file: T): AsyncGenerator<T> {
  yield file
}

/** The main transcript of the session, after those that it continues. `null` = too many bytes. */
async function transcriptsOf(
  client: TranslateOptions['client'],
  session: SessionId,
  reader: HarnessTranslation,
): Promise<Uint8Array[] | null> {
  const found: Uint8Array[] = []
  let room = TRANSLATED_BYTES
  for (let id: string | null = session; id !== null && found.length < MOST_BASES; ) {
    const bytes = await mainTranscript(client, id, room)
    if (bytes === null) return null
    room -= bytes.length
    found.unshift(bytes)
    id = reader.baseOf(bytes)
  }
  return found
}

/** Empty when the record has none. `null` = it is larger than `room`. */
export async function mainTranscript(
  client: TranslateOptions['client'],
  session: string,
  room: number,
): Promise<Uint8Array | null> {
  for await (const file of client.sessions.export(session)) {
    // All other files are those of sub-agents.
    if (file.relativePath.replace(/\.[^./]*$/, '') !== session) continue
    const parts: Uint8Array[] = []
    let size = 0
    for await (const bytes of file.bytes) {
      size += bytes.length
      if (size > room) return null
      parts.push(bytes)
    }
    return Buffer.concat(parts)
  }
  return new Uint8Array()
}

/** `12 messages and 5 tool calls; without 3 pieces of thinking`. */
function inWords({ parts, leftOut }: NeutralConversation): string {
  const calls = parts.filter(({ kind }) => kind === 'call').length
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`
  const without = [
    leftOut.thinking === 0 ? [] : [`${leftOut.thinking} ${leftOut.thinking === 1 ? 'piece' : 'pieces'} of thinking`],
    leftOut.answers === 0 ? [] : [count(leftOut.answers, 'result of a tool call that is gone')],
    leftOut.cut === 0 ? [] : [`the ends of ${count(leftOut.cut, 'long text')}`],
  ].flat()
  const kept = `${count(parts.length - calls, 'message')} and ${count(calls, 'tool call')}`
  return without.length === 0 ? kept : `${kept}; without ${without.join(', ')}`
}
