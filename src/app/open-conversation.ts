import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../api/client/client'
import type { Config } from '../config/load'
import { AppError, isAppError } from '../domain/errors'
import type { AgentHarness } from '../domain/harness/agent-harness'
import type { CliPlace, CliProgram, HarnessRun } from '../domain/harness/harness-run'
import { type AgentName, sessionId as asSessionId, type SessionId } from '../domain/ids'
import { defaultHarness, harnessNamed } from '../harness/registry'
import { lookAt } from '../util/files/packed-file'
import { exportedPieces } from '../worker/run/conversation/exported-pieces'
import { translateConversation } from '../worker/run/conversation/translate-conversation'
import { executableOf, runOf } from './agents/agent-run'
import { followed } from './followed'

export interface ConversationToOpen {
  sessionId: SessionId
  /** The working directory that it belongs to, absolute. */
  dir: string
  model: string | null
  /** The agent CLI in which it goes on; `null` = that of the session. */
  with: AgentName | null
}

/** How a person's terminal gets into a conversation. */
export interface OpenedConversation {
  /** The CLI with its arguments. */
  command: string[]
  dir: string
  /** To be added to the environment. */
  env: Record<string, string>
  /** The transcript was missing where the CLI looks for it, and was written there from the record. */
  isRestored: boolean
  /** It was rewritten for another agent CLI, as this session; `null` = it was not. */
  translated: { sessionId: SessionId; carried: string } | null
}

/**
 * Makes a conversation ready to be continued by a person on this machine, and says by which command. Nothing is started.
 *
 * @throws `invalid`    the folder is not there
 * @throws `conflict`   another process has the conversation open
 * @throws `not_found`  no CLI is installed, or the transcript is neither here nor in the record
 */
export async function openConversation(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  client: Client,
  { sessionId, dir, model, with: other }: ConversationToOpen,
): Promise<OpenedConversation> {
  if (!isFolder(dir)) {
    throw new AppError('invalid', `The folder of the conversation, ${dir}, does not exist.`, {
      hint: 'Give its current folder with --dir DIR.',
    })
  }
  const given = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  const own = await harnessOf(client, sessionId)
  const harness = other === null ? own : harnessNamed(other)
  const run = await runOf(harness)
  const executable = run.findExecutable(given, executableOf(config, harness.name))
  const roots = followed(config).find((each) => each.harness === harness)?.roots ?? []
  if (harness !== own)
    return await openTranslated(
      { env: given, client, dir, model, from: own, into: harness, run, executable },
      sessionId,
    )
  const places = roots.map((root) => ({ root, cwd: dir }))
  const opener = places.map((place) => run.openedBy(place, sessionId)).find((each) => each !== null)
  if (opener) {
    throw new AppError('conflict', `Session ${sessionId} is already open in process ${opener.pid} (${opener.kind}).`, {
      hint: 'Two processes at once would split the conversation. End that process first.',
    })
  }
  const root = harness.root(env)
  const found = places.find((place) => mayHave(run, place, sessionId))
  const place = found ??
    (await recordedIn(client, sessionId, places)) ??
    places.find((each) => each.root === root) ?? { root, cwd: dir }
  if (found === undefined) {
    const program = { path: executable, env: { ...given, ...harness.rootEnvironment(place.root) } }
    await restore(harness, run, client, place, program, sessionId)
  }
  const options = { resume: sessionId, fork: false, sessionId: null, model }
  return {
    command: [executable, ...run.openArguments(options)],
    dir,
    env: place.root === root ? {} : harness.rootEnvironment(place.root),
    isRestored: found === undefined,
    translated: null,
  }
}

interface Translated {
  env: Readonly<Record<string, string>>
  client: Client
  dir: string
  model: string | null
  from: AgentHarness
  into: AgentHarness
  run: HarnessRun
  executable: string
}

/** The conversation goes on in another CLI than its own: a new session of that one, which begins with what was said. */
async function openTranslated(given: Translated, session: SessionId): Promise<OpenedConversation> {
  const { env, client, dir, model, from, into, run, executable } = given
  const newId = asSessionId(Bun.randomUUIDv7())
  const place = { root: into.root(env), cwd: dir }
  const options = { from, into, run, place, client, newId, version: null, model, isCopy: false, now: Date.now() }
  const made = await translateConversation(session, { ...options, program: { path: executable, env } })
  if ('reason' in made)
    throw new AppError(
      'conflict',
      `Session ${session} can't continue in ${into.title}: ${made.detail ?? made.reason}.`,
      {
        hint: `Continue it in ${from.title}, or pass a summary by hand.`,
      },
    )
  return {
    command: [executable, ...run.openArguments({ resume: made.sessionId, fork: false, sessionId: null, model })],
    dir,
    env: {},
    isRestored: false,
    translated: made,
  }
}

/** That of the session; of one that is not recorded it is the one that begins new tasks. */
async function harnessOf(client: Client, sessionId: SessionId): Promise<AgentHarness> {
  const known = await client.sessions.get(sessionId).catch((error: unknown) => {
    if (isAppError(error) && error.code === 'not_found') return null
    throw error
  })
  return known === null ? defaultHarness() : harnessNamed(known.session.agent)
}

/** Among several folders of one CLI, the one of the conversation: its account and settings are there. */
async function recordedIn(client: Client, session: SessionId, places: CliPlace[]): Promise<CliPlace | undefined> {
  if (places.length < 2) return undefined
  const { journals } = await client.sessions.journals(session)
  const paths = journals.flatMap(({ kind, path }) => (kind === 'transcript' ? [path] : []))
  return places.find(({ root }) => paths.some((path) => path.startsWith(join(root, '/'))))
}

async function restore(
  { title }: AgentHarness,
  run: HarnessRun,
  client: Client,
  place: CliPlace,
  program: CliProgram,
  sessionId: SessionId,
): Promise<void> {
  if (run.restore === null)
    throw new AppError(
      'not_found',
      `Session ${sessionId} is not on this machine, and a conversation of ${title} can't be restored.`,
      {
        hint: "Run 'lode task show' to see where its attempts ran, or 'lode task retry' to start a new conversation with a summary.",
      },
    )
  try {
    await run.restore(place, sessionId, exportedPieces(client, sessionId, place.root), program)
  } catch (error) {
    if (!isAppError(error) || error.code !== 'not_found') throw error
    throw new AppError(
      'not_found',
      `The transcript of session ${sessionId} is neither on this machine nor in the record.`,
      {
        hint: "Run 'lode task show' to see where its attempts ran, or 'lode task retry' to start a new conversation with a summary.",
        cause: error,
      },
    )
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** A CLI that keeps no files says itself what it does not have. */
function mayHave(run: HarnessRun, place: CliPlace, sessionId: SessionId): boolean {
  const path = run.transcriptPath(place, sessionId)
  return path === null ? run.has?.(place, sessionId) !== false : (lookAt(path)?.size ?? 0) > 0
}
