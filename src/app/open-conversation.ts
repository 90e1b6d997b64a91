import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Client } from '../api/client/client'
import type { Config } from '../config/load'
import { AppError, isAppError } from '../domain/errors'
import type { SessionId } from '../domain/ids'
import { claudeCodeRun } from '../harness/claude-code/run'

export interface ConversationToOpen {
  sessionId: SessionId
  /** The working directory that it belongs to, absolute. */
  dir: string
  model: string | null
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
  { sessionId, dir, model }: ConversationToOpen,
): Promise<OpenedConversation> {
  if (!isFolder(dir)) {
    throw new AppError('invalid', `The conversation's folder ${dir} is not there.`, {
      hint: 'Name the one where it is now with --dir DIR.',
    })
  }
  const given = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  const executable = claudeCodeRun.findExecutable(given, config.worker.executable)
  const places = config.claude.roots.map((root) => ({ root, cwd: dir }))
  const opener = places.map((place) => claudeCodeRun.openedBy(place, sessionId)).find((each) => each !== null)
  if (opener) {
    throw new AppError('conflict', `Session ${sessionId} is open already, in process ${opener.pid} (${opener.kind}).`, {
      hint: 'Two at once would tear the conversation in two: end that one first.',
    })
  }
  const own = resolve(env.CLAUDE_CONFIG_DIR || join(env.HOME ?? '/', '.claude'))
  const found = places.find((place) => hasBytes(claudeCodeRun.transcriptPath(place, sessionId)))
  const place = found ?? places.find(({ root }) => root === own) ?? { root: own, cwd: dir }
  if (found === undefined) await restore(client, place, sessionId)
  const options = { resume: sessionId, fork: false, sessionId: null, model }
  return {
    command: [executable, ...claudeCodeRun.openArguments(options)],
    dir,
    env: place.root === own ? {} : { CLAUDE_CONFIG_DIR: place.root },
    isRestored: found === undefined,
  }
}

async function restore(client: Client, place: { root: string; cwd: string }, sessionId: SessionId): Promise<void> {
  try {
    await claudeCodeRun.restore(place, sessionId, exportedFiles(client, sessionId))
  } catch (error) {
    if (!isAppError(error) || error.code !== 'not_found') throw error
    throw new AppError(
      'not_found',
      `The transcript of session ${sessionId} is neither on this machine nor in the record.`,
      {
        hint: "'lode task show' says where its attempts ran; 'lode task retry' begins anew with a summary.",
        cause: error,
      },
    )
  }
}

/** Read one by one: a session may have more bytes than fit into memory. */
async function* exportedFiles(
  client: Client,
  sessionId: SessionId,
): AsyncGenerator<{ name: string; bytes: Uint8Array }> {
  for await (const file of client.sessions.export(sessionId))
    yield { name: file.relativePath, bytes: Buffer.concat(await Array.fromAsync(file.bytes)) }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

const hasBytes = (path: string): boolean => existsSync(path) && statSync(path).size > 0
